"""Programs as JSON: the form, the files, and readers that trust nothing."""
