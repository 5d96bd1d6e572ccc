"""Programs as SQL."""
