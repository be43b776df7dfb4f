"""A canary without a bug, the plain reference: the campaign has to report that it finds nothing."""

from wireproof import reference

decode = lookup = convert = consume = produce = reference
