"""Cases that are known to fail, each with its reason. One that passes is a failure as long as it stands here."""

KNOWN = {}
