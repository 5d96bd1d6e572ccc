"""Benchmarks of nln: `python -m benchmarks NAME`, from the root of the repository."""
