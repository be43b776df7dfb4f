"""Released implementations behind the contract: each a module that imports its library and nothing of the kit."""
