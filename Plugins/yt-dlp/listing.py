"""What yt-dlp finds behind a URL: one video, or a playlist's entries with its nested playlists as chapters."""

import hashlib
import itertools
import re
import urllib.parse

from coursefetch_provider import ProviderError, format_time, log

import expiry
import library

MOST_VIDEOS = 200_000
MOST_CHAPTERS = 500
LONGEST_ID = 1024
HIDDEN = ("[Private video]", "[Deleted video]")
# What extracts from pages of sites that yt-dlp doesn't know.
NO_SITE = ("Generic", "HTML5MediaEmbed")


def found_at(downloader, url, key=None):
    """The video or playlist at `url`, with pages that only lead to it followed. No request is made for entries."""
    for _ in range(10):
        library.log_in_at(downloader, url)
        info = downloader.extract_info(url, download=False, process=False, ie_key=key)
        if not info:
            raise ProviderError("not_found", "yt-dlp finds nothing there")
        if info.get("_type") not in ("url", "url_transparent"):
            return info
        url, key = info["url"], info.get("ie_key")
    raise ProviderError("unavailable", "the page leads from one to the next without an end")


def is_of_a_site(module, url):
    """Whether yt-dlp has an extractor for the site of `url`. No request is made."""
    return any(ie.suitable(url) for ie in module.extractor.gen_extractor_classes() if ie.ie_key() not in NO_SITE)


def is_playlist(info):
    return info.get("_type") in ("playlist", "multi_video", "compat_list")


def entries(info):
    """Its entries, without those that the site itself shows as missing."""
    return (entry for entry in info.get("entries") or [] if entry and entry.get("title") not in HIDDEN)


def is_nested(downloader, entry, parent):
    """Whether an entry that is only a URL is a playlist itself: its extractor gives nothing else, or is its parent's."""
    if is_playlist(entry):
        return True
    key = entry.get("ie_key")
    if entry.get("_type") not in ("url", "url_transparent") or not key or key == "Generic":
        return False
    returns = downloader.get_info_extractor(key)._RETURN_TYPE
    return returns == "playlist" or returns != "video" and key == parent.get("extractor_key") and not entry.get("duration")


def media_url(entry):
    """The URL of what an entry without a page of its own plays, without the part that changes with signatures."""
    formats = entry.get("formats") or [entry]
    url = next((f.get("manifest_url") or f.get("url") for f in formats if f.get("url")), None)
    return url and urllib.parse.urlunsplit(urllib.parse.urlsplit(url)[:3] + ("", ""))


def bounded(id):
    packed = id.encode(errors="replace")
    return packed.decode() if len(packed) <= LONGEST_ID else hashlib.sha256(packed).hexdigest()


class Identity:
    """What an entry is called in catalogs, and where it is found again."""

    def __init__(self, module, entry, page, parent):
        key = entry.get("ie_key") or entry.get("extractor_key") or parent.get("extractor_key") or "Generic"
        #: Its own page; None if it's only a part of `page`.
        self.url = None
        if entry.get("_type") in ("url", "url_transparent"):
            self.url, smuggled = module.utils.unsmuggle_url(entry["url"], {})
            id = entry.get("id") or smuggled.pop("force_videoid", None)
            if smuggled:
                # What a site's own page tells its embedded videos, such as a referrer.
                self.url = module.utils.smuggle_url(self.url, smuggled)
            if not id and key not in NO_SITE:
                id = module.extractor.get_info_extractor(key).get_temp_id(self.url)
        elif entry.get("webpage_url") not in (None, page) and key not in NO_SITE:
            self.url, id = entry["webpage_url"], entry.get("id")
        else:
            # On pages of sites without an extractor the ids are numbers by their order.
            id = media_url(entry) if key in NO_SITE else entry.get("id")
        if self.url and key in NO_SITE and expiry.carries_a_secret(self.url):
            # A signed link to a file, and listings are stored: the playlist has the next one.
            self.url, id = None, id or urllib.parse.urlunsplit(urllib.parse.urlsplit(self.url)[:3] + ("", ""))
        self.id = bounded(str(id or self.url or page))
        self.full = bounded(f"{key}:{self.id}")


class Listing:
    """A course's videos in order, with ids that are unique in it."""

    def __init__(self, downloader, module, page):
        self.downloader, self.module, self.page, self.ids = downloader, module, page, {}
        self.count = 0

    def read(self, info):
        """The videos directly under the course, and the chapters."""
        if not is_playlist(info):
            video = self.video(info, self.page, info)
            if video["title"] and info.get("extractor_key") in NO_SITE:
                # Its number on the page.
                video["title"] = re.sub(r" \(1\)$", "", video["title"])
            return [video], []
        videos, chapters = [], []
        for entry in entries(info):
            if is_nested(self.downloader, entry, info):
                if len(chapters) >= MOST_CHAPTERS:
                    log("warning", f"there are more than {MOST_CHAPTERS} playlists; the others are left out")
                    break
                chapter = self.chapter(entry)
                if chapter:
                    chapters.append(chapter)
            else:
                videos.append(self.video(entry, self.page, info))
        return [v for v in videos if v], chapters

    def chapter(self, entry):
        nested = entry if is_playlist(entry) else found_at(self.downloader, entry["url"], entry.get("ie_key"))
        if not is_playlist(nested):
            return None
        page = nested.get("webpage_url") or entry.get("url") or self.page
        title = nested.get("title") or entry.get("title")
        videos = [self.video(one, page, nested) for one in entries(nested) if not is_nested(self.downloader, one, nested)]
        return {"id": bounded(str(nested.get("id") or title or page)), "title": short(title),
                "videos": [video for video in videos if video]}

    def video(self, entry, page, parent):
        self.count += 1
        if self.count > MOST_VIDEOS:
            raise ProviderError("unavailable", f"there are more than {MOST_VIDEOS} videos")
        identity = Identity(self.module, entry, page, parent)
        id, where = identity.id, identity.url or (page, identity.id)
        if self.ids.get(id, where) != where:
            id = identity.full
        if id in self.ids:
            return None
        self.ids[id] = where
        url = identity.url or page
        return {
            "id": id, "title": short(entry.get("title") or entry.get("episode")), "published_at": published_at(entry),
            "duration": duration(entry), "description": short(entry.get("description"), 4096),
            "parameters": {} if url == self.page else {"url": url}}


def pick(module, info, id, page):
    """The entry of a playlist that is called `id`, or its only one."""
    some = list(itertools.islice(entries(info), MOST_VIDEOS))
    for entry in some:
        identity = Identity(module, entry, page, info)
        if id in (identity.id, identity.full, entry.get("id")):
            return entry
    if len(some) == 1:
        return some[0]
    raise ProviderError("not_found", "the playlist has no video with this id")


def short(text, longest=1000):
    if not isinstance(text, str) or not text.strip():
        return None
    # Half a character, and half a pair of UTF-16, as pages have it, are left out.
    return text.strip().encode(errors="ignore")[:longest].decode(errors="ignore")


def duration(info):
    seconds = info.get("duration")
    return seconds if isinstance(seconds, (int, float)) and 0 < seconds < 1e9 else None


def published_at(info):
    """RFC 3339, from a moment or a day; None if the site says neither."""
    for key in ("timestamp", "release_timestamp"):
        if isinstance(info.get(key), (int, float)):
            try:
                return format_time(info[key])
            except (OverflowError, ValueError, OSError):
                continue
    day = info.get("upload_date") or info.get("release_date")
    if isinstance(day, str) and len(day) == 8 and day.isdigit():
        return f"{day[:4]}-{day[4:6]}-{day[6:]}T00:00:00Z"
    return None
