"""Captures of packets.

exchange   matches the requests and responses of a connection, and judges them
frames     the frames in a file of packets
packets    reads files of packets
tcp        puts the bytes of a connection together
recording  writes a capture while its bytes pass
following  judges a recording while it grows
"""
