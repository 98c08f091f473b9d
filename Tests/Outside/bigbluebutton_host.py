"""A stand-in of a BigBlueButton server, or of a Scalelite before several: the signed API and the recordings' files.

Sources are in bigbluebutton/bigbluebutton (2.6-3.0) where no other repository is named: rap = record-and-playback, web =
bbb-common-web/src/main, sl = blindsidenetworks/scalelite (7498a81), player = bigbluebutton/bbb-playback (5.1.3).
"""

import base64
import collections
import email.utils
import hashlib
import hmac
import html
import http.cookies
import http.server
import json
import re
import secrets
import threading
import time
import urllib.parse

from stand_in import Connection, StandIn

# web ParamsProcessorUtil.isChecksumSame; sl api_helper.rb has no SHA-384.
LENGTHS = {40: "sha1", 64: "sha256", 96: "sha384", 128: "sha512"}
# nginx's own mime.types: no text/vtt. Behind Scalelite, Rails names the types: actionpack mime_types.rb.
TYPES = {"mp4": "video/mp4", "m4v": "video/x-m4v", "webm": "video/webm", "ogg": "audio/ogg", "xml": "text/xml",
         "html": "text/html", "svg": "image/svg+xml", "json": "application/json", "png": "image/png", "pdf": "application/pdf"}
RAILS_TYPES = {**TYPES, "m4v": "video/mp4", "xml": "application/xml; charset=utf-8", "html": "text/html; charset=utf-8",
               "json": "application/json; charset=utf-8", "vtt": "text/vtt; charset=utf-8"}
INTERNAL = ("isBreakout", "meetingId", "meetingName")
PLAYER = "/playback/presentation/2.3"
CHECKSUM_ERROR = ("checksumError", "You did not pass the checksum security check")

Asked = collections.namedtuple("Asked", "method path query status range")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
File = collections.namedtuple("File", "content modified")


def el(name, content, text=True, **attributes):
    """An element of XML; `content` is text, or XML with text=False."""
    shown = "".join(f' {n}="{html.escape(str(v))}"' for n, v in attributes.items())
    return f"<{name}{shown}>{html.escape(str(content), False) if text else content}</{name}>"


def ids(value, again=False):
    """web ParamsProcessorUtil.decodeIds: decoded once more than the query; Java's split drops empty parts at the end."""
    parts = (urllib.parse.unquote_plus(value) if again else value).split(",")
    while parts and not parts[-1]:
        parts.pop()
    return parts


class Format:
    """One playback of a recording: a folder of files, and its metadata.xml."""

    def __init__(self, recording, kind, link, **more):
        self.recording, self.kind, self.link = recording, kind, link
        self.files, self.slides, self.processing_time = {}, [], more.get("processing_time", 0)
        # rap video/scripts/process/video.rb writes neither <meeting> nor another state than this; screenshare.rb has <meeting>.
        self.has_meeting, self.state = kind != "video", "available" if kind in ("video", "screenshare") else "published"

    def store(self, path, content, modified=None):
        """A file of this playback; a second time it replaces the first."""
        content = content.encode() if isinstance(content, str) else content
        self.files[path] = File(content, modified or self.recording.end // 1000 + 600)
        return self

    @property
    def preview(self):
        """rap presentation/scripts/publish/presentation.rb: three slides at most come from get_presentation_for_preview."""
        return [(alt, f"/presentation/{self.recording.id}/presentation/{self.recording.slides_id}/thumbnails/thumb-{n}.png")
                for n, alt in enumerate(self.slides[:3], 1)]

    def shown_state(self):
        return self.state if self.recording.state == "published" else self.recording.state

    def metadata(self, base):
        """metadata.xml as core/lib/recordandplayback.rb and the publish scripts leave it."""
        r = self.recording
        if r.state in ("processing", "processed"):
            return None
        images = "".join(el("image", base + path, width=176, height=136, alt=alt) for alt, path in self.preview)
        images = el("extensions", el("preview", el("images", images, False), False), False) if images else ""
        meeting = f'<meeting id="{r.id}" externalId="{html.escape(r.meeting)}" name="{html.escape(r.name)}" breakout="false"/>'
        size = r.host.bytes_of(self)
        playback = el("format", self.kind) + el("link", base + self.link) + (
            el("processing_time", self.processing_time) if self.kind == "presentation" else "") + el("duration", r.duration)
        return "\n".join([
            '<?xml version="1.0"?>', "<recording>", el("id", r.id), el("state", self.shown_state()),
            el("published", str(r.state == "published").lower()), el("start_time", r.start), el("end_time", r.end),
            el("participants", r.participants), meeting if self.has_meeting else "",
            el("playback", playback + images + el("size", size), False),
            el("meta", "".join(el(n, v) for n, v in r.meta.items()), False), el("raw_size", 3 * size), "</recording>\n"])


class Recording:
    """One recording; its id is the SHA-1 of the meeting's id and the time of its creation: web MeetingService.java."""

    def __init__(self, host, meeting, name, start, minutes, **more):
        self.host, self.meeting, self.name, self.start = host, meeting, name, start
        self.id = f"{hashlib.sha1(meeting.encode()).hexdigest()}-{start}"
        self.duration = round(60000 * minutes)
        self.end, self.participants = start + self.duration + 95000, more.get("participants", 3)
        # processing, processed, published, unpublished or deleted.
        self.state, self.protected = more.get("state", "published"), more.get("protected", False)
        self.meta = {"isBreakout": "false", "meetingName": name, "meetingId": meeting, **more.get("meta", {})}
        self.slides_id = f"{hashlib.sha1(b'default.pdf').hexdigest()}-{start + 9}"
        self.formats = []

    def add(self, kind, link, **more):
        self.formats.append(Format(self, kind, link.format(self.id), **more))
        return self.formats[-1]

    def captioned(self, playback, captions):
        """player webcams/index.js: captions.json lists locale and localeName of each caption_LOCALE.vtt; always there."""
        named = [{"locale": locale, "localeName": name} for locale, (name, _) in captions.items()]
        playback.store("captions.json", json.dumps(named))
        for locale, (_, text) in captions.items():
            playback.store(f"caption_{locale}.vtt", text)
        return playback

    def presentation(self, webcams=None, deskshare=None, audio=None, captions=None, slides=("Welcome to", "Optics & <Light>")):
        """`webcams` and `deskshare` are {"webm": bytes, "mp4": bytes}; without webcams there may be `audio`, webm and ogg."""
        playback = self.add("presentation", PLAYER + "/{}", processing_time=7177)
        playback.slides = list(slides)
        for name, files in (("video/webcams", webcams), ("deskshare/deskshare", deskshare), ("audio/audio", audio)):
            for extension, content in (files or {}).items():
                playback.store(f"{name}.{extension}", content)
        end, images = self.duration / 1000, []
        for n, text in enumerate(slides, 1):
            folder, step = f"presentation/{self.slides_id}", end / len(slides)
            playback.store(f"{folder}/slide-{n}.png", b"\x89PNG\r\n\x1a\n" + bytes([n]))
            playback.store(f"{folder}/thumbnails/thumb-{n}.png", b"\x89PNG\r\n\x1a\nthumb" + bytes([n]))
            images.append(f'<image id="image{n}" class="slide" in="{(n - 1) * step:.1f}" out="{n * step:.1f}" '
                          f'xlink:href="{folder}/slide-{n}.png" width="1600" height="900" x="0" y="0"/>')
        playback.store("shapes.svg", '<?xml version="1.0"?>\n<svg id="svgfile" xmlns="http://www.w3.org/2000/svg" '
                       f'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 800 600">{"".join(images)}</svg>\n')
        playback.store("presentation_text.json", json.dumps({self.slides_id: {f"slide-{n}": t for n, t in enumerate(slides, 1)}}))
        shared = f'<event start_timestamp="0.0" stop_timestamp="{end}" video_width="1280" video_height="720"/>'
        shared = el("recording", shared if deskshare else "", False, id="deskshare_events")
        playback.store("deskshare.xml", f'<?xml version="1.0" encoding="UTF-8"?>\n{shared}\n')
        return self.captioned(playback, captions or {})

    def video(self, *videos, captions=None, kind="video", link="/playback/video/{}/"):
        """Each of `videos` is (extension, bytes); m4v is the usual one: rap video/playback/video/index.html.erb."""
        playback, captions = self.add(kind, link), captions or {}
        types = {"webm": "video/webm", "m4v": "video/mp4", "mp4": "video/mp4"}
        tags = [f'<source src="{kind}-{n}.{extension}" type="{types[extension]}">' for n, (extension, _) in enumerate(videos)]
        tags += [f'<track kind="captions" label="{html.escape(name)}" src="caption_{locale}.vtt" srclang="{locale}">'
                 for locale, (name, _) in captions.items()]
        for n, (extension, content) in enumerate(videos):
            playback.store(f"{kind}-{n}.{extension}", content)
        title = html.escape(self.name)
        playback.store("index.html", f'<!DOCTYPE html>\n<html><head><meta charset="UTF-8"><title>{title}</title></head>'
                       f'<body><video id="video" class="video-js" controls>{"".join(tags)}</video></body></html>\n')
        return self.captioned(playback, captions)

    def screenshare(self, *videos, captions=None):
        """rap screenshare/scripts/process/screenshare.rb."""
        return self.video(*videos, captions=captions, kind="screenshare", link="/recording/screenshare/{}/")

    def podcast(self, content):
        return self.add("podcast", "/podcast/{}/audio.ogg").store("audio.ogg", content)

    def notes(self, content):
        return self.add("notes", "/notes/{}/notes.pdf").store("notes.pdf", content)


class BigBlueButton(StandIn):
    """A server at a free port; `flavor` is bbb or scalelite. Switches are set as attributes."""

    def __init__(self, case, secret="639259d4-9dd8-4b25-bf01-95f9567eaf4b", flavor="bbb"):
        self.flavor, self.secrets, self.recordings, self.asked = flavor, [secret], [], []
        self.algorithms = {"sha1", "sha256", "sha512"} | ({"sha384"} if flavor == "bbb" else set())
        # PROTECTED_RECORDINGS_ENABLED, …_TOKEN_TIMEOUT, …_TIMEOUT: sl config/application.rb.
        self.protecting, self.token_minutes, self.cookie_minutes = flavor == "scalelite", 60, 360
        # The real cookie is Secure; Rails sends it to who came by https.
        self.secure_cookies = True
        # allowFetchAllRecordings of BBB 2.6, the opposite of GET_RECORDINGS_API_FILTERED of Scalelite.
        self.fetch_all = True
        # totalElements at the root; "nested" as in 2.6 and before #21644 and #24132, which counts formats; None before 2.6.
        self.paging = "root"
        # rawSize and size in getRecordings, as some servers have them: pull request 6351, issue 15255.
        self.sizes = False
        self.ahead, self.tokens, self.key, self.refused = 0, {}, secrets.token_hex(32), set()
        self.status, self.retry_after, self.html, self.half, self.delay = None, None, False, False, 0
        # Ends of files' paths, each with the bytes after which the connection closes: an int for once, a list for several times.
        self.break_after, self.expire_after = {}, {}
        self.lock, self.closing = threading.RLock(), threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.host = True, self
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop)

    def stop(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def api(self):
        return self.base + "/bigbluebutton/api"

    @property
    def requests(self):
        """What was asked so far, without checksums and tokens."""
        with self.lock:
            return list(self.asked)

    def recording(self, meeting, name, start=1732000000000, minutes=90, **more):
        """More: state, protected, meta={}, participants."""
        self.recordings.append(Recording(self, meeting, name, start, minutes, **more))
        return self.recordings[-1]

    def remove(self, recording):
        with self.lock:
            self.recordings.remove(recording)

    def expire(self, what="all"):
        """Ends links ("tokens"), what links opened ("cookies"), or both."""
        with self.lock:
            if what in ("tokens", "all"):
                self.tokens.clear()
            if what in ("cookies", "all"):
                self.key = secrets.token_hex(32)

    def now(self):
        """The server's clock; `ahead` puts it forward."""
        return time.time() + self.ahead

    def answer(self, request):
        if self.status:
            return self.page(self.status, {"Retry-After": self.retry_after} if self.retry_after is not None else {})
        if self.html:
            return Answer(200, b"<!DOCTYPE html>\n<html><head><title>Maintenance</title></head></html>", {
                "Content-Type": "text/html"})
        match = re.fullmatch(r"/bigbluebutton/api(?:/(\w*))?", request.place)
        if match:
            return self.called(request, match[1] or "")
        if request.command not in ("GET", "HEAD"):
            return self.page(405)
        return self.at_place(request, request.place)

    # ---- the API

    def xml(self, body, declared=False):
        """web: text/xml and no declaration; Scalelite: application/xml, which render(xml: builder) declares."""
        rails = self.flavor == "scalelite"
        declared = '<?xml version="1.0"?>\n' if declared and rails else ""
        return Answer(200, (declared + el("response", body, False)).encode(), {
            "Content-Type": "application/xml; charset=utf-8" if rails else "text/xml;charset=utf-8"})

    def failed(self, key, message):
        return self.xml(el("returncode", "FAILED") + el("messageKey", key) + el("message", message), True)

    def called(self, request, action):
        if not action:
            # ApiController.groovy index, sl bigbluebutton_api_controller.rb index; no checksum is asked for.
            more = el("apiVersion", "2.0") + el("bbbVersion", "") if self.flavor == "bbb" else ""
            return self.xml(el("returncode", "SUCCESS") + el("version", "2.0") + more, True)
        if action not in ("getRecordings", "getMeetings"):
            return self.failed("unsupportedRequest", "This request is not supported.")
        if not self.signed(action, request):
            return self.failed(*CHECKSUM_ERROR)
        if action == "getMeetings":
            return self.xml(el("returncode", "SUCCESS") + "<meetings/>" + el("messageKey", "noMeetings") + el(
                "message", "no meetings were found on this server"), True)
        return getattr(self, self.flavor + "_recordings")(request.form)

    def signed(self, action, request):
        """web ParamsProcessorUtil.isChecksumSame: over the query as it came, without its checksum wherever that stands."""
        given, query = request.form.get("checksum", ""), request.query
        for part in ("&checksum=" + given, "checksum=" + given + "&", "checksum=" + given):
            query = query.replace(part, "")
        algorithm = LENGTHS.get(len(given))
        if algorithm not in self.algorithms:
            return False
        # Scalelite compares as it stands, BigBlueButton accepts capitals.
        given = given if self.flavor == "scalelite" else given.lower()
        return any(hashlib.new(algorithm, (action + query + secret).encode()).hexdigest() == given for secret in self.secrets)

    def bbb_recordings(self, form):
        """RecordingController.groovy getRecordingsHandler, web RecordingServiceFileImpl.java: a recordID lets the meetingID be
        ignored, a meetingID is the prefix SHA-1(meetingID) of record ids, and each folder of a format is one entry."""
        wanted = ids(form.get("recordID", ""), True)
        wanted = wanted or [hashlib.sha1(m.encode()).hexdigest() for m in ids(form.get("meetingID", ""), True)]
        limited = self.paging and re.fullmatch(r"[+-]?\d+", form.get("limit", ""))
        if not wanted and not limited and not self.fetch_all:
            return self.xml(el("returncode", "SUCCESS") + el("messageKey", "noRecordings") + el(
                "message", "No recordings found. This may occur if you attempt to retrieve all recordings."))
        entries = self.folders(ids(form.get("state", ""), True))
        wanted = wanted or list(dict.fromkeys(f.recording.id for f in entries))
        # processMetaParam: names in lower case; recordingMatchesMetadata: % at either end stands for anything.
        metas = {n[5:].lower(): v for n, v in form.items() if re.fullmatch(r"meta_[a-zA-Z][a-zA-Z0-9-]*", n)}
        entries = [f for prefix in wanted for f in entries if f.recording.id.startswith(prefix) and all(
            self.matches(f.recording.meta.get(n) if f.recording.state != "processing" else None, v) for n, v in metas.items())]
        total = ""
        if limited:
            entries, total = self.paged(entries, form)
        merged = {}
        for f in entries:
            merged.setdefault(f.recording.id, []).append(f)
        if not merged:
            return self.no_recordings("There are no recordings for the meeting(s).", total)
        listed = "\n".join(self.bbb_recording(formats) for formats in merged.values())
        return self.xml(f'\n{el("returncode", "SUCCESS")}\n{el("recordings", listed, False)}\n{total}')

    def no_recordings(self, message, more=""):
        return self.xml(f'\n{el("returncode", "SUCCESS")}\n<recordings></recordings>\n{el("messageKey", "noRecordings")}\n'
                        f'{el("message", message)}\n{more}')

    def folders(self, states):
        """getAllDirectories: processing and processed are one folder, which `any` reads twice; deleted is another."""
        states = states or ["published", "unpublished"]
        found = []
        for name in ("published", "unpublished", "deleted", "processing", "processed"):
            if name in states or "any" in states:
                same = ("processing", "processed") if name.startswith("process") else (name,)
                found += [f for r in self.recordings if r.state in same for f in r.formats or [Format(r, "unknown", "unknown")]]
        return found

    @staticmethod
    def matches(value, wanted):
        if value is None or not wanted:
            return False
        pattern = ".*" * wanted.startswith("%") + re.escape(wanted.strip("%")) + ".*" * wanted.endswith("%")
        return bool(re.fullmatch(pattern, value, re.S))

    def paged(self, entries, form):
        """MeetingService.java: offset 0 and more, limit 1 to 100; XmlServiceImpl.java constructPaginatedResponse."""
        if self.paging == "root":
            # RecordingServiceFileImpl.java drops entries whose id was seen: of each recording's formats the first is left.
            entries = list({f.recording.id: f for f in reversed(entries)}.values())[::-1]
        offset = max(0, int(form["offset"])) if re.fullmatch(r"[+-]?\d+", form.get("offset", "")) else 0
        limit, total = min(100, max(1, int(form["limit"]))), len(entries)
        page = entries[offset:offset + limit]
        # Spring's PageImpl has the first page in mind, and corrects the total of a page that isn't full.
        total = len(page) if page and limit > total else total
        total = el("totalElements", total)
        return page, total if self.paging == "root" else el("pagination", total, False)

    def bbb_recording(self, formats):
        """web/scala/org/bigbluebutton/api2/domain/Recording.scala: the first folder's metadata.xml, all folders' playbacks."""
        first, r = formats[0], formats[0].recording
        raw = r.state == "processing"
        # An attribute's text is escaped by Scala, and once more as an element's: issue 10956.
        twice = html.escape if first.has_meeting and not raw else str
        meeting, name = (r.id, "unknown") if raw else (r.meeting if first.has_meeting else r.id, r.name)
        fields = el("recordID", r.id) + el("meetingID", twice(meeting)) + (
            el("internalMeetingID", r.id) if first.has_meeting and not raw else "")
        fields += el("name", twice(name)) + el("isBreakout", "false")
        fields += el("published", str(r.state == "published").lower()) + el("state", first.shown_state())
        fields += el("startTime", 0 if raw else r.start) + el("endTime", 0 if raw else r.end)
        fields += el("participants", 0 if raw else r.participants)
        fields += el("rawSize", 3 * self.bytes_of(*formats)) if self.sizes else ""
        fields += el("metadata", "" if raw else "".join(el(n, v) for n, v in r.meta.items()), False)
        return el("recording", fields + el("playback", "".join(map(self.bbb_format, formats)), False), False)

    @staticmethod
    def bytes_of(*formats):
        return sum(len(file.content) for playback in formats for file in playback.files.values())

    def bbb_format(self, playback):
        """toFormatXml: `unknown` for the empty <playback/> of what is being processed; minutes are cut off, not rounded."""
        r = playback.recording
        if r.state.startswith("process"):
            return el("format", el("type", "unknown") + el("url", "unknown") + el("processingTime", 0) + el("length", 0), False)
        images = "".join(el("image", self.base + path, width=176, height=136, alt=alt) for alt, path in playback.preview)
        return el("format", el("type", playback.kind) + el("url", self.base + playback.link) + el(
            "processingTime", playback.processing_time) + el("length", r.duration // 60000) + (
                el("size", self.bytes_of(playback)) if self.sizes else "") + (
                el("preview", el("images", images, False), False) if images else ""), False)

    def known(self, form):
        """What Scalelite has: both ids count; nothing that is being processed, as it isn't imported yet."""
        meetings, prefixes = ids(form.get("meetingID", "")), ids(form.get("recordID", ""))
        states = ids(form.get("state", "")) or ["published", "unpublished"]
        return [r for r in self.recordings if not r.state.startswith("process") and ("any" in states or r.state in states)
                and (not meetings or r.meeting in meetings) and (not prefixes or any(r.id.startswith(p) for p in prefixes))]

    def scalelite_recordings(self, form):
        """sl bigbluebutton_api_controller.rb: newest first, offset and limit aren't known, one of several metas is enough."""
        if not self.fetch_all and not form.get("recordID") and not form.get("meetingID"):
            return self.failed("missingParameters", "param meetingID or recordID must be included.")
        metas = {n[5:]: v.split(",") for n, v in form.items() if n.startswith("meta_")}
        found = [r for r in self.known(form) if not metas or any(
            n not in INTERNAL and r.meta.get(n) in values for n, values in metas.items())]
        if not found:
            return self.no_recordings("There are not recordings for the meetings")
        listed = "\n".join(self.scalelite_recording(r) for r in sorted(found, key=lambda r: -r.start))
        return self.xml(f'\n  {el("returncode", "SUCCESS")}\n  {el("recordings", listed, False)}\n')

    def scalelite_recording(self, r):
        """sl app/views/bigbluebutton_api/get_recordings.xml.builder; a deleted one has neither metadata nor formats any more."""
        kept = r.state != "deleted"
        fields = el("recordID", r.id) + el("meetingID", r.meeting) + el("internalMeetingID", r.id) + el("name", r.name)
        fields += el("published", str(r.state == "published").lower())
        fields += el("protected", str(r.protected).lower()) if self.protecting else ""
        fields += el("state", r.state) + el("startTime", r.start) + el("endTime", r.end) + el("participants", r.participants)
        metas = "".join(el(n, v) if v.strip() else f"<{n}><![CDATA[]]></{n}>" for n, v in r.meta.items() if n not in INTERNAL)
        formats = "\n".join(map(self.scalelite_format, sorted(r.formats, key=lambda f: f.kind)))
        return el("recording", fields + el("metadata", metas if kept else "", False) + el(
            "playback", formats if kept else "", False), False)

    def scalelite_format(self, playback):
        r, images = playback.recording, ""
        url = playback.link
        if r.protected:
            url = f"/recording/{r.id}/{playback.kind}?token={self.new_token(r.id, playback.kind)}"
        elif playback.preview:
            images = "".join(el("image", self.base + path, alt=alt, width=176, height=136) for alt, path in playback.preview)
            images = el("preview", el("images", images, False), False)
        taken = el("processingTime", playback.processing_time) if playback.processing_time else ""
        return el("format", el("type", playback.kind) + el("url", self.base + url) + el(
            "length", round(r.duration / 60000)) + taken + images, False)

    # ---- links that are good once, and cookies

    def new_token(self, record, kind):
        """sl app/models/playback_format.rb create_protector_token."""
        token = secrets.token_hex(32)
        with self.lock:
            self.tokens[token] = (record, kind, self.now() + 60 * self.token_minutes)
        return token

    def cookie(self, subject, expires):
        """sl playback_controller.rb create_cookie: a JWT with sub and exp, HS256."""
        parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
                 for part in ({"alg": "HS256"}, {"sub": subject, "exp": int(expires)})]
        digest = hmac.digest(self.key.encode(), ".".join(parts).encode(), "sha256")
        return ".".join([*parts, base64.urlsafe_b64encode(digest).rstrip(b"=").decode()])

    def admits(self, request, name, subject):
        given = request.cookies.get(name)
        try:
            body = given.split(".")[1]
            expires = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["exp"]
            return given not in self.refused and given == self.cookie(subject, expires) and self.now() < expires
        except (AttributeError, IndexError, KeyError, ValueError):
            return False

    def set_cookie(self, record, kind):
        """For the browser's session, and for one format's files only."""
        value = self.cookie(f"/{kind}/{record}", self.now() + 60 * self.cookie_minutes)
        # Two of one second are equal; the newer one is good again.
        self.refused.discard(value)
        secure = "; Secure" * self.secure_cookies
        return f"recording_{kind}_{record}={value}; path=/{kind}/{record}{secure}; HttpOnly; SameSite=None"

    def play(self, request, record, kind):
        """sl playback_controller.rb play: the token is spent even if it is another recording's, and by a HEAD too."""
        playback = self.playback(kind, record)
        if not playback:
            return self.not_found()
        headers = {"Location": self.base + playback.link}
        if playback.recording.protected:
            with self.lock:
                owner = self.tokens.pop(request.form.get("token", ""), (None, None, 0))
            if owner[:2] != (record, kind) or owner[2] < self.now():
                return self.not_found()
            headers["Set-Cookie"] = self.set_cookie(record, kind)
        body = f'<html><body>You are being <a href="{headers["Location"]}">redirected</a>.</body></html>'
        return Answer(307, body.encode(), {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache", **headers})

    # ---- pages and files

    def page(self, status, headers=None):
        """What nginx says itself."""
        titles = {416: "Requested Range Not Satisfiable", 405: "Not Allowed", 429: "Too Many Requests"}
        title = f"{status} {titles.get(status) or http.HTTPStatus(status).phrase}"
        body = (f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n"
                "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n")
        return Answer(status, body.encode(), {"Content-Type": "text/html", **(headers or {})})

    def not_found(self):
        """sl app/views/errors/recording_not_found.html.erb."""
        if self.flavor == "bbb":
            return self.page(404)
        body = (b'<!DOCTYPE html>\n<html lang="en">\n<body>\n<h1>Recording Not Found</h1>\n<h3>The recording URL is invalid. '
                b"This recording may have been either protected or deleted.</h3>\n</body>\n</html>\n")
        return Answer(404, body, {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"})

    def playback(self, kind, record):
        """Of a published recording; any other's files aren't below the folder that is served."""
        published = [r for r in self.recordings if r.id == record and r.state == "published"]
        return next((f for r in published for f in r.formats if f.kind == kind), None)

    def at_place(self, request, place):
        if place == "/playback/presentation/2.0/playback.html":
            # rap presentation/scripts/presentation.nginx.
            record = request.form.get("meetingId", "")
            return self.page(301, {"Location": f"{self.base}{PLAYER}/{record}?{request.query}"})
        if place.startswith(PLAYER):
            # bbb-playback: playback.nginx, try_files: a page of JavaScript for any id, also for one that isn't there.
            return Answer(200, b'<!doctype html><html lang="en"><head><title>BigBlueButton - Playback</title></head><body>'
                          b'<div id="root"></div></body></html>', {"Content-Type": "text/html"})
        return getattr(self, self.flavor + "_place")(request, place)

    def bbb_place(self, request, place):
        """rap */scripts/*.nginx: a video's files are below the address of its page, a presentation's are not."""
        match = re.fullmatch(r"/(?:(?P<a>presentation|podcast|notes)|playback/(?P<b>video)|recording/(?P<c>screenshare))"
                             r"/(?P<id>[^/]+)(?P<rest>/.*)?", place)
        return self.sent(request, match["a"] or match["b"] or match["c"], match["id"], match["rest"]) if match else self.page(404)

    def scalelite_place(self, request, place):
        """sl nginx/playback/*.nginx and config/routes.rb: what no route knows is an XML error with 200."""
        for start, kind in (("/playback/video/", "video"), ("/recording/screenshare/", "screenshare")):
            if place.startswith(start):
                return self.page(307, {"Location": f"{self.base}/{kind}/{urllib.parse.quote(place.removeprefix(start))}"})
        if match := re.fullmatch(r"/recording/([^/]+)/([^/]+)", place):
            return self.play(request, match[1], match[2])
        match = re.fullmatch(r"/(presentation|video|screenshare|podcast|notes|capture)/([^/]+)(/.*)?", place)
        if not match:
            return self.failed("unsupportedRequest", "This request is not supported.")
        playback = self.playback(match[1], match[2])
        name = f"recording_{match[1]}_{match[2]}"
        if not playback or (self.protecting and playback.recording.protected and not self.admits(
                request, name, f"/{match[1]}/{match[2]}")):
            return self.not_found()
        return self.sent(request, *match.groups(), name)

    def sent(self, request, kind, record, rest, cookie=None):
        playback = self.playback(kind, record)
        if not playback:
            return self.not_found()
        if not rest:
            return self.page(301, {"Location": self.base + urllib.parse.quote(request.place) + "/"})
        path = rest[1:] if not rest.endswith("/") else rest[1:] + "index.html"
        file = playback.files.get(path)
        if path == "metadata.xml" and not file:
            file = File(playback.metadata(self.base).encode(), playback.recording.end // 1000 + 600)
        if not file:
            folder = any(name.startswith(rest[1:].rstrip("/") + "/") for name in playback.files) or rest == "/"
            if folder:
                return self.page(403) if rest.endswith("/") else self.page(301, {
                    "Location": self.base + urllib.parse.quote(request.place) + "/"})
            return self.page(404)
        return self.file_sent(request, kind, path, file, request.cookies.get(cookie) if cookie else None)

    def file_sent(self, request, kind, path, file, cookie):
        """nginx 1.22, asked with curl: 206 has no Accept-Ranges; a range in bytes that can't be read is 416."""
        size, types = len(file.content), RAILS_TYPES if self.flavor == "scalelite" else TYPES
        etag, date = f'"{file.modified:x}-{size:x}"', email.utils.formatdate(file.modified, usegmt=True)
        kind_of_file = types.get(path.rpartition(".")[2], "application/octet-stream")
        common = {"Content-Type": kind_of_file, "Last-Modified": date, "ETag": etag}
        if self.flavor == "scalelite" and kind in ("podcast", "notes", "capture"):
            common["Content-Disposition"] = "attachment"
        asked, media = request.headers.get, (request.place, cookie)
        if asked("If-Match") not in (None, "*", etag):
            return self.page(412)
        held = asked("If-None-Match")
        if (held == "*" or etag in held) if held else asked("If-Modified-Since") == date:
            return Answer(304, b"", {"Last-Modified": date, "ETag": etag})
        ranged = request.range if (request.range or "").startswith("bytes=") and asked("If-Range") in (None, etag, date) else None
        # Several ranges at once aren't imitated: they get the whole file.
        if not ranged or "," in ranged:
            return Answer(200, file.content, {**common, "Accept-Ranges": "bytes"}, media)
        match = re.fullmatch(r"bytes=\s*(\d*)\s*-\s*(\d*)\s*", ranged)
        if not match or not (match[1] or match[2]):
            return self.page(416, {"Content-Range": f"bytes */{size}"})
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if last < first:
            return self.page(416, {"Content-Range": f"bytes */{size}"})
        return Answer(206, file.content[first:last + 1], {**common, "Content-Range": f"bytes {first}-{last}/{size}"}, media)


class Handler(Connection):
    """One connection."""

    server_version, sys_version = "nginx", ""

    def do(self):
        host = self.server.host
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, self.query = self.path.partition("?")
        fields = urllib.parse.parse_qsl(self.query, True)
        if "x-www-form-urlencoded" in self.headers.get("Content-Type", ""):
            fields += urllib.parse.parse_qsl(body, True)
        self.form, self.range = dict(fields), self.headers.get("Range")
        self.place = re.sub("/{2,}", "/", urllib.parse.unquote(path))
        self.cookies = {n: c.value for n, c in http.cookies.SimpleCookie(self.headers.get("Cookie", "")).items()}
        host.closing.wait(host.delay)
        with host.lock:
            answer = host.answer(self)
            shown = re.sub(r"\b(checksum|token)=[^&]*", r"\1=X", self.query)
            host.asked.append(Asked(self.command, path, shown, answer.status, self.range))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = do

    def cut(self, answer):
        host = self.server.host
        count, ends = host.breaks(answer, answer.media and answer.media[0])
        if ends and answer.media[1]:
            with host.lock:
                host.refused.add(answer.media[1])
        return count
