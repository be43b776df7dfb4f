"""What Spark's workers do: `make` writes the rows of cases, `ask` the rows of verdicts, `parts` one file for each task;
`loaded` keeps what is loaded out of collections of garbage."""
