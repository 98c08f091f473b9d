"""A stand-in of the Internet Archive: its site (metadata, search, downloads, logins) and two data nodes at their own ports."""

import base64
import bisect
import collections
import email.utils
import fnmatch
import gzip
import hashlib
import html
import http.server
import json
import re
import secrets
import threading
import time
import urllib.parse
import zlib

from stand_in import Connection, StandIn

# What nodes call their files: measured for mp4, ogv, mp3, ogg, txt (a third party's notes of 2026-09); the others from memory.
TYPES = {"mp4": "video/mp4", "m4v": "video/x-m4v", "ogv": "video/ogg", "mpeg": "video/mpeg", "mpg": "video/mpeg",
         "webm": "video/webm", "mkv": "video/x-matroska", "mov": "video/quicktime", "avi": "video/x-msvideo",
         "mp3": "audio/mpeg", "ogg": "application/ogg", "flac": "audio/flac", "m4a": "audio/mp4",
         "txt": "text/plain; charset=utf-8", "srt": "application/x-subrip",
         "vtt": "text/vtt; charset=utf-8", "pdf": "application/pdf", "jpg": "image/jpeg", "png": "image/png", "gif": "image/gif",
         "xml": "text/xml; charset=utf-8", "json": "application/json"}
# What a derivative is called after its original: recorded items, jjjake/internetarchive docs/source/cli.rst, yt-dlp's tests.
SUFFIXES = {"h.264": ".mp4", "h.264 IA": ".ia.mp4", "512Kb MPEG4": "_512kb.mp4", "Ogg Video": ".ogv", "MPEG2": ".mpeg",
            "WebM": ".webm", "Matroska": ".mkv", "QuickTime": ".mov", "VBR MP3": ".mp3", "64Kbps MP3": "_64kb.mp3",
            "Flac": ".flac", "Ogg Vorbis": ".ogg", "Animated GIF": ".gif", "SubRip": ".asr.srt",
            "Web Video Text Tracks": ".asr.vtt", "Closed Caption Text": ".cc5.txt",
            "Spectrogram": "_spectrogram.png", "PNG": ".png", "Text PDF": "_text.pdf"}
# What somebody uploads is named by its content; "h.264" and "MPEG4" are both .mp4.
UPLOADS = {"mp4": "MPEG4", "m4v": "MPEG4", "mov": "QuickTime", "mkv": "Matroska", "webm": "WebM", "mpeg": "MPEG2", "mpg": "MPEG2",
           "ogv": "Ogg Video", "avi": "Cinepack", "mp3": "VBR MP3", "flac": "Flac", "ogg": "Ogg Vorbis", "pdf": "Text PDF",
           "srt": "SubRip", "vtt": "Web Video Text Tracks", "jpg": "JPEG", "png": "PNG", "txt": "Text", "zip": "ZIP"}
NOT_VIDEO = ("VBR MP3", "64Kbps MP3", "Flac", "Ogg Vorbis")
# These fields are searched as they stand, the others by their words.
EXACT = ("identifier", "collection", "mediatype", "uploader", "format", "licenseurl", "year", "date", "publicdate", "addeddate")

Asked = collections.namedtuple("Asked", "method path query status range host user agent")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=({}, None))


class Wrong(Exception):
    """A search that is refused."""


class File:
    """One entry of `files`: tests/data/metadata/nasa.json of jjjake/internetarchive; every number is text."""

    def __init__(self, name, content, format, source, modified, **more):
        self.name, self.format, self.source, self.more = name, format, source, more
        self.put(content, modified)

    def put(self, content, modified):
        self.content, self.modified = content.encode() if isinstance(content, str) else content, modified

    @property
    def private(self):
        return self.more.get("private") == "true"

    def record(self):
        body = self.content
        record = {"name": self.name, "source": self.source, "format": self.format, "mtime": str(self.modified),
                  "size": str(len(body)), "md5": hashlib.md5(body).hexdigest(), "crc32": f"{zlib.crc32(body):08x}",
                  "sha1": hashlib.sha1(body).hexdigest()}
        if self.name.endswith("_files.xml"):
            # It has neither size nor time, and its MD5 is never right: jjjake/internetarchive#487.
            record = {"name": self.name, "source": self.source, "format": self.format,
                      "md5": hashlib.md5(body + b"before").hexdigest(), "summation": "md5"}
        return {n: v for n, v in {**record, **self.more}.items() if v is not None}


class Item:
    """An item. `metadata` goes out as it stands; `collection` as text where there is one, and a list where there are more."""

    def __init__(self, archive, identifier, title, mediatype, collection, metadata):
        self.archive, self.identifier, self.files, self.granted = archive, identifier, {}, set()
        self.collections = [collection] if isinstance(collection, str) else list(collection)
        self.metadata = {"identifier": identifier, "mediatype": mediatype, "title": title, "uploader": "uploader@example.org",
                         "publicdate": "2019-03-01 10:00:00", "addeddate": "2019-03-01 09:58:00", **metadata}
        # `listed`: found by searches, dark or not. `error`: the metadata's answer is 200 with it. `node`: where it is, 0 or 1.
        self.listed, self.dark, self.restricted, self.login, self.error, self.extra = True, False, False, False, None, {}
        self.node, self.shelf, self.updated, self.unready = 0, zlib.crc32(identifier.encode()) % 30, archive.now, False
        xml = f"<metadata><identifier>{identifier}</identifier></metadata>"
        for name, source in (("meta.xml", "original"), ("files.xml", "original")):
            self.add(f"{identifier}_{name}", xml, "Metadata", source)
        self.add(f"{identifier}_archive.torrent", b"d4:infod4:name1:xee", "Archive BitTorrent", "metadata", btih="0" * 40)
        self.add("__ia_thumb.jpg", b"\xff\xd8tile", "Item Tile", rotation="0")

    def add(self, name, content, format=None, source="original", modified=None, **more):
        """A file. `more` goes into its entry as it stands: original, length, height, width, title, track, private="true", …"""
        format = format or UPLOADS.get(name.rpartition(".")[2].lower(), "Unknown")
        self.files[name] = File(name, content, format, source, modified or self.archive.now, **more)
        return self.files[name]

    def video(self, name, content, format=None, derivatives=None, seconds=60.0, size=(640, 480), private=False, **more):
        """An original with what was derived from it: {format: content, or a dict with content and more}."""
        about = {"length": f"{seconds:.2f}", "height": str(size[1]), "width": str(size[0]),
                 "private": "true" if private else None}
        file = self.add(name, content, format, **{**about, **more})
        shown = {n: more[n] for n in ("title", "track") if n in more}
        for kind, given in (derivatives or {}).items():
            given = given if isinstance(given, dict) else {"content": given}
            extra = {n: v for n, v in given.items() if n not in ("content", "name")}
            self.derive(name, kind, given["content"], given.get("name"), **{**shown, **self.about(kind, seconds, size), **extra})
        return file

    @staticmethod
    def about(kind, seconds, size):
        """Sound has a height and width of "0", and some lengths are minutes and seconds: a recorded answer for the item test2."""
        if kind in NOT_VIDEO:
            length = f"{int(seconds) // 60:02}:{int(seconds) % 60:02}" if kind == "64Kbps MP3" else f"{seconds:.2f}"
            return {"length": length, "height": "0", "width": "0"}
        if kind not in ("h.264", "h.264 IA", "512Kb MPEG4", "Ogg Video", "MPEG2", "WebM", "Matroska", "QuickTime"):
            return {}
        height = {"512Kb MPEG4": 240, "Ogg Video": 304, "h.264 IA": 480}.get(kind, size[1])
        height = min(height, size[1])
        return {"length": f"{seconds:.2f}", "height": str(height), "width": str(size[0] * height // size[1] // 2 * 2)}

    def derive(self, original, kind, content, name=None, **more):
        """A derivative; `original` is the entry's text or list: internetarchive/www js/player.js takes both."""
        first = original if isinstance(original, str) else original[0]
        stem = first.rpartition(".")[0] or first
        if kind == "Thumbnail":
            name = name or f"{self.identifier}.thumbs/{stem.rpartition('/')[2]}_000001.jpg"
        return self.add(name or stem + SUFFIXES[kind], content, kind, "derivative", original=original, **more)

    def replace(self, name, content, seconds_later=60):
        """The file is another one from now on: checksums, mtime, ETag and item_last_updated change."""
        self.files[name].put(content, self.files[name].modified + seconds_later)
        self.updated += seconds_later

    def move(self):
        """To the other node; the address at the old one is gone."""
        self.node = 1 - self.node

    def allow(self, *emails):
        self.granted |= set(emails)

    def allowed(self, file, user):
        if self.restricted or file.private:
            return user in self.granted
        return user is not None or not self.login

    def place(self):
        return f"/{self.shelf}/items/{self.identifier}"

    def entries(self):
        """A restricted item has each file marked private but its own ones; one in the making has only its own ones."""
        for file in self.files.values():
            own = file.format in ("Metadata", "Archive BitTorrent", "Item Tile", "Item Image", "JPEG Thumb")
            if own or not self.unready:
                yield {**file.record(), **({"private": "true"} if self.restricted and not own else {})}

    def located(self):
        """archive.org/developers/md-record.html, location fields."""
        names = [node.host for node in self.archive.nodes]
        up = [name for name, node in zip(names, self.archive.nodes) if not node.down]
        where = {"created": self.archive.now, "d1": names[0], "d2": names[1], "dir": self.place(), "server": names[self.node]}
        return {**where, "workable_servers": up, **({} if len(up) == 2 else {"servers_unavailable": True})}

    def record(self):
        """tests/data/metadata/nasa.json; md-read.html for uniq and item_last_updated."""
        if self.error:
            return {"error": self.error}
        if self.dark:
            # 200 without metadata and files; tests/test_item.py test_download_dark_item for the name.
            return {**self.located(), "is_dark": True}
        files = list(self.entries())
        metadata = {**self.metadata, **self.collection_field()}
        if self.restricted:
            metadata["access-restricted-item"] = "true"
        record = {**self.located(), "files": files, "files_count": len(files), "item_last_updated": self.updated,
                  "item_size": sum(int(f.get("size", 0)) for f in files), "metadata": metadata, "reviews": [], "uniq": 496844391}
        if self.metadata["mediatype"] == "collection":
            record["is_collection"] = True
        return dict(sorted({**record, **self.extra}.items()))

    def collection_field(self):
        names = self.collections
        return {"collection": names[0] if len(names) == 1 else names} if names else {}

    def found(self):
        """What a search knows of it: tests/data/advanced_search_response.json (a list of collections, numbers, ISO times)."""
        people = [f"fav-{name}" for name, liked in self.archive.favorites.items() if self.identifier in liked]
        times = {n: self.metadata[n].replace(" ", "T") + "Z" for n in ("publicdate", "addeddate")
                 if isinstance(self.metadata.get(n), str)}
        single = {n: v[0] if isinstance(v, list) and len(v) == 1 else v for n, v in self.metadata.items()}
        return {**single, **times, "collection": self.collections + people, "downloads": 12, "files_count": len(self.files),
                "item_size": sum(len(f.content) for f in self.files.values()),
                "format": sorted({f.format for f in self.files.values()})}


class Query:
    """The Lucene-like language as far as listing needs it: field:value, quotes, brackets, AND, OR, NOT, -, *, [a TO b]."""

    TOKEN = re.compile(r'\s*(?:([()])|(-?[\w-]+):(?=\S)|"((?:[^"\\]|\\.)*)"|(\[[^\]]*\])|((?:\\.|[^\s()"\\])+))')

    def __init__(self, text):
        self.tokens, place, text = [], 0, text.strip()
        while place < len(text):
            match = self.TOKEN.match(text, place)
            if not match:
                raise Wrong("query could not be parsed")
            self.tokens.append(match.groups())
            place = match.end()
        self.test = self.either(None)
        if self.tokens:
            raise Wrong("query could not be parsed")

    def next_is(self, word):
        return bool(self.tokens) and word in (self.tokens[0][0], self.tokens[0][4])

    def either(self, field):
        tests = [self.all(field)]
        while self.next_is("OR"):
            self.tokens.pop(0)
            tests.append(self.all(field))
        return lambda doc: any(test(doc) for test in tests)

    def all(self, field):
        tests = [self.one(field)]
        while self.tokens and not self.next_is("OR") and not self.next_is(")"):
            if self.next_is("AND"):
                self.tokens.pop(0)
            tests.append(self.one(field))
        return lambda doc: all(test(doc) for test in tests)

    def one(self, field):
        if not self.tokens:
            raise Wrong("query could not be parsed")
        bracket, name, quoted, span, word = self.tokens.pop(0)
        if word == "NOT":
            inner = self.one(field)
            return lambda doc: not inner(doc)
        if name:
            inner = self.one(name.lstrip("-"))
            return (lambda doc: not inner(doc)) if name.startswith("-") else inner
        if bracket:
            inner = self.either(field)
            if not self.next_is(")"):
                raise Wrong("query could not be parsed")
            self.tokens.pop(0)
            return inner
        if span:
            low, _, high = span[1:-1].partition(" TO ")
            return lambda doc: any((low == "*" or v >= low) and (high == "*" or v[:len(high)] <= high)
                                   for v in values(doc, field))
        text = re.sub(r"\\(.)", r"\1", word if quoted is None else quoted)
        if field in EXACT:
            return lambda doc: any(fnmatch.fnmatchcase(v, re.sub(r"([\[?])", r"[\1]", text)) for v in values(doc, field))
        return lambda doc: any(text.lower() in v.lower() or text == "*" for v in values(doc, field))


def values(doc, field):
    found = [doc.get(field)] if field else [doc.get(n) for n in ("identifier", "title", "description", "creator", "subject")]
    return [str(v) for value in found if value is not None for v in (value if isinstance(value, list) else [value])]


class Server:
    """A port: the site, or a node. `base` is its address as others see it; `down` lets it close every connection."""

    def __init__(self, archive, name):
        self.archive, self.name, self.down = archive, name, False
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads, self.http.owner = True, self
        self.host = f"127.0.0.1:{self.http.server_port}"
        self.base = "http://" + self.host
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()


class Archive(StandIn):
    """The site and its nodes. What was asked is in `requests`; switches are set as attributes."""

    def __init__(self, case):
        self.now, self.lock, self.closing = 1732000000, threading.Lock(), threading.Event()
        self.items, self.people, self.keys, self.sessions, self.favorites, self.asked = {}, {}, {}, {}, {}, []
        # `trouble` says where status, html, half and delay apply: "site", "node", or None for everywhere.
        self.status, self.retry_after, self.html, self.half, self.delay, self.trouble = None, None, False, False, 0, None
        # Statuses of the next requests, one each, before all is well.
        self.statuses = []
        # Ends of decoded paths at the nodes, each with the bytes after which an answer breaks: an int for once, a list for more.
        self.break_after, self.expire_after = {}, {}
        # What isn't there: {} and [] were both seen. What one may not have: 403 mostly, 401 was seen for items that want a login.
        self.missing, self.refusal, self.login_status = {}, 403, 200
        # `end_early`: a scrape ends without a cursor before its total, as search.py of the client guards against.
        self.least, self.most, self.deepest, self.end_early = 100, 10000, 10000, False
        self.site, self.nodes = Server(self, "site"), [Server(self, "node"), Server(self, "node2")]
        case.addCleanup(self.stop)

    base = property(lambda self: self.site.base, lambda self, address: setattr(self.site, "base", address))

    def stop(self):
        self.closing.set()
        for server in (self.site, *self.nodes):
            server.http.shutdown()
            server.http.server_close()

    @property
    def requests(self):
        """What was asked so far, without bodies and secrets."""
        with self.lock:
            return list(self.asked)

    def item(self, identifier, title="An item", mediatype="movies", collection=("opensource_movies",), **metadata):
        """`metadata` goes out as given, also lists where text is usual. `collection` names the parents, and theirs if wanted."""
        self.items[identifier] = Item(self, identifier, title, mediatype, collection, metadata)
        return self.items[identifier]

    def collection(self, identifier, title="A collection", collection=("movies",), **metadata):
        """It doesn't name its members: they name it."""
        item = self.item(identifier, title, "collection", collection, **metadata)
        item.add(f"{identifier}_itemimage.jpg", b"\xff\xd8image", "Item Image")
        return item

    def vanish(self, identifier, listed=False):
        """The item is gone; `listed` keeps it in the searches."""
        item = self.items[identifier] if listed else self.items.pop(identifier)
        item.gone = True

    def user(self, address, password, screenname=None, state=None):
        """`state`: account_not_verified, account_locked or account_blocked."""
        self.people[address] = {"password": password, "screenname": screenname or address.split("@")[0], "state": state}

    def favorite(self, screenname, *identifiers):
        """In searches as a member of the collection fav-NAME."""
        self.favorites.setdefault(screenname, []).extend(identifiers)

    def keys_of(self, address):
        """The S3 keys, which stay the same from login to login; new ones where there are none."""
        with self.lock:
            for access, (secret, owner) in self.keys.items():
                if owner == address:
                    return access, secret
            access, secret = secrets.token_hex(8), secrets.token_hex(8)
            self.keys[access] = (secret, address)
            return access, secret

    def cookies_of(self, address):
        with self.lock:
            self.sessions[sig := f"{self.now}%20{secrets.token_hex(16)}"] = address
        return {"logged-in-user": urllib.parse.quote(address, safe=""), "logged-in-sig": sig}

    def expire(self, address, keys=True, cookies=True):
        """Keys last until they are replaced, cookies for about a year: jjjake/internetarchive#197."""
        with self.lock:
            if keys:
                self.keys = {a: (s, owner) for a, (s, owner) in self.keys.items() if owner != address}
            if cookies:
                self.sessions = {sig: owner for sig, owner in self.sessions.items() if owner != address}

    def user_of(self, request):
        """Who it is, and whether keys were wrong: Authorization: LOW access:secret (auth.py S3Auth), or the two cookies."""
        given = request.headers.get("Authorization", "")
        if given[:4].lower() == "low ":
            access, _, secret = given[4:].partition(":")
            owner = self.keys.get(access, (None, None))
            return (owner[1], False) if owner[0] == secret and secret else (None, True)
        jar = {p.partition("=")[0].strip(): p.partition("=")[2].strip() for p in request.headers.get("Cookie", "").split(";")}
        owner = self.sessions.get(jar.get("logged-in-sig"))
        return (owner if owner and urllib.parse.unquote(jar.get("logged-in-user", "")) == owner else None), False

    def answer(self, server, request):
        troubled = self.trouble in (None, "site" if server is self.site else "node")
        with self.lock:
            status = self.statuses.pop(0) if self.statuses and troubled else self.status if troubled else None
        if status:
            return self.refused(status)
        if self.html and troubled:
            return self.page(200, "Temporarily Offline", "Internet Archive services are temporarily offline.")
        if server is not self.site:
            return self.file(self.nodes.index(server), request)
        for start, handler in (("/metadata/", self.metadata), ("/download/", self.download),
                               ("/services/search/v1/scrape", self.scrape), ("/advancedsearch.php", self.advanced),
                               ("/services/xauthn/", self.xauthn),
                               ("/services/user.php", self.whoami), ("/embed/", self.embed)):
            if request.place.startswith(start):
                return handler(request)
        return self.page(200 if request.place.startswith("/details/") else 404, "Internet Archive", "A page.")

    def refused(self, status):
        """SlowDown in the form of tests/test_item.py test_upload_503; Retry-After with or without (HISTORY.rst 5.6.0)."""
        after = {} if self.retry_after is None else {"Retry-After": self.retry_after}
        if status == 503:
            body = ("<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>SlowDown</Code>"
                    "<Message>Please reduce your request rate.</Message><Resource/><RequestId>0</RequestId></Error>")
            return Answer(503, body.encode(), {"Content-Type": "application/xml", **after})
        return self.page(status, "Too Many Requests" if status == 429 else "Trouble", "Trouble.", after)

    @staticmethod
    def page(status, title, text, headers=None):
        """An HTML page with nginx's ETag, which error pages have too: internetarchive/iiif#100."""
        body = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1>{text}</body></html>".encode()
        return Answer(status, body, {"Content-Type": "text/html; charset=utf-8", "ETag": f'"67526a7b-{len(body):x}"',
                                     **(headers or {})})

    def unavailable(self, status):
        return self.page(status, "Item not available", "The item is not available due to issues with the item's content.")

    @staticmethod
    def json(value, status=200):
        body = json.dumps(value, separators=(",", ":")).encode()
        return Answer(status, body, {"Content-Type": "application/json", "Access-Control-Allow-Origin": "*"})

    def there(self, identifier):
        item = self.items.get(identifier)
        return None if item is None or getattr(item, "gone", False) else item

    def metadata(self, request):
        """archive.org/developers/md-read.html; parts of it too: /metadata/ID/files?start=&count=, /metadata/ID/metadata/title."""
        identifier, *parts = request.place.removeprefix("/metadata/").rstrip("/").split("/")
        item = self.there(identifier)
        value = item.record() if item else self.missing
        for part in parts:
            if isinstance(value, list) and part.isdigit() and int(part) < len(value):
                value = value[int(part)]
            elif isinstance(value, dict) and part in value:
                value = value[part]
            else:
                return self.json({"error": f"Couldn't locate part of the read path: {part}"})
        if isinstance(value, list) and {"start", "count"} & request.query.keys():
            first = int(request.query.get("start", 0))
            value = value[first:first + int(request.query.get("count", len(value)))]
        return self.json({"result": value} if parts else value)

    def download(self, request):
        """302 to the node that has it, whoever asks; the node refuses: internetarchive/iiif#100, internetarchive#197, #234."""
        identifier, _, name = request.place.removeprefix("/download/").partition("/")
        item = self.there(identifier)
        if not item:
            return self.page(404, "Item cannot be found.", "The item cannot be found.")
        if item.dark:
            return self.unavailable(403)
        if not name:
            links = "".join(f'<a href="{urllib.parse.quote(n)}">{html.escape(n)}</a>' for n in item.files)
            return self.page(200, f"{identifier} directory listing", links)
        place = f"{self.nodes[item.node].base}{item.place()}/{urllib.parse.quote(name)}"
        return Answer(302, b"", {"Location": place, "Content-Type": "text/html; charset=UTF-8",
                                 "Access-Control-Allow-Origin": "*"})

    def file(self, number, request):
        """A node: /N/items/ID/NAME. It is nginx: its ETag is time and size in hex, as iiif#100 shows."""
        match = re.fullmatch(r"(/\d+/items/([^/]+))/(.+)", request.place)
        item = match and self.there(match[2])
        if not item or item.node != number or item.place() != match[1] or match[3] not in item.files:
            return self.page(404, "404 Not Found", "Not found.")
        file, (user, _) = item.files[match[3]], self.user_of(request)
        if item.dark or not item.allowed(file, user):
            return self.unavailable(self.refusal)
        size, changed = len(file.content), email.utils.formatdate(file.modified, usegmt=True)
        headers = {"Content-Type": TYPES.get(file.name.rpartition(".")[2].lower(), "application/octet-stream"),
                   "Last-Modified": changed, "ETag": f'"{file.modified:x}-{size:x}"', "Accept-Ranges": "bytes"}
        media = (user, request.place)
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return Answer(304, b"", headers)
        heeded = request.headers.get("If-Range") in (None, headers["ETag"], changed)
        # Several ranges at once aren't imitated: they get the whole file.
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "") if heeded else None
        if not span or span[0] == "bytes=-":
            return Answer(200, file.content, headers, media)
        first = int(span[1]) if span[1] else max(0, size - int(span[2]))
        last = min(int(span[2]), size - 1) if span[1] and span[2] else size - 1
        if first > last:
            # tests/test_files.py test_range_not_satisfiable_fails_fast.
            return self.page(416, "416 Requested Range Not Satisfiable", "", {"Content-Range": f"bytes */{size}"})
        if last - first + 1 == size:
            # A range over the whole file is a 200: HISTORY.rst 5.10.0.
            return Answer(200, file.content, headers, media)
        return Answer(206, file.content[first:last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{size}"}, media)

    def hits(self, request):
        """Sorted by identifier where nothing else is asked; what isn't listed or has noindex isn't found."""
        if self.user_of(request)[1]:
            # search.py _handle_scrape_error looks for both words.
            raise Wrong("Invalid access key or secret")
        if not request.query.get("q", "").strip():
            raise Wrong("missing required parameter q")
        test = Query(request.query["q"]).test
        docs = [i.found() for i in self.items.values() if i.listed and "noindex" not in i.metadata]
        return sorted((doc for doc in docs if test(doc)), key=lambda doc: doc["identifier"])

    @staticmethod
    def ordered(docs, sorts):
        for sort in reversed(sorts):
            name, _, way = sort.strip().partition(" ")
            docs = sorted(docs, key=lambda doc: str(doc.get(name, "")), reverse=way.startswith("desc"))
        return docs

    def scrape(self, request):
        """archive.org/help/aboutsearch.htm; GET, or POST with the parameters in the address as search.py _scrape does."""
        query = request.query
        try:
            docs, count = self.hits(request), int(query.get("count", query.get("size", 5000)))
            sorts = [s for s in query.get("sorts", "").split(",") if s]
            if "identifier" in [s.split()[0] for s in sorts[:-1]]:
                raise Wrong("identifier must be the last sort field")
            if count < self.least:
                raise Wrong(f"count '{count}' is too small (min count={self.least})")
            if count > self.most:
                raise Wrong(f"count '{count}' is too large (max count={self.most})")
            if query.get("total_only") == "true":
                return self.json({"items": [], "count": 0, "total": len(docs)})
            docs = self.ordered(docs, sorts)
            names = [doc["identifier"] for doc in docs]
            first = self.after(query["cursor"], names, bool(sorts)) if "cursor" in query else 0
        except Wrong as wrong:
            return self.json({"error": str(wrong)}, 400)
        page = docs[first:first + count]
        value = {"items": [self.only(doc, query.get("fields", "identifier").split(",")) for doc in page], "count": len(page)}
        # A full page has a cursor, even where nothing follows: tests/data/scrape_response.json (count 100, total 100, a cursor).
        if len(page) == count and not self.end_early:
            value["cursor"] = base64.b64encode(json.dumps([{"identifier": names[first + count - 1]}]).encode()).decode()
        return self.json({**value, "total": len(docs)})

    @staticmethod
    def after(cursor, names, sorted_otherwise):
        try:
            last = json.loads(base64.b64decode(cursor, validate=True))[0]["identifier"]
            return names.index(last) + 1 if sorted_otherwise else bisect.bisect_right(names, last)
        except (ValueError, LookupError, TypeError):
            raise Wrong("invalid cursor") from None

    @staticmethod
    def only(doc, fields):
        """Fields that an item lacks aren't there; the identifier always is."""
        return {name: doc[name] for name in dict.fromkeys([*fields, "identifier"]) if name in doc}

    def advanced(self, request):
        """tests/data/advanced_search_response.json; fl[] or fl[0] as search.py _advanced_search; a page without output=json."""
        query = request.query
        if query.get("output") != "json":
            return self.page(200, "Internet Archive: Advanced Search", "A form.")
        rows, page = int(query.get("rows", 50)), max(1, int(query.get("page", 1)))
        fields = [v for n, v in request.fields if re.match(r"fl(\[\d*\])?$", n) and v]
        sorts = [v for n, v in request.fields if re.match(r"sort(\[\d*\])?$", n) and v]
        try:
            docs = self.ordered(self.hits(request), sorts)
            if rows * page > self.deepest:
                # With status 200, as measured in 2026-09; archive.org/help/aboutsearch.htm for the limit.
                raise Wrong("[DEEP_PAGING] Requested results would exceed the deep paging limit")
        except Wrong as wrong:
            return self.json({"error": str(wrong)})
        first = rows * (page - 1)
        shown = [self.only(d, fields or list(d)) for d in docs[first:first + rows]]
        about = {"query": query["q"], "qin": query["q"], "fields": ",".join(fields), "wt": "json", "rows": str(rows),
                 "start": first}
        return self.json({"responseHeader": {"status": 0, "QTime": 16, "params": about},
                          "response": {"numFound": len(docs), "start": first, "docs": shown}})

    def xauthn(self, request):
        """config.py get_auth_config and tests/test_config.py; reasons also in internetarchive/openlibrary accounts/model.py."""
        if request.query.get("op") == "info":
            user, _ = self.user_of(request)
            known = {"success": True, "values": self.named(user), "version": 1} if user else None
            return self.json(known or self.failed("invalid_s3keys"))
        if request.query.get("op") not in ("login", "authenticate") or request.command != "POST":
            return self.json({"success": False, "error": "unknown operation", "version": 1}, 400)
        address = request.form.get("email", "").strip().lower()
        person = self.people.get(address)
        reason = "account_not_found" if not person else person["state"] or (
            "account_bad_password" if person["password"] != request.form.get("password") else None)
        if reason:
            return self.json(self.failed(reason), self.login_status)
        access, secret = self.keys_of(address)
        # The values carry what Set-Cookie would: session.py cuts them at the first semicolon.
        ends = email.utils.formatdate(time.time() + 31536000, usegmt=True)
        tail = f"; expires={ends}; Max-Age=31536000; path=/; domain=.archive.org"
        cookies = {name: value + tail for name, value in self.cookies_of(address).items()}
        return self.json({"success": True, "version": 1, "values": {
            "cookies": cookies, **self.named(address), "s3": {"access": access, "secret": secret}}})

    @staticmethod
    def failed(reason):
        return {"success": False, "values": {"reason": reason}, "version": 1}

    def named(self, address):
        name = self.people[address]["screenname"]
        return {"email": address, "itemname": f"@{name}", "screenname": name}

    def whoami(self, request):
        """session.py whoami, cli/ia_configure.py --check."""
        user, _ = self.user_of(request)
        return self.json({"success": True, "value": {"username": user}} if user else {"success": False, "error": "not logged in"})

    def embed(self, request):
        """The player's page: yt-dlp's archiveorg.py _playlist_data. Only here it is said whose subtitles are whose."""
        item = self.there(request.place.removeprefix("/embed/").partition("/")[0])
        if not item or item.dark:
            return self.unavailable(404)
        tracks = [{"file": f"/download/{item.identifier}/{urllib.parse.quote(f.name)}", "kind": "subtitles",
                   "of": f.more.get("original"), "label": f.name.split(".")[-2]}
                  for f in item.files.values() if f.name.endswith((".srt", ".vtt"))]
        shown = [{"title": f.more.get("title", f.name), "orig": f.name, "tracks": [
            {n: v for n, v in t.items() if n != "of"} for t in tracks if t["of"] == f.name]}
            for f in item.files.values() if f.source == "original" and "length" in f.more]
        return self.page(200, "Player", f'<play-av playlist="{html.escape(json.dumps(shown))}"></play-av>')


class Handler(Connection):
    """One connection, to the site or to a node."""

    server_version, sys_version = "nginx/1.24.0", ""

    def do(self):
        server = self.server.owner
        archive = server.archive
        if server.down:
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, query = self.path.partition("?")
        self.place, self.range = urllib.parse.unquote(path), self.headers.get("Range")
        self.fields = urllib.parse.parse_qsl(query, True)
        self.query, self.form = dict(self.fields), self.formed(body)
        if archive.trouble in (None, "site" if server is archive.site else "node"):
            archive.closing.wait(archive.delay)
        answer = archive.answer(server, self)
        shown = re.sub(r"((?:^|&)(?:access|secret|password|email)=)[^&]*", r"\1X", query)
        with archive.lock:
            archive.asked.append(Asked(self.command, path, shown, answer.status, self.range, server.name,
                                       archive.user_of(self)[0], self.headers.get("User-Agent")))
        self.send(server, answer)

    do_GET = do_POST = do_HEAD = do

    def formed(self, body):
        """A form, or JSON as other clients of xauthn send it."""
        if "json" in self.headers.get("Content-Type", ""):
            try:
                return dict(json.loads(body))
            except ValueError:
                return {}
        return dict(urllib.parse.parse_qsl(body, True))

    def send(self, server, answer):
        body, headers = answer.body, dict(answer.headers)
        whole = server is server.archive.site and self.place.startswith("/metadata/") and answer.status == 200
        if whole and "gzip" in self.headers.get("Accept-Encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        # Metadata comes in chunks and compressed where asked: md-read.html, services/docs/api/metadata.html.
        if whole:
            self.send_header("Transfer-Encoding", "chunked")
        elif answer.status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        archive = server.archive
        troubled = archive.trouble in (None, "site" if server is archive.site else "node")
        count, ends = archive.breaks(answer._replace(body=body), answer.media and answer.media[1], archive.half and troubled)
        if ends:
            archive.expire(answer.media[0])
        part, ended = body[:count], b"0\r\n\r\n" if count == len(body) else b""
        part = b"%x\r\n%s\r\n%s" % (len(part), part, ended) if whole and part else part
        self.write(part, len(part))
        if count < len(body):
            self.close_connection = True
