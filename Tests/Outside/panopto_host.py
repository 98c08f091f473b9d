"""A stand-in of a Panopto site: OAuth2, REST, the web player's own requests, and media on a second origin.

Panopto's source is closed. [api] is its own Swagger file (api-evangelist/panopto: openapi/), [sample] its own clients
(Panopto/panopto-api-python-examples), [yt-dlp] yt_dlp/extractor/panopto.py, [log] the answer in Panopto-Video-DL-browser issue 2,
[seen] what public clients met (MediaCMS' migration, qcanvas, FastStream and others), [guess] isn't confirmed anywhere."""

import base64
import collections
import datetime
import email.utils
import hashlib
import html
import http.server
import json
import re
import secrets
import threading
import time
import urllib.parse
import uuid

from stand_in import Connection, StandIn

NOBODY = "00000000-0000-0000-0000-000000000000"
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NO_URLS = dict.fromkeys(("ViewerUrl", "EmbedUrl", "ShareSettingsUrl", "DownloadUrl", "AudioDescriptionDownloadUrl",
                         "CaptionDownloadUrl", "EditorUrl", "ThumbnailUrl"))
BANNER = "[Auto-generated transcript. Edits may have been applied for clarity.]"

Asked = collections.namedtuple("Asked", "method path query status range origin credentials")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
File = collections.namedtuple("File", "content kind stream")


def guid():
    return str(uuid.uuid4())


def iso(moment):
    stamp = moment and datetime.datetime.fromtimestamp(moment, datetime.timezone.utc)
    return stamp and stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def net_json(value):
    """The player's services write slashes as \\/ [log]; the REST API doesn't."""
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/").encode()


def clock(seconds):
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},{thousandths:03}"


class Stream:
    """One stream of a recording. `segments` is a list of bytes, or {(bandwidth, resolution): [bytes, …]}; `content` is an mp4.
    `window` is (start, end) within the recording of what is shown [log: RelativeSegments]; without `url` there is no address."""

    def __init__(self, tag=None, content=None, segments=None, init=None, sound=True, start=0.0, window=None, url=True, name=None):
        self.tag, self.content, self.init, self.sound, self.start = tag, content, init, sound, start
        self.window, self.url, self.name, self.id, self.file_id = window, url, name, guid(), guid()
        self.kind = "hls" if content is None else "mp4"
        self.variants = segments if isinstance(segments, dict) else {(1052412, "1280x720"): segments or []}

    def path(self):
        """[log], [seen]: OBJECT and SCREEN are named by their tag, the others by the delivery and the encoding."""
        plain = self.tag not in ("OBJECT", "SCREEN")
        name = f"{self.video.id}-{self.file_id}" if plain else f"{self.file_id}.{self.tag.lower()}"
        return f"/sessions/{self.video.file_id}/{name}.{'hls/master.m3u8' if self.kind == 'hls' else 'mp4'}"

    def files(self):
        """[yt-dlp], [seen]: master.m3u8, then NUMBER/index.m3u8 with relative names."""
        if self.kind == "mp4":
            yield self.path(), self.content, "video/mp4"
            return
        folder, master, end = self.path().removesuffix("master.m3u8"), "#EXTM3U\n#EXT-X-VERSION:4\n", "m4s" if self.init else "ts"
        for (bandwidth, resolution), segments in self.variants.items():
            place, codecs = f"{bandwidth // 5}/", "avc1.4d401f,mp4a.40.2" if self.sound else "avc1.4d401f"
            size = f",RESOLUTION={resolution}" if resolution else ""
            codecs = codecs if resolution else "mp4a.40.2"
            master += f'#EXT-X-STREAM-INF:BANDWIDTH={bandwidth}{size},CODECS="{codecs}"\n{place}index.m3u8\n'
            index = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            if self.init:
                index += '#EXT-X-MAP:URI="init.mp4"\n'
                yield folder + place + "init.mp4", self.init, "video/mp4"
            for number, segment in enumerate(segments):
                index += f"#EXTINF:6.000000,\n{number:05}.{end}\n"
                yield folder + place + f"{number:05}.{end}", segment, "video/iso.segment" if self.init else "video/MP2T"
            yield folder + place + "index.m3u8", (index + "#EXT-X-ENDLIST\n").encode(), "application/x-mpegURL"
        yield self.path(), master.encode(), "application/x-mpegURL"

    def listed(self, invocation):
        """[log]: an entry of Streams and PodcastStreams. The address carries what isn't checked."""
        site, hls = self.video.site, self.kind == "hls"
        query = {"InvocationID": invocation, "tid": NOBODY, "StreamID": self.id,
                 "ServerName": urllib.parse.urlsplit(site.base).hostname}
        shown = self.window and [{"Offset": None, "RelativeStart": 0, "Start": self.window[0], "End": self.window[1],
                                  "StreamPublicID": self.id}]
        begins = site.windows_time(self.video.started or 0) + self.start
        return {"AbsoluteEnd": begins + (self.video.duration or 0), "AbsoluteStart": begins, "BroadcastType": 0,
                "EditMediaFileType": 11, "EditMediaFileTypeLegacy": None, "EditMediaFileTypeName": "hls", "Interrupted": False,
                "Name": self.name, "PublicID": self.id, "RelativeEnd": self.start + (self.video.duration or 0),
                "RelativeSegments": shown, "RelativeStart": self.start, "SourceMediaFileType": 3, "StreamFileId": self.id,
                "StreamHttpUrl": None, "StreamType": 1 if self.tag == "DV" else 2,
                "StreamTypeName": "Archival" if self.tag == "DV" else "Streaming",
                "StreamUrl": site.cdn_address(self, query) if self.url else None, "Tag": self.tag, "VRType": 0,
                "ViewerMediaFileType": 11 if hls else 3, "ViewerMediaFileTypeName": "hls" if hls else "mp4"}


class Video:
    """A recording. `captions` is {language number: [(start, length, text), …]}; `podcast` is bytes (an mp4), a Stream or None."""

    def __init__(self, folder, name, podcast=None, streams=(), duration=60.0, captions=None, description=None, started=None,
                 chapters=(), users=None, public=False, downloadable=True, ready=True, live=False, gone=False,
                 restricted=False, audio=None, available_languages=True, session_id=None, id=None):
        self.folder, self.site, self.name, self.duration, self.captions = folder, folder.site, name, duration, captions or {}
        self.description, self.chapters, self.users = description, chapters, users
        self.public, self.audio = public, audio
        # A row of GetSessions has a DeliveryID, which is the id everywhere, and a SessionID, which isn't always the same [seen].
        self.id, self.file_id, self.session_id = id or guid(), guid(), session_id or guid()
        self.downloadable, self.ready, self.live, self.gone, self.restricted = downloadable, ready, live, gone, restricted
        self.available_languages, self.created = available_languages, time.time()
        self.started = self.created if started is None else started
        podcast = Stream(content=podcast, name=f"{name}.mp4") if isinstance(podcast, bytes) else podcast
        self.podcast, self.streams = podcast, list(streams)
        self.encode()

    def encode(self):
        """Puts the files on the second origin, under new names; those of before are refused."""
        for stream in (*self.streams, *([self.podcast] if self.podcast else [])):
            stream.video = self
            with self.site.lock:
                for path in [p for p, file in self.site.files.items() if file.stream is stream]:
                    del self.site.files[path]
                stream.file_id = guid()
                self.site.files.update({path: File(content, kind, stream) for path, content, kind in stream.files()})

    def open_to(self, user):
        return self.public or (user in self.users if self.users is not None else self.folder.open_to(user))

    def page(self, name="Viewer"):
        return f"{self.site.base}/Panopto/Pages/{name}.aspx?id={self.id}"

    def rest(self, whole):
        """[api]: of the addresses, a listing has ViewerUrl only, and of CreatedBy an empty one; values may be null [seen]."""
        urls, base = {**NO_URLS, "ViewerUrl": self.page()}, self.site.base + "/Panopto"
        if whole:
            urls |= {"EmbedUrl": self.page("Embed"), "ThumbnailUrl": f"{base}/Services/FrameGrabber.svc/FrameRedirect?objectId="
                     f"{self.id}&mode=Delivery"}
            if self.downloadable and self.podcast and self.ready:
                urls["DownloadUrl"] = f"{base}/Podcast/Download/{self.id}.mp4?mediaTargetType=videoPodcast"
            if self.captions:
                urls["CaptionDownloadUrl"] = f"{base}/Pages/Transcription/GenerateSRT.ashx?id={self.id}"
        by = {"Id": self.site.owner, "Username": "ada"} if whole else {"Id": NOBODY, "Username": None}
        return {"Folder": self.folder.id, "Id": self.id, "Name": self.name, "Description": self.description,
                "StartTime": iso(self.started), "Duration": self.duration if self.ready else None, "MostRecentViewPosition": 0.0,
                "CreatedBy": by, "Urls": urls, "FolderDetails": {"Id": self.folder.id, "Name": self.folder.name},
                "Context": None, "PercentCompleted": None}

    def row(self):
        """[yt-dlp], [seen]: a row of GetSessions; its texts are HTML."""
        return {"Abstract": self.description and html.escape(self.description),
                "DeliveryID": self.id, "SessionID": self.session_id,
                "SessionName": html.escape(self.name), "FolderID": self.folder.id, "FolderName": html.escape(self.folder.name),
                "Duration": self.duration if self.ready else None, "StartTime": f"/Date({round((self.started or 0) * 1000)})/",
                "HasCaptions": bool(self.captions), "IosVideoUrl": None, "IsBroadcast": self.live, "ViewerUrl": self.page(),
                "EmbedUrl": None, "ThumbUrl": f"/Panopto/Services/FrameGrabber.svc/FrameRedirect?objectId={self.id}"}

    def delivery(self):
        """[log], [yt-dlp], [seen]: DeliveryInfo. Its texts are HTML, its times count from 1601."""
        invocation, ready = guid(), self.ready
        points = [{"Caption": html.escape(text), "Time": at, "Duration": length, "EventTargetType": "Primary", "ID": n,
                   "ObjectIdentifier": None, "ObjectSequenceNumber": n, "SessionID": self.session_id}
                  for n, (at, length, text) in enumerate(self.chapters)]
        languages = list(self.captions) if self.available_languages else []
        delivery = {
            "AvailableLanguages": languages,
            "AvailableCaptions": [{"Language": n, "ShowDisclaimer": False} for n in languages], "AverageRating": 0,
            "BroadcastType": 0, "Contributors": [{"Bio": None, "DisplayName": "Ada", "UserKey": "ada"}],
            "Duration": self.duration if ready else 0, "EventTargets": [], "HasCaptions": bool(self.captions),
            "Identifier": "default", "IsActiveBroadcast": self.live, "IsBroadcast": self.live,
            "IsPodcastEncodeComplete": ready and bool(self.podcast),
            "IsPrimaryAudioOnly": False, "IsStarted": True, "IsViewerEncodeComplete": ready, "OwnerDisplayName": "Ada",
            "OwnerId": self.site.owner, "PodcastStreams": (
                [self.podcast.listed(invocation)] if ready and self.podcast and self.site.podcast_streams else []),
            "PublicID": self.id, "SessionAbstract": self.description and html.escape(self.description),
            "SessionGroupLongName": html.escape(self.folder.name), "SessionGroupPublicID": self.folder.id,
            "SessionGroupShortName": None, "SessionName": html.escape(self.name), "SessionPublicID": self.session_id,
            "SessionStartTime": self.site.windows_time(self.started or 0),
            "Streams": [s.listed(invocation) for s in self.streams] if ready else [], "Tags": [], "Timestamps": points}
        return {"AllowPublicNotes": False, "Delivery": delivery, "DownloadUrl": None, "EmbedUrl": self.page("Embed"),
                "InvocationId": invocation, "SessionId": self.session_id, "SessionRole": 1}

    def lines(self, language):
        """[seen] FastStream: Duration is 0, the length is in CaptionDuration; html stays."""
        return [{"Caption": text, "Time": at, "Duration": 0, "CaptionDuration": length, "EventTargetType": None, "ID": n}
                for n, (at, length, text) in enumerate(self.captions.get(language, ()))]

    def srt(self, language):
        """[seen]: a BOM and a banner in the first line of speech; nothing at all in a language that isn't there."""
        cues = [f"{n}\r\n{clock(at)} --> {clock(at + length)}\r\n{BANNER + chr(13) + chr(10) if n == 1 else ''}{text}\r\n"
                for n, (at, length, text) in enumerate(self.captions.get(language, ()), 1)]
        return ("\ufeff" + "\r\n".join(cues)).encode() if cues else b""


class Folder:
    """A folder. `playlists` are names of what GetSessions lists beside recordings."""

    def __init__(self, site, name, parent=None, users=(), public=False, description=None, id=None):
        self.site, self.name, self.parent, self.users, self.public = site, name, parent, set(users), public
        self.description, self.id, self.videos, self.playlists = description, id or guid(), [], []
        # Listed, and gone as soon as it is asked for; the status that it answers while it is listed.
        self.gone, self.refused = False, None

    def folder(self, name, users=None, **more):
        return self.site.folder(name, parent=self, users=self.users if users is None else users, **more)

    def video(self, name, *args, **more):
        self.videos.append(Video(self, name, *args, **more))
        return self.videos[-1]

    def open_to(self, user):
        return self.public or user in self.users

    def rest(self):
        base = f"{self.site.base}/Panopto/Pages"
        return {"Id": self.id, "Name": self.name, "Description": self.description,
                "ParentFolder": self.parent and {"Id": self.parent.id, "Name": self.parent.name},
                "Urls": {"FolderUrl": f"{base}/Sessions/List.aspx?folderID={self.id}", "ShareSettingsUrl": None,
                         "EmbedUrl": f"{base}/EmbeddedList.aspx?embedded=1&folderID={self.id}"}}


class Panopto(StandIn):
    """The site `base` and the origin of the media `cdn`."""

    def __init__(self, case, name="Panopto", page_size=50):
        self.name, self.page_size, self.max_results, self.owner = name, page_size, 250, guid()
        self.people, self.clients, self.folders, self.files, self.tickets = {}, {}, [], {}, {}
        self.lock, self.closing, self.asked, self.logins = threading.Lock(), threading.Event(), [], []
        # Trouble.
        self.status = self.retry_after = None
        self.html = self.half = False
        self.delay, self.break_after, self.expire_after = 0, {}, {}
        # What sites differ in.
        self.token_life, self.refresh_once, self.legacy_limit, self.legacy_retry_after = 3600, True, None, None
        self.api_takes_cookies = self.childless = self.feeds = self.csrf = self.signed = False
        self.redirects, self.download_login, self.anonymous, self.unavailable_code = True, 403, "public", 1
        # Whether the player is told of the podcast; without it only the download has it [guess].
        self.podcast_streams = True
        self.servers = [self.serve("web"), self.serve("cdn")]
        self.base, self.cdn = (f"http://127.0.0.1:{server.server_port}" for server in self.servers)
        case.addCleanup(self.stop)

    def serve(self, origin):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.site, server.origin = True, self, origin
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server

    def stop(self):
        self.closing.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    @property
    def requests(self):
        with self.lock:
            return list(self.asked)

    @staticmethod
    def windows_time(moment):
        return moment + 11644473600

    # What a test sets up.

    def person(self, name, password="secret"):
        self.people[name] = password

    def client(self, id=None, secret="s3/cr+et=", grants=("password",), redirect="http://localhost:9127/redirect"):
        """A "User Based Server Application" has password, a "Server-side Web Application" authorization_code [sample]."""
        id = id or guid()
        self.clients[id] = secret, (*grants, "refresh_token"), redirect
        return id, secret

    def folder(self, name, **more):
        self.folders.append(Folder(self, name, **more))
        return self.folders[-1]

    def ticket(self, kind, user, life=None, **more):
        value = secrets.token_hex(24) if kind != "cookie" else secrets.token_hex(80).upper()
        with self.lock:
            self.tickets[value] = {"kind": kind, "user": user, "ends": time.time() + life if life else None, **more}
        return value

    def cookie(self, name):
        """The line of a browser that is logged in."""
        return f".ASPXAUTH={self.ticket('cookie', name)}; csrfToken={urllib.parse.quote(self.csrf_of(name), safe='')}"

    def code(self, client, name, scope="openid api offline_access", redirect=None, challenge=None):
        """The code that a browser comes back with."""
        return self.ticket("code", name, 300, client=client, scope=scope, redirect=redirect or self.clients[client][2],
                           challenge=challenge)

    def expire(self, *kinds, user=None):
        """Ends what was given out so far: "access", "refresh", "cookie", "code"; without names access and cookie."""
        with self.lock:
            for value in [v for v, t in self.tickets.items() if t["kind"] in (kinds or ("access", "cookie"))
                          and user in (None, t["user"])]:
                del self.tickets[value]

    def csrf_of(self, name):
        return base64.b64encode(hashlib.sha256(f"{self.owner}{name}".encode()).digest()).decode()

    def holder(self, kind, value):
        with self.lock:
            ticket = self.tickets.get(value)
            if ticket and ticket["ends"] and ticket["ends"] < time.time():
                ticket = self.tickets.pop(value) and None
        return ticket if ticket and ticket["kind"] == kind else None

    # Answers.

    def answer(self, request):
        if self.status:
            later = {} if self.retry_after is None else {"Retry-After": self.retry_after}
            return self.page(self.status, "Service error", later)
        if request.origin == "cdn":
            return self.from_cdn(request)
        # The paths of IIS don't heed case: clients ask for legacyLogin and legacylogin [seen].
        place = request.place.lower()
        for pattern, handler, is_json in self.ROUTES:
            if match := re.fullmatch("/panopto" + pattern, place):
                return self.page(200, "Something is wrong") if self.html and is_json else handler(self, request, *match.groups())
        return self.page(404, "The resource cannot be found.")

    def page(self, status, text, headers=None):
        body = f"<!DOCTYPE html>\r\n<html><head><title>{self.name}</title></head><body>{text}</body></html>"
        return Answer(status, body.encode(), {"Content-Type": "text/html; charset=utf-8", **(headers or {})})

    def login_page(self, request=None):
        return self.page(200, '<form method="post" action="./Login.aspx" id="loginForm"><input name="ctl00$username">'
                         '<input type="password" name="ctl00$password"></form>')

    def to_login(self, request):
        back = urllib.parse.quote(self.base + request.path, safe="")
        return self.page(302, "Object moved", {"Location": f"{self.base}/Panopto/Pages/Auth/Login.aspx?ReturnUrl={back}"})

    def viewer(self, request, *_):
        """[seen] jstrieb/panopto-download: 302 to the login."""
        video = self.videos().get(request.form.get("id", "").lower())
        if not request.user and not (video and video.open_to(None)):
            return self.to_login(request)
        return self.page(200, "Panopto is loading")

    @staticmethod
    def json(value, status=200, body=None, **headers):
        body = json.dumps(value, separators=(",", ":")).encode() if body is None else body
        return Answer(status, body, {"Content-Type": "application/json; charset=utf-8", **headers})

    def videos(self):
        return {v.id: v for f in self.folders for v in f.videos}

    def found_folder(self, id):
        return next((f for f in self.folders if f.id == id), None)

    def children(self, parent, user):
        return [f for f in self.folders if f.parent is parent and f.open_to(user)]

    # OAuth2, with the errors of IdentityServer.

    def token(self, request):
        """[sample], [seen] MediaCMS: 400 with `error`, and with `error_description` for a wrong password only [guess]."""
        if request.command != "POST":
            return self.page(405, "Method not allowed")
        form, (id, secret) = request.form, self.client_of(request)
        if id not in self.clients or self.clients[id][0] not in (secret, urllib.parse.unquote(secret)):
            return self.json({"error": "invalid_client"}, 400)
        grant = form.get("grant_type")
        if grant not in ("password", "authorization_code", "refresh_token", "client_credentials"):
            return self.json({"error": "unsupported_grant_type"}, 400)
        if grant not in self.clients[id][1]:
            return self.json({"error": "unauthorized_client"}, 400)
        scope = form.get("scope", "").split()
        if grant == "password":
            if not scope or set(scope) - {"api", "openid", "offline_access", "profile"}:
                return self.json({"error": "invalid_scope"}, 400)
            user = form.get("username", "")
            if not form.get("password") or self.people.get(user) != form["password"]:
                return self.json({"error": "invalid_grant", "error_description": "invalid_username_or_password"}, 400)
            return self.granted(id, user, scope)
        name = "code" if grant == "authorization_code" else "refresh_token"
        ticket = self.holder(name.partition("_")[0], form.get(name, ""))
        if not ticket or ticket["client"] != id or (name == "code" and not self.code_fits(ticket, form)):
            return self.json({"error": "invalid_grant"}, 400)
        if name == "code" or self.refresh_once:
            with self.lock:
                self.tickets.pop(form[name], None)
        kept = None if name == "code" or self.refresh_once else form[name]
        return self.granted(id, ticket["user"], ticket["scope"].split(), kept)

    @staticmethod
    def code_fits(ticket, form):
        digest = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        return form.get("redirect_uri") == ticket["redirect"] and ticket["challenge"] in (None, digest)

    @staticmethod
    def client_of(request):
        """By basic auth, or in the body [sample]."""
        kind, _, value = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "basic":
            return request.form.get("client_id", ""), request.form.get("client_secret", "")
        try:
            return base64.b64decode(value).decode().split(":", 1)
        except ValueError:
            return "", ""

    def granted(self, client, user, scope, refresh=None):
        """Only with offline_access there is a refresh token [sample: README]."""
        value = {"access_token": self.ticket("access", user, self.token_life), "expires_in": self.token_life,
                 "token_type": "Bearer"}
        if "offline_access" in scope:
            value["refresh_token"] = refresh or self.ticket("refresh", user, client=client, scope=" ".join(scope))
        return self.json({**value, "scope": " ".join(scope)}, **{"Cache-Control": "no-store", "Pragma": "no-cache"})

    def authorize(self, request):
        """A browser that is logged in comes back at once; another sees the login."""
        form, client = request.form, request.form.get("client_id")
        known = client in self.clients and form.get("redirect_uri") == self.clients[client][2]
        if not known or form.get("response_type") != "code":
            return self.page(400, "unauthorized_client")
        if not request.user:
            return self.to_login(request)
        query = {"code": self.code(client, request.user, form.get("scope", ""), challenge=form.get("code_challenge"))}
        query |= {"state": form["state"]} if "state" in form else {}
        return self.page(302, "Object moved", {"Location": f"{form['redirect_uri']}?{urllib.parse.urlencode(query)}"})

    def legacy_login(self, request):
        """[api]; 200 without a body, two cookies, .ASPXAUTH first [seen]; 429 when it is asked for often [seen] MediaCMS."""
        user = self.bearer(request)
        if not user:
            return self.unauthorized()
        with self.lock:
            self.logins = [at for at in self.logins if at > time.time() - 60] + [time.time()]
            many = self.legacy_limit is not None and len(self.logins) > self.legacy_limit
        if many:
            return self.api_error(429, "TooManyRequests", "Too many requests", {} if self.legacy_retry_after is None else {
                "Retry-After": self.legacy_retry_after})
        csrf = urllib.parse.quote(self.csrf_of(user), safe="")
        ticket = self.ticket("cookie", user)
        return Answer(200, b"", {"Set-Cookie": [f".ASPXAUTH={ticket}; path=/; HttpOnly", f"csrfToken={csrf}; path=/"]})

    # REST.

    def bearer(self, request):
        kind, _, value = request.headers.get("Authorization", "").partition(" ")
        ticket = self.holder("access", value) if kind.lower() == "bearer" else None
        return ticket["user"] if ticket else request.user if self.api_takes_cookies else None

    @staticmethod
    def unauthorized():
        """[api]: 401 and 403 have no body; the header is a [guess]."""
        return Answer(401, b"", {"WWW-Authenticate": "Bearer"})

    def api_error(self, status, code, message, headers=None):
        """[api]: APIError."""
        error = {"Success": False, "ErrorCode": code, "Message": message, "ErrorSource": guid()}
        return self.json({"Error": error}, status, **(headers or {}))

    def api(self, request, what, id, part, search):
        user = self.bearer(request)
        if not user:
            return self.unauthorized()
        words = request.form.get("searchQuery", "").lower().split()
        if (id == "search" or search) and not words:
            return self.api_error(400, "InvalidArgument", "searchQuery is required")
        if id in ("search", "creator"):
            items = [] if id == "creator" else [f for f in self.folders if f.open_to(user)] if what == "folders" else [
                v for f in self.folders for v in f.videos if v.open_to(user)]
            return self.listing(request, self.matching(items, words))
        if not GUID.fullmatch(id):
            return self.api_error(400, "InvalidArgument", "The request is invalid.")
        if what == "sessions":
            return self.api_session(self.videos().get(id), user)
        if id == NOBODY and part == "children":
            return self.listing(request, self.children(None, user))
        folder = self.found_folder(id)
        if folder and folder.gone:
            self.folders.remove(folder)
        if not folder or folder.gone or folder.refused == 404:
            return self.api_error(404, "NotFound", "The requested folder was not found")
        if not folder.open_to(user) or folder.refused:
            return Answer(403, b"", {})
        if not part:
            return self.json(folder.rest())
        items = folder.videos if part == "sessions" else [] if self.childless else self.children(folder, user)
        items = [v for v in items if v.open_to(user)]
        return self.listing(request, self.matching(items, words) if search else items)

    def api_session(self, video, user):
        if not video or video.gone:
            return self.api_error(404, "NotFound", "The requested session was not found")
        return Answer(403, b"", {}) if video.restricted or not video.open_to(user) else self.json(video.rest(True))

    @staticmethod
    def matching(items, words):
        """Beginnings of words; * is all [seen] MediaCMS."""
        return [i for i in items if all(w == "*" or any(n.startswith(w) for n in i.name.lower().split()) for w in words)]

    def listing(self, request, items):
        """[api], [sample]: pages from 0, the last one is empty; the size of a page can't be chosen [seen], no total, no link."""
        form, fields = request.form, ("Name", "CreatedDate", "Relevance")
        number = form.get("pageNumber", "0")
        order = form.get("sortOrder", "Asc")
        if form.get("sortField", "Name") not in fields or order not in ("Asc", "Desc") or not number.isdigit():
            return self.api_error(400, "InvalidArgument", "The request is invalid.")
        by_date = form.get("sortField") == "CreatedDate"
        items = sorted(items, key=lambda i: i.created if by_date and isinstance(i, Video) else i.name, reverse=order == "Desc")
        items = items[int(number) * self.page_size:][:self.page_size]
        return self.json({"Results": [i.rest(False) if isinstance(i, Video) else i.rest() for i in items]})

    # What the site's own pages ask.

    def service(self, request, function):
        """[yt-dlp], [seen]: without a login only what is public is listed, as if the rest weren't there."""
        if request.command != "POST":
            return self.page(405, "Method not allowed")
        try:
            asked = json.loads(request.body)
            parameters = asked.get("queryParameters", asked)
        except (ValueError, AttributeError):
            return self.page(400, "The server encountered an error processing the request.")
        if self.csrf and request.user and request.headers.get("X-CSRF-Token") != self.csrf_of(request.user):
            return self.page(403, "Forbidden")
        if not request.user and self.anonymous != "public":
            refused = {"ErrorCode": 2, "ErrorMessage": "Please log in."}
            if self.anonymous == "error":
                refused = {"ErrorCode": 7, "ErrorMessage": "An <b>error</b> occurred."}
            if self.anonymous in ("code", "error"):
                return self.json(None, body=net_json({"d": refused}))
            return {"page": self.login_page, 401: self.unauthorized}[self.anonymous]()
        id = parameters.get("folderID")
        folder = self.found_folder(str(id).lower())
        folder = folder if folder and folder.open_to(request.user) else None
        value = self.sessions(request.user, parameters, folder, id) if function == "getsessions" else folder and {
            "ID": folder.id, "Name": html.escape(folder.name), "SessionCount": len(folder.videos)}
        return self.json(None, body=net_json({"d": value}))

    def sessions(self, user, asked, folder, id):
        """Recordings of a folder, without those of the folders in it; `folderID` null is everywhere."""
        folders = ([folder] if folder else []) if id else self.folders
        items = [v for f in folders for v in f.videos if v.open_to(user)]
        items = self.matching(items, (asked.get("query") or "").lower().split())
        items.sort(key=(lambda v: v.started or 0) if asked.get("sortColumn") == 1 else lambda v: v.name,
                   reverse=not asked.get("sortAscending"))
        rows = [v.row() for v in items]
        if asked.get("includePlaylists"):
            viewer = f"{self.base}/Panopto/Pages/Viewer.aspx?pid="
            rows += [{"DeliveryID": None, "SessionID": None, "SessionName": html.escape(name), "FolderID": f.id, "Duration": None,
                      "ViewerUrl": viewer + guid()} for f in folders if f.open_to(user) for name in f.playlists]
        size = min(int(asked.get("maxResults") or 25), self.max_results)
        first = int(asked.get("page") or 0) * size
        # Without a login the folders in it aren't listed [seen].
        inside = self.children(folder, user) if folder and user and str(asked.get("getFolderData")).lower() == "true" else []
        return {"Results": rows[first:first + size], "TotalNumber": len(rows),
                "Subfolders": [{"ID": f.id, "Name": html.escape(f.name)} for f in inside]}

    def web_folders(self, request):
        """[seen] qcanvas: GET Api/Folders?parentId=&folderSet=1&page=; a plain array."""
        parent = request.form.get("parentId", "null").lower()
        parent = None if parent == "null" else self.found_folder(parent) or self
        items = self.children(parent, request.user) if request.user else []
        first = int(request.form.get("page") or 0) * 25
        return self.json([{"Id": f.id, "Name": f.name, "SessionCount": len(f.videos)} for f in items[first:first + 25]])

    def delivery_info(self, request):
        form = request.form
        if form.get("responseType") != "json":
            return Answer(200, b'<?xml version="1.0"?><Delivery/>', {"Content-Type": "text/xml; charset=utf-8"})
        video, user, error = self.videos().get(form.get("deliveryId", "").lower()), request.user, None
        if not user and not (video and video.open_to(None)):
            error = {"ErrorCode": 2, "ErrorMessage": "Please log in to view this session."}
        elif not video or video.gone or video.restricted or not video.open_to(user):
            # What isn't there and what one may not see are told apart by nothing; the message has tags [seen].
            error = {"ErrorCode": self.unavailable_code, "ErrorMessage": "This session isn't available. It may have been deleted."
                     "<br><a href='/Panopto/Pages/Sessions/List.aspx'>See other videos</a>"}
        captions = form.get("getCaptions", "").lower() == "true"
        number = form.get("language", "0")
        value = error or (video.lines(int(number) if number.isdigit() else 0) if captions else video.delivery())
        return self.json(None, body=net_json(value))

    def captions(self, request):
        """[seen]: without a login a page with 200; `language` is a number, without it the first one is sent."""
        video = self.videos().get(request.form.get("id", "").lower())
        if not video or video.gone or not video.open_to(request.user):
            return self.login_page() if not request.user else self.page(404, "Not found")
        number = request.form.get("language", str(next(iter(video.captions), 0)))
        return Answer(200, video.srt(int(number) if number.isdigit() else -1), {
            "Content-Type": "text/plain; charset=utf-8", "Content-Disposition": f'attachment; filename="{video.id}.txt"'})

    def podcast(self, request, kind, id):
        """[seen]: 403 with a page, both where downloads are off and without the cookie; a bearer isn't heeded."""
        video = self.videos().get(id)
        if not request.user and not (video and video.open_to(None)):
            return {403: lambda: self.page(403, "Forbidden"), "page": self.login_page, 302: lambda: self.to_login(request)}[
                self.download_login]()
        audio = request.form.get("mediaTargetType") == "audioPodcast"
        content = video and (video.audio if audio else video.podcast)
        if not content or video.gone or not video.ready:
            return self.page(404, "Not found")
        if not video.downloadable or video.restricted or not video.open_to(request.user):
            return self.page(403, "Access denied")
        if not audio and self.redirects and content.kind == "mp4":
            return self.page(302, "Object moved", {"Location": self.cdn_address(content, {})})
        content = content if audio else content.content or b"".join(next(iter(content.variants.values())))
        return self.file(request, content, "video/mp4", {"Content-Disposition": f'attachment; filename="{video.id}.mp4"'})

    def feed(self, request):
        """[seen]: sites without feeds answer 403; an item's guid is its address, and a title is escaped."""
        folder = self.found_folder(request.form.get("courseid", "").lower())
        if not self.feeds or not folder or not folder.open_to(request.user):
            return self.page(403, "Forbidden")
        items = ""
        for video in folder.videos:
            if video.open_to(request.user) and video.podcast and video.downloadable:
                url = f"{self.base}/Panopto/Podcast/Syndication/{video.id}.mp4"
                date = email.utils.formatdate(video.started or 0, usegmt=True)
                items += (f'<item>\n<title>{html.escape(video.name)}</title><guid>{url}</guid><pubDate>{date}</pubDate>'
                          f'<enclosure url="{url}?mediaTargetType=videoPodcast" length="{len(video.podcast.content or b"")}" '
                          'type="video/mp4"/></item>\n')
        head = f'<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>{html.escape(folder.name)}</title>\n'
        return Answer(200, f"{head}{items}</channel></rss>".encode(), {"Content-Type": "text/xml; charset=utf-8"})

    # The second origin.

    def cdn_address(self, stream, query):
        """With `signed`, mp4 addresses carry a signature of CloudFront [guess]; a playlist's would get lost on relative names."""
        if self.signed and stream.kind == "mp4":
            signature = self.ticket("signature", None, 3600, path=stream.path())
            query = {**query, "Expires": int(time.time()) + 3600, "Signature": signature, "Key-Pair-Id": "APKAEXAMPLE"}
        return self.cdn + stream.path() + ("?" + urllib.parse.urlencode(query) if query else "")

    def from_cdn(self, request):
        with self.lock:
            file = self.files.get(request.place)
        signature = self.holder("signature", request.form.get("Signature", "")) if file and self.signed else None
        fits = file and (not self.signed or file.stream.kind == "hls" or (signature and signature["path"] == request.place))
        if not fits:
            return Answer(403, b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>',
                          {"Content-Type": "application/xml"})
        return self.file(request, file.content, file.kind, {"X-Cache": "Hit from cloudfront"}, file.stream)

    def file(self, request, content, kind, more, stream=None):
        """Ranges as S3 does them: If-Range is heeded, several ranges get the whole."""
        size, media = len(content), (request, stream)
        headers = {"Content-Type": kind, "Accept-Ranges": "bytes", "ETag": f'"{hashlib.md5(content).hexdigest()}"',
                   "Last-Modified": "Wed, 11 Nov 2026 10:00:00 GMT", **more}
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return Answer(304, b"", headers)
        heeded = request.headers.get("If-Range") in (None, headers["ETag"], headers["Last-Modified"])
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "") if heeded else None
        if not match or match[0] == "bytes=-":
            return Answer(200, content, headers, media)
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if first > last:
            headers = {"Content-Type": "application/xml", "Content-Range": f"bytes */{size}"}
            return Answer(416, b"<Error><Code>InvalidRange</Code></Error>", headers)
        return Answer(206, content[first:last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{size}"}, media)

    def refuse(self, request, stream):
        """A signature ends; without one the recording is encoded again; from the site itself, the cookie ends."""
        if not stream:
            return self.expire("cookie", user=request.user)
        if not self.signed or stream.kind == "hls":
            return stream.video.encode()
        with self.lock:
            self.tickets.pop(request.form.get("Signature"), None)

    ROUTES = (("/oauth2/connect/token", token, True), ("/oauth2/connect/authorize", authorize, False),
              ("/api/v1/auth/legacylogin", legacy_login, True),
              ("/api/v1/(folders|sessions)/([^/]+)(?:/(sessions|children))?(/search)?", api, True),
              ("/services/data.svc/(getsessions|getfolderinfo)", service, True), ("/api/folders", web_folders, True),
              ("/pages/viewer/deliveryinfo.aspx", delivery_info, True),
              ("/pages/transcription/generatesrt.ashx", captions, False),
              ("/podcast/(download|social|syndication|stream)/([0-9a-f-]+)\\.mp4", podcast, False),
              ("/podcast/podcast.ashx", feed, False), ("/pages/auth/login.aspx", login_page, False),
              ("/pages/(viewer|embed|home|sessions/list|embeddedlist).aspx", viewer, False))


class Handler(Connection):
    """One connection."""

    def do(self):
        site, self.origin = self.server.site, self.server.origin
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, query = self.path.partition("?")
        fields = urllib.parse.parse_qsl(query, True)
        if "x-www-form-urlencoded" in self.headers.get("Content-Type", ""):
            fields += urllib.parse.parse_qsl(self.body, True)
        self.form, self.range, self.place = dict(fields), self.headers.get("Range"), urllib.parse.unquote(path)
        cookies = dict(part.strip().split("=", 1) for part in self.headers.get("Cookie", "").split(";") if "=" in part)
        ticket = site.holder("cookie", cookies.get(".ASPXAUTH", ""))
        self.user, self.had = ticket and ticket["user"], cookies.get(".ASPXAUTH")
        site.closing.wait(site.delay)
        answer = site.answer(self)
        shown = re.sub(r"((?:^|&)(?:Signature|code)=)[^&]*", r"\1…", query)
        kind = self.headers.get("Authorization", "").partition(" ")[0].lower()
        names = tuple(filter(None, (kind, "cookie" if self.headers.get("Cookie") else "")))
        with site.lock:
            site.asked.append(Asked(self.command, path, shown, answer.status, self.range, self.origin, names))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    def cookie_lines(self):
        """[seen] qcanvas: each answer of the site sets .ASPXAUTH again, and an empty one when it isn't accepted."""
        if self.origin == "cdn" or not self.had or self.place.lower().startswith(("/panopto/api/v1", "/panopto/oauth2")):
            return []
        return [f".ASPXAUTH={self.had}; path=/; HttpOnly" if self.user else
                ".ASPXAUTH=; expires=Tue, 12-Oct-1999 04:00:00 GMT; path=/; HttpOnly"]

    def send(self, answer):
        given = answer.headers.get("Set-Cookie", [])
        lines = [*(given if isinstance(given, list) else [given]), *self.cookie_lines()]
        super().send(answer._replace(headers={**answer.headers, **({"Set-Cookie": lines} if lines else {})}))

    def cut(self, answer):
        site = self.server.site
        count, ends = site.breaks(answer, answer.media and answer.media[0].place)
        if ends:
            site.refuse(*answer.media)
        return count
