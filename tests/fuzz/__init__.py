"""Attacks on everything that reads what strangers give: with new seeds by `make fuzz`, with fixed ones by the tests."""
