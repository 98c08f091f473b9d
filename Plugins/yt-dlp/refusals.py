"""yt-dlp's errors as errors of the protocol."""

import datetime
import email.utils
import re
import urllib.parse

from coursefetch_provider import ProviderError

# The first one that fits counts: "Private video. Sign in if you've been granted access" is about the video, not the login.
WORDS = [
    ("drm", r"\bdrm\b"),
    ("geo_blocked", r"geo.?(restrict|block)|in your (country|region|location)|from your location|(country|region) you are in"),
    ("rate_limited", r"too many requests|rate.?limit|try again later"),
    ("not_ready", r"will begin|premieres in|premiere will|not (currently|yet) live|not started|is offline|is upcoming|"
                  r"waiting room|live event has not|currently offline"),
    ("gone", r"(been|was) (removed|deleted|terminated|taken down)|no longer (available|exist)|has expired|removed by|deleted by"),
    ("forbidden", r"\bprivate\b|members.only|join this channel|not (allowed|permitted)|purchase|paid|premium|subscri|payment"),
    ("auth_required", r"sign in|log ?in|logged in|registered users|authenticat|credentials|cookies|username|password"),
    ("not_found", r"not found|does ?n[o']t exist|unavailable|not available|no such"),
    ("unavailable", r"timed out|temporar|unable to download|unable to connect"),
]
STATUSES = {401: "auth_required", 429: "rate_limited", 451: "geo_blocked", 410: "gone"}
WEAK_STATUSES = {403: "forbidden", 404: "not_found"}
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


def causes(error):
    """The error and what lies behind it, outermost first."""
    found, todo = [], [error]
    while todo:
        one = todo.pop(0)
        if not isinstance(one, BaseException) or one in found:
            continue
        found.append(one)
        inner = getattr(one, "exc_info", None)
        todo += [getattr(one, "cause", None), inner[1] if inner else None, one.__cause__]
    return found


def words_of(error):
    """yt-dlp's message without what it says to its own users."""
    text = str(getattr(error, "orig_msg", None) or error)
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"^ERROR:\s*", "", text)
    text = re.sub(r"^\[[\w:+-]+\]\s+(?:\S{1,80}:\s)?", "", text)
    text = re.split(r";? ?please report this issue|\(caused by|\bUse --|\bSee +https://github|Also see|Confirm you are", text)[0]
    text = re.sub(r"\s+", " ", text).strip(" .;,")
    return text[:300]


def wait(text):
    """Seconds until what `text` announces: "begins in 3 hours"; None if it doesn't say."""
    match = re.search(r"in (?:a few|(\d+)) (second|minute|hour|day)s?", text.lower())
    return int(match[1] or 5) * UNITS[match[2]] if match else None


def retry_after(response, now):
    text = (response.headers.get("Retry-After") or "").strip() if response is not None else ""
    if re.fullmatch(r"\d{1,9}", text):
        return int(text)
    try:
        then = email.utils.parsedate_to_datetime(text)
        return max(0, (then.astimezone(datetime.timezone.utc) - now).total_seconds())
    except (TypeError, ValueError, IndexError):
        return None


def refusal(error, module, now, place, page):
    """What to answer. `module` is yt_dlp, `now` the host's clock, `place` the name of the parameter that has `page`."""
    found = meaning(error, module, now, place, page)
    if found.server is None and found.kind in ("auth_required", "rate_limited", "unavailable"):
        parts = urllib.parse.urlsplit(page)
        found.server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else None
    return found


def meaning(error, module, now, place, page):
    chain = causes(error)
    own = next((one for one in chain if isinstance(one, ProviderError)), None)
    if own:
        return own
    utils, network = module.utils, module.networking.exceptions
    told = next((one for one in chain if isinstance(one, utils.ExtractorError)), error)
    text, site = words_of(told), urllib.parse.urlsplit(page).netloc

    def first(kind):
        return next((one for one in chain if isinstance(one, kind)), None)

    if first(utils.UnsupportedError):
        return ProviderError("invalid_parameters", f"yt-dlp finds no video at {page}", parameter=place)
    if first(utils.GeoRestrictedError):
        return ProviderError("geo_blocked", text)
    if first(utils.UserNotLive):
        return ProviderError("not_ready", text)
    answer = first(network.HTTPError)
    if answer:
        said = f"{site} answers {answer.status} {answer.reason or ''}".strip()
        seconds = retry_after(answer.response, now)
        if answer.status in STATUSES:
            return ProviderError(STATUSES[answer.status], said, retry_after=seconds if answer.status == 429 else None)
        if answer.status >= 500:
            return ProviderError("unavailable", said, retry_after=seconds)
        if not speaks(text):
            return ProviderError(WEAK_STATUSES.get(answer.status, "unavailable"), said)
    if first(network.CertificateVerifyError):
        return ProviderError("unavailable", f"the certificate of {site} isn't trusted")
    if first(network.IncompleteRead):
        return ProviderError("unavailable", f"{site} breaks its answer off")
    transport = first(network.TransportError) or first(network.RequestError)
    if transport and not answer:
        return ProviderError("unavailable", f"there is no answer from {site}: {reason(transport)}")
    kind = next((kind for kind, pattern in WORDS if re.search(pattern, text.lower())), "unavailable")
    if not getattr(told, "expected", True):
        text = f"yt-dlp {module.version.__version__} can't read the page; a newer one may: {text}"
        kind = "unavailable" if kind == "auth_required" else kind
    return ProviderError(kind, text or type(error).__name__, retry_after=wait(text) if kind == "not_ready" else None)


def reason(error):
    """Why there is no connection, in the words of the system."""
    text = "\n".join(str(one) for one in causes(error))
    if "timed out" in text:
        return "it takes longer than 20 s"
    found = re.search(r"\[Errno -?\d+\] ([\w ,'-]+)", text.replace("('", "\n"))
    return found[1].strip() if found else words_of(error)


def speaks(text):
    """Whether a message says more than the status does."""
    return not re.match(r"(unable to download|http error)", text.lower())
