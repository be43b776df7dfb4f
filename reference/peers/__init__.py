"""The two ends of a connection, without sockets: bytes in, bytes or outcomes out.

framing     frames of requests and responses: size, header, body
connection  a broker's side of one connection: bytes and the time in, bytes out
broker      which requests are answered, and when the connection closes
answers     the bodies of answers about the broker, its cluster and its topics
logs        the bodies of answers about records
converting  answers about messages of other formats, converted by the version of a fetch
topics      topics in memory
client      what a client makes of an answer
"""
