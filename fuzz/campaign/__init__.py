"""The parent process of fuzzing: it starts children, keeps what they find, and says what was found.

campaign       one target for a time, or all in turns
run            starts children, and restarts those that end
store          the folder of a campaign
retest         asks again what earlier campaigns found
repeat         asks about single inputs again
dependencies   the packages behind a wrapper, and which of them are native
canaries       planted bugs that a campaign must find first
draft_vector   drafts a vector from a finding
"""
