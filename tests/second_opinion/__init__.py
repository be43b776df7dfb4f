"""Second opinions: each draft's grammar declared once more, with the library `construct`, from the draft alone.

They import nothing of the kit. Where they and the reference disagree, one of them has misread the draft.
"""
