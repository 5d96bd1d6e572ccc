"""Descents on rows that lie in several buckets, on this machine or on others.

All that a descent asks of the rows are sums. A *bucket* holds the distinct rows whose hashes fall in one range, so the
buckets of a table, one after the other, are its rows in their usual order, whoever cut the table and however. Each
bucket keeps what the outputs compute on its rows. `PartedDescent` is the local descent with another way to its sums: a
request goes to all buckets, their answers are added in the order of the buckets in float64, the same compiled functions
choose the best condition, and the next request tells the buckets. So the program depends neither on the number of
machines nor on which was faster. A table of one bucket gives, sum for sum, what the local descent gives.

A bucket that has lost its state, because it moved to another machine, answers nothing; the descent then sends the draft
as it is, from which the bucket computes its state anew.
"""
