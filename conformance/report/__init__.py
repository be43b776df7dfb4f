"""The output of a run, for people and tools.

failure                       one verdict, explained on a page
summary                       the run in numbers, and implementations compared
findings                      the list of findings
unasked                       the questions that were not asked
jsonl                         the report file
hexview, outline              layout of bytes and structures
compare, valueview            layout of two byte strings and of two values
hints                         guesses about common mistakes
question                      the question of a failure
labels                        the names of bytes
background                    rulings and real bugs
page, text                    layout of a page, and safe text

Text from an implementation is escaped (`text.safe`) before it is shown. Colours are only set as styles.
"""
