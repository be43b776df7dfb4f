"""What `wireproof explain` reads.

hex_input        bytes from the command line: digits, a dump, a file
hexdump          a pasted dump
capture          the frames in captured bytes
types            a dialect's types, schemas and registers
control_records  the content of control records
"""
