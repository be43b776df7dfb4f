"""The files of inputs.

seeding        what a campaign begins with
given          what a user brings from another fuzzer
vector_seeds   seeds from vectors and stored cases, and a dictionary of typical bytes
minimise       fewer and smaller inputs with the same coverage
features       coverage as numbers that are the same on each machine
"""
