"""Tables whose rows belong to rows of another table: how they look, how they are grouped, how they are read."""
