"""The two ends of a connection, without sockets: bytes in, bytes or outcomes out.

framing   frames of requests and responses: size, header, body
broker    what a broker answers to the bytes that arrive
answers   the bodies of these answers
client    what a client makes of an answer
"""
