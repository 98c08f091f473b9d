"""When a URL ends to be valid, as far as it says so itself, and whether it carries a secret."""

import base64
import datetime
import json
import re
import urllib.parse

UTC = datetime.timezone.utc
MOMENTS = {"expire", "expires", "expiry", "expires_at", "exp", "e", "x-expires", "oe", "validto", "valid_until"}
SECRETS = MOMENTS | {
    "token", "access_token", "auth", "key", "sig", "signature", "sign", "md5", "hash", "hmac", "policy", "st", "hdnts", "hdnea",
    "hdntl", "key-pair-id", "x-amz-signature", "x-amz-credential", "x-goog-signature", "password", "secret", "session"}


def arguments(url):
    return [(name.lower(), value) for name, value in urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query)]


def carries_a_secret(url):
    """Whether an argument is what signatures and tokens are called."""
    return any(name in SECRETS for name, _ in arguments(url))


def moment(text, now):
    """Seconds or milliseconds since 1970 as a time, if that lies in the next ten years."""
    if not re.fullmatch(r"\d{10}|\d{13}", text):
        return None
    value = datetime.datetime.fromtimestamp(int(text[:10]), UTC)
    return value if now < value < now + datetime.timedelta(days=3653) else None


def expires_at(url, now):
    """The earliest moment in the future that the URL names, or None.

    It knows arguments such as `expire=1700000000`, Amazon's and Google's date with a lifetime, Akamai's `exp=…~hmac=…`,
    CloudFront's policy, and Google's `/expire/1700000000/` in the path.
    """
    found = []
    words = arguments(url)
    table = dict(words)
    for name, value in words:
        if name in MOMENTS:
            found.append(moment(value, now))
        if name in ("hdnts", "hdnea", "hdntl", "token"):
            found += [moment(text, now) for text in re.findall(r"(?:^|~)exp=(\d+)", value)]
    for vendor in ("x-amz", "x-goog"):
        try:
            begun = datetime.datetime.strptime(table[f"{vendor}-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            ended = begun + datetime.timedelta(seconds=int(table[f"{vendor}-expires"]))
            found.append(ended if ended > now else None)
        except (KeyError, ValueError, OverflowError):
            pass
    try:
        # CloudFront's own alphabet.
        packed = table["policy"].replace("-", "+").replace("_", "=").replace("~", "/")
        limits = json.loads(base64.b64decode(packed))["Statement"][0]["Condition"]["DateLessThan"]
        found.append(moment(str(limits["AWS:EpochTime"]), now))
    except (KeyError, ValueError, TypeError, IndexError):
        pass
    found += [moment(text, now) for text in re.findall(r"/expire/(\d+)(?:/|$)", urllib.parse.urlsplit(url).path)]
    return min((time for time in found if time), default=None)
