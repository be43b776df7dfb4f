"""The vectors for tests in other languages.

plain_data      each vector as one self-contained line
frame_layouts   the layouts of frames in these lines
package         an export's folder or archive
parquet         an export as one table
"""
