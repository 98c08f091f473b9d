"""Videos of the sites that yt-dlp knows. See README.md."""

import collections
import hashlib
import json
import pathlib
import re
import sys
import threading
import urllib.parse

# Installed, the module is in this folder; in a checkout it isn't.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "contrib" / "python"))

from coursefetch_provider import Provider, ProviderError, log, run

import choice
import expiry
import library
import listing
import refusals

# What the transfer sets itself, and what a browser would say of pages.
NOT_SENT = re.compile(
    r"(?i)host|range|if-.*|connection|keep-alive|te|trailer|upgrade|expect|content-.*|transfer-encoding|accept-encoding|cookie|"
    r"proxy-.*|sec-fetch-.*")
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
PAGE_BYTES, PAGE_VIDEOS = 600_000, 1000


class YtDlp(Provider):
    def __init__(self):
        self.turn = threading.Lock()
        # Pages of listings that aren't handed over yet, by the digest of the whole.
        self.listings = collections.OrderedDict()

    def resolve(self, request):
        name = "url" if "url" in request.parameters else "endpoint"
        page = address(request, name)
        module = library.load()
        live = False
        choose = lambda context: [choice.choose(offered(context["formats"], live), request.quality)]  # noqa: E731
        with library.downloader(request, format=choose, noplaylist=True) as downloader:
            try:
                info = listing.found_at(downloader, page)
                if listing.is_playlist(info):
                    entry = listing.pick(module, info, request.video.id, page)
                    if entry.get("_type") in ("url", "url_transparent"):
                        entry = listing.found_at(downloader, entry["url"], entry.get("ie_key"))
                    if listing.is_playlist(entry):
                        raise ProviderError("invalid_parameters", "this is a playlist, not a video", parameter=name)
                    downloader.add_default_extra_info(entry, downloader.get_info_extractor(info["extractor_key"]), page)
                    info = entry
                ready(info, request.now)
                live = live_status(info) == "is_live"
                formats = info.get("formats") or [info]
                drm = all(f.get("has_drm") is True for f in formats)
                if drm:
                    raise ProviderError("drm", "the site encrypts this video for its own player")
                info = downloader.process_ie_result(info, download=False)
            except Exception as error:
                raise self.refused(error, module, request, name, page) from error
            return resolution(downloader, info, request.now)

    def login(self, request):
        session = request.secrets.get("cookies")
        kept = {"cookies": library.merged(library.session(request), session)} if session or library.session(request) else {}
        if session and not request.secrets.get("site"):
            return {"credentials": {"sites": library.logins(request), **kept}}
        site = request.secrets.get("site", "").strip().lower()
        host = re.sub(r"^www\.", "", urllib.parse.urlsplit(site if "//" in site else "//" + site).hostname or "")
        if not host:
            raise ProviderError("invalid_parameters", "the site has to be a name such as video.example.org", parameter="site")
        login = {name: request.secrets.get(name, "") for name in ("username", "password")}
        return {"credentials": {"sites": {**library.logins(request), host: login}, **kept}}

    def recognise(self, request):
        if not web(request.address):
            return None
        module = library.load()
        with library.downloader(request, ignore_no_formats_error=True) as downloader:
            if not listing.is_of_a_site(module, request.address):
                # Any page may have a video in it.
                try:
                    found = listing.found_at(downloader, request.address)
                except Exception:
                    return None
                if listing.is_playlist(found) and not any(listing.entries(found)):
                    return None
        return {"course": {"parameters": {"endpoint": request.address}}}

    def refused(self, error, module, request, name, page):
        """The answer to an error. When an announced video begins, the site says only if it's asked for no formats."""
        answer = refusals.refusal(error, module, request.now, name, page)
        if answer.kind != "not_ready" or answer.retry_after is not None:
            return answer
        try:
            with library.downloader(request, noplaylist=True, ignore_no_formats_error=True) as downloader:
                ready(listing.found_at(downloader, page), request.now)
        except ProviderError as told:
            return told if told.kind == "not_ready" and told.retry_after is not None else answer
        except module.utils.YoutubeDLError:
            pass
        return answer

    def list(self, request):
        if request.cursor is not None:
            digest, _, number = str(request.cursor).partition(":")
            with self.turn:
                kept = self.listings.get(digest)
            if kept is None:
                # Another process began this listing.
                now, kept = self.read(request)
                if now != digest:
                    raise ProviderError("unavailable", "the listing has changed while it was read")
            return self.page(digest, kept, int(number))
        digest, kept = self.read(request)
        if request.known == digest:
            return {"unchanged": True, "known": digest}
        return self.page(digest, kept, 0)

    def page(self, digest, kept, number):
        last = number + 1 >= len(kept)
        with self.turn:
            self.listings.pop(digest, None)
            if not last:
                self.listings[digest] = kept
                while len(self.listings) > 16:
                    self.listings.popitem(last=False)
        if not 0 <= number < len(kept):
            raise ProviderError("unavailable", "the listing has no such page")
        return {**kept[number], "known": digest, "next": None if last else f"{digest}:{number + 1}"}

    def read(self, request):
        """The whole listing as pages, and its digest."""
        page = address(request, "endpoint")
        module = library.load()
        with library.downloader(request, ignore_no_formats_error=True) as downloader:
            try:
                info = listing.found_at(downloader, page)
                videos, chapters = listing.Listing(downloader, module, page).read(info)
            except Exception as error:
                answer = refusals.refusal(error, module, request.now, "endpoint", page)
                # What isn't said of a course.
                kind = {"drm": "forbidden", "not_ready": "unavailable"}.get(answer.kind, answer.kind)
                raise ProviderError(
                    kind, answer.message, retry_after=answer.retry_after, parameter=answer.parameter) from error
        cover = web(info.get("thumbnail")) if listing.is_playlist(info) else None
        about = {"title": listing.short(info.get("title")), "cover": cover and (None if "?" in cover else cover)}
        text = json.dumps([about, videos, chapters], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest(), in_pages(about, videos, chapters)


def address(request, name):
    """The URL in a parameter; what looks like a signature in it is kept out of the log."""
    page = request.parameter(name)
    if expiry.carries_a_secret(page):
        request.conceal(urllib.parse.urlsplit(page).query)
    return page


def in_pages(about, videos, chapters):
    """The listing in pieces that fit into a line each. A chapter that continues has the same id."""
    found = [dict(about)]
    count = size = 0

    def room(bytes):
        nonlocal count, size
        if count and (count >= PAGE_VIDEOS or size + bytes > PAGE_BYTES):
            found.append(dict(about))
            count = size = 0
        count, size = count + 1, size + bytes

    for video in videos:
        room(len(json.dumps(video, ensure_ascii=False).encode()))
        found[-1].setdefault("videos", []).append(video)
    for chapter in chapters:
        head = {"id": chapter["id"], "title": chapter["title"]}
        room(len(json.dumps(head).encode()))
        found[-1].setdefault("chapters", []).append({**head, "videos": []})
        for video in chapter["videos"]:
            room(len(json.dumps(video, ensure_ascii=False).encode()))
            if not found[-1].get("chapters") or found[-1]["chapters"][-1]["id"] != head["id"]:
                found[-1].setdefault("chapters", []).append({**head, "videos": []})
            found[-1]["chapters"][-1]["videos"].append(video)
    return found


def ready(info, now):
    """Refuses a video that isn't there yet."""
    status = live_status(info)
    begins = info.get("release_timestamp")
    if status == "is_upcoming":
        wait = None
        if isinstance(begins, (int, float)):
            wait = max(60, begins - now.timestamp())
        raise ProviderError("not_ready", "this video hasn't begun yet", retry_after=wait and min(wait, 72000))
    if status == "is_live" and not offered(info.get("formats") or [info], live=True):
        raise ProviderError("not_ready", "this video is still live")


def live_status(info):
    return info.get("live_status") or ("is_live" if info.get("is_live") else None)


def offered(formats, live):
    """The formats of a video; of a live one its playlists, which the catalog may have recorded."""
    return [format for format in formats if not live or choice.kind(format) == choice.HLS]


def resolution(downloader, info, now):
    """The answer, of a video whose format is chosen."""
    kind = choice.kind(info)
    if info.get("ext") == "unknown_video" and not info.get("vcodec"):
        raise ProviderError("not_found", "what the site serves there is neither a page nor a video")
    address = info.get("manifest_url") or info["url"] if kind in choice.STREAMS else info["url"]
    higher = choice.left_behind(info.get("formats") or [])
    if higher:
        log("info", f"{info.get('id')}: {higher}p is in a form that coursefetch doesn't join with its sound")
    sounds = []
    if kind == choice.FILE and choice.has_picture(info) and not choice.has_sound(info):
        sounds = choice.tracks(info.get("formats") or [])[:64]
    extension = info.get("ext") or ""
    return {
        "url": address, "kind": kind, "headers": headers(downloader, info, address), "expires_at": expiry.expires_at(address, now),
        "size": size(info) if kind == choice.FILE else None,
        "tracks": [track(downloader, format, now) for format in sounds] or None,
        "extension": extension if re.fullmatch("[A-Za-z0-9]{1,16}", extension) and kind == choice.FILE else None,
        "duration": listing.duration(info), "subtitles": subtitles(info), "cover": web(info.get("thumbnail"))}


def track(downloader, format, now):
    """Sound in a file of its own."""
    language = format.get("language") or ""
    return {
        "kind": "audio", "url": format["url"], "lang": language if LANGUAGE.fullmatch(language) else None,
        "headers": headers(downloader, format, format["url"]), "expires_at": expiry.expires_at(format["url"], now),
        "size": size(format)}


def headers(downloader, format, address):
    """What goes with the requests for a format, cookies included."""
    found = {name: value for name, value in (format.get("http_headers") or {}).items() if not NOT_SENT.fullmatch(name)}
    cookies = downloader.cookiejar.get_cookie_header(address)
    return {**found, "Cookie": cookies} if cookies else found


def size(format):
    return format["filesize"] if isinstance(format.get("filesize"), int) else None


def subtitles(info):
    """Those that are one file each, in a format that players take; the best of each language."""
    found = []
    for language, ways in (info.get("subtitles") or {}).items():
        if not LANGUAGE.fullmatch(language):
            continue
        for wanted in ("vtt", "srt"):
            way = next((w for w in ways if w.get("ext") == wanted and web(w.get("url"))
                        and not str(w.get("protocol") or "").startswith(("m3u8", "http_dash"))), None)
            if way:
                found.append({"lang": language, "url": way["url"]})
                break
    return found[:1000] or None


def web(url):
    return url if isinstance(url, str) and re.match(r"https?://[^/?#@]+([/?#]|$)", url) else None


if __name__ == "__main__":
    library.adopt()
    run(YtDlp(), concurrency=4)
