"""The reference where a canary should be: what a harness is like that does not see the bug."""

import reference

decode = reference
