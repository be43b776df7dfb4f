"""A compact array whose count is more than the bytes that follow has to be refused. Reading ends the process."""

from kio.serial.readers import compact_array_reader, read_int32

read = compact_array_reader(read_int32)
value, _size = read(bytes.fromhex("@twin@"), 0)
print("@twin@ is read as", value, flush=True)
read(bytes.fromhex("@bytes@"), 0)
