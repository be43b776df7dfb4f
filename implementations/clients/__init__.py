"""Programs of some lines, each of which is a client for the kit: `FILE ADDRESS`, those in Python `python FILE ADDRESS`.

Each produces a record to the topic `test`, reads it back, and ends with 0 if that worked; kafkajs, whose consumer needs
a group, asks where the partition ends. Their limits are seconds, so that a run of all scripts is short.

The modules `live_…` are wrappers: the kit asks what such a client gives to an application, and what it sends for it.
"""
