"""Why a row got its decision, and what would turn it."""
