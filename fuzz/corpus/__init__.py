"""The inputs of a campaign.

inputs     an input: its head names a type or an op, bytes follow
seeding    what a campaign begins with
minimise   fewer and smaller inputs with the same coverage
features   coverage as numbers that are the same on each machine
"""
