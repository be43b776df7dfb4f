"""A canary without a bug, the plain reference: the campaign has to report that it finds nothing."""

import reference

decode = reference
