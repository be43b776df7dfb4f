"""What workers of Spark do: `make` writes rows of cases, `ask` rows of verdicts, `parts` a file for each task."""
