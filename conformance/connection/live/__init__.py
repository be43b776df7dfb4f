"""Brokers, clients and proxies that run, over sockets, and the reference as a broker. No other room opens a socket.

address       what an address names, and whether the kit may connect to it
exchange      one connection: the chunks that are sent, and what comes back until it is closed or silent
talk          a conversation by a script, on several connections
login         the login of a connection with SASL
load          clients that misbehave beside the questions
announced     the versions that a broker announces
broker        many exchanges at a time, as a connection of the kit
proxied       a proxy under test: its process between the kit as client and as broker
upstream      the kit's broker behind it
proxy         passes on the bytes of many connections unaltered, for `wireproof capture`
server        the reference's broker behind a socket, for `wireproof serve` and for clients
scripted      a broker's side of a connection where a script says how it answers
wanted_login  the login that the kit's broker wants of a client
wrapper       a wrapper of a client that runs: each question with a broker of its own
client        a client's command, started for each script, as a connection of the kit
"""
