"""The benchmark `suite`: tables that were fixed before the first run, one half to develop on, one to be run once."""
