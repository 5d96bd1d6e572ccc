"""Learning from tables that come in parts: files of a folder, one after the other, or partitions on a cluster.

A fit passes three times over the parts, and keeps nothing of them but small integers:

1. Every part is summarised (`nln.tables.summary`); the merged summary is read like a table and gives the schema and the
   bins. If the whole table has room in the sample, it is brought to one place and learned by `NLNClassifier`.
2. Every part becomes codes, one byte per cell, and its distinct rows are dealt into buckets by their hashes
   (`nln.learning.parted`). Networks, price and variants are chosen on a sample of them, rare classes first. The pooled
   rules then descend, soften and find their biases on all rows.
3. Every part counts what the rules cover, and what they would decide at every threshold.

What is chosen is chosen by the content of rows alone, so the program depends neither on how the table was cut nor on
where the parts were. An `Engine` says where the parts are and who does the work; `LocalEngine` is this process.
"""
