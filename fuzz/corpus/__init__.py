"""The files of inputs.

seeding    what a campaign begins with
minimise   fewer and smaller inputs with the same coverage
features   coverage as numbers that are the same on each machine
"""
