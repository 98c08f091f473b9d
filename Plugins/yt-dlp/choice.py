"""Which of a video's formats are downloaded: a file with picture and sound, or one of each, a playlist, or a presentation."""

import re

from coursefetch_provider import ProviderError

FILE, HLS, DASH = "file", "hls", "dash"
STREAMS = (HLS, DASH)


def kind(format):
    """How coursefetch can take a format: as a file, as a stream, or not at all (None)."""
    protocol = format.get("protocol") or ""
    if protocol.startswith("m3u8"):
        return HLS
    if protocol.startswith("http_dash_segments") and re.match(r"https?://", format.get("manifest_url") or ""):
        return DASH
    if protocol in ("http", "https") and not format.get("fragments"):
        return FILE
    return None


def has_picture(format):
    # What isn't known is taken as there: a direct link says nothing of its codecs.
    return format.get("vcodec") != "none"


def has_sound(format):
    return format.get("acodec") != "none"


def candidates(formats):
    """The formats to choose among, worst first: those with picture and sound, or sound alone if no format has a picture.

    A variant of a master playlist or a presentation counts whatever it has itself, since that says where its sound is; a file
    without sound counts if the sound is a file, too, or if there is none.
    """
    takeable = [f for f in formats if kind(f) and (has_picture(f) or has_sound(f))]
    mute = not any(has_sound(f) for f in formats)
    beside = {FILE: mute or bool(tracks(formats))}
    complete = [f for f in takeable if has_picture(f)
                and (has_sound(f) or beside.get(kind(f), bool(f.get("manifest_url"))))]
    return complete if any(has_picture(f) for f in formats) else takeable


def tracks(formats):
    """The best file with sound alone of each language, the best of all first."""
    best = {}
    for format in formats:
        if kind(format) == FILE and has_sound(format) and not has_picture(format):
            best.pop(format.get("language"), None)
            best[format.get("language")] = format
    return list(best.values())[::-1]


def sounds(formats):
    """The formats with sound alone, and streams, of which coursefetch can take the sound, worst first."""
    alone = [f for f in formats if kind(f) and has_sound(f) and not has_picture(f)]
    files = [f for f in alone if kind(f) == FILE]
    return files or alone or [f for f in formats if kind(f) in STREAMS and f.get("manifest_url")]


def within(formats, key, bound):
    """The best one whose `key` is known and at most `bound`; None if there is none."""
    return next((f for f in reversed(formats) if f.get(key) and f[key] <= bound), None)


def lowest(formats, key):
    known = [f for f in formats if f.get(key)]
    return min(known, key=lambda f: f[key]) if known else formats[-1]


def choose(formats, quality):
    """The format for the requested qualities, of `formats` in yt-dlp's order, worst first.

    The first quality that some format has decides, as in the catalog: a height or a bitrate means the best one at or below
    it. If none has any, the nearest to the first quality is taken. Of several with the same height a file with sound is taken.
    """
    found = candidates(formats)
    if not found and not (quality[:1] == ["audio"] and sounds(formats)):
        raise ProviderError("not_found", obstacle(formats))
    for wanted in quality or ["best"]:
        if wanted == "audio":
            chosen = (sounds(formats) or [None])[-1]
        elif wanted in ("best", "worst"):
            chosen = found and found[-1 if wanted == "best" else 0]
        else:
            chosen = within(found, *measure(wanted))
        if chosen:
            break
    else:
        first = quality[0]
        chosen = found[0] if first == "audio" else lowest(found, measure(first)[0])
    if has_picture(chosen) and (kind(chosen) in STREAMS or not has_sound(chosen)) and chosen.get("height"):
        files = [f for f in found if kind(f) == FILE and f.get("height") == chosen["height"]]
        chosen = ([f for f in files if has_sound(f)] or files or [chosen])[-1]
    return chosen


def measure(wanted):
    """`720p` as a height, `2500k` as a total bitrate, with the key that formats have it under."""
    match = re.fullmatch(r"(\d{1,9})([pk])", wanted)
    if not match:
        return "height", 1 << 30
    return ("height" if match[2] == "p" else "tbr"), int(match[1])


def obstacle(formats):
    """Why no format can be taken."""
    if any(kind(f) for f in formats):
        return ("this video has picture and sound in different forms, a file and a stream, which coursefetch doesn't join; with "
                "quality: audio it takes the sound")
    protocols = sorted({str(f.get("protocol")) for f in formats})
    return f"this video has no format that coursefetch can download (only {', '.join(protocols[:6])})"


def left_behind(formats):
    """The height of the best picture that can't be taken, if it is better than all that can; else None."""
    def best(some):
        return max((f.get("height") or 0 for f in some if has_picture(f)), default=0)

    return best(formats) if best(formats) > best(candidates(formats)) else None
