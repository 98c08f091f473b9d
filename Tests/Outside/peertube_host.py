"""A stand-in of a PeerTube server (7 to 8): logins, REST API, static files, downloads and HLS in the forms of the real one."""

import base64
import collections
import email.utils
import hmac
import http
import http.server
import itertools
import json
import re
import secrets
import struct
import threading
import time
import urllib.parse
import uuid

from stand_in import Connection, StandIn

# packages/models/src/videos/video-privacy.enum.ts, video-state.enum.ts; labels of server/core/initializers/constants.ts.
PRIVACIES = {"public": (1, "Public"), "unlisted": (2, "Unlisted"), "private": (3, "Private"), "internal": (4, "Internal"),
             "password": (5, "Password protected")}
STATES = {"published": (1, "Published"), "to_transcode": (2, "To transcode"), "to_import": (3, "To import"),
          "waiting_for_live": (4, "Waiting for livestream"), "live_ended": (5, "Livestream ended"),
          "transcoding_failed": (7, "Transcoding failed"), "to_edit": (9, "To edit")}
LANGUAGES = {"en": "English", "de": "German", "fr": "French", "zh-Hans": "Simplified Chinese"}
TYPES = {"mp4": "video/mp4", "webm": "video/webm", "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t",
         "json": "application/json", "vtt": "text/vtt", "jpg": "image/jpeg"}
# SORTABLE_COLUMNS of server/core/initializers/constants.ts, each with what it is here.
SORTS = {"videos": {"name": "name", "duration": "duration", "createdAt": "created", "publishedAt": "published",
                    "originallyPublishedAt": "published", "views": "id", "likes": "id", "trending": "id"},
         "playlists": {"name": "name", "displayName": "name", "createdAt": "created", "updatedAt": "created"},
         "channels": {"id": "id", "name": "name", "createdAt": "created", "updatedAt": "created"},
         "subscriptions": {"id": "id", "createdAt": "created", "channelUpdatedAt": "created"}}
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
BASE58 = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
SECRET = ("videofiletoken", "access_token", "password")
PASSWORD = "x-peertube-video-password"

Asked = collections.namedtuple("Asked", "method path query status range")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
Stored = collections.namedtuple("Stored", "video folder content modified")
Token = collections.namedtuple("Token", "user refresh expires refresh_expires")


class Problem(Exception):
    """res.fail with a detail (RFC 7807), res.sendStatus without one: server/core/middlewares/error.ts."""

    def __init__(self, status, detail=None, code=None, headers=None, **more):
        super().__init__(detail)
        self.status, self.detail, self.code, self.headers, self.more = status, detail, code, headers or {}, more

    def answer(self):
        title = http.HTTPStatus(self.status).phrase
        if self.detail is None:
            return Answer(self.status, title.encode(), {"Content-Type": "text/plain; charset=utf-8", **self.headers})
        kind = f"https://docs.joinpeertube.org/api-rest-reference.html#section/Errors/{self.code}" if self.code else "about:blank"
        body = {"type": kind, "title": title, "detail": self.detail, "status": self.status, **self.more}
        body |= {"code": self.code} if self.code else {}
        return Answer(self.status, dump(body), {"Content-Type": "application/problem+json; charset=utf-8", **self.headers})


def dump(value):
    """JSON.stringify leaves out what is undefined; here that is `...`."""
    def clean(item):
        if isinstance(item, dict):
            return {k: clean(v) for k, v in item.items() if v is not ...}
        return [clean(v) for v in item] if isinstance(item, list) else item
    return json.dumps(clean(value), separators=(",", ":"), ensure_ascii=False).encode()


def short(long):
    """packages/node-utils/src/uuid.ts: short-uuid, base 58 of Flickr in 22 characters."""
    number, text = uuid.UUID(long).int, ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return text.rjust(22, BASE58[0])


def complete(given):
    """server/core/helpers/custom-validators/misc.ts toCompleteUUID."""
    if len(given) != 22 or any(c not in BASE58 for c in given):
        return given
    number = 0
    for character in given:
        number = number * 58 + BASE58.index(character)
    return str(uuid.UUID(int=number)) if number < 1 << 128 else ""


def iso(timestamp):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(timestamp))


def invalid(request, name, message="Invalid value"):
    """validators/shared/utils.ts areValidationErrors: 400 with `invalid-params`."""
    params = {name: {"type": "field", "value": request.query.get(name), "msg": message, "path": name, "location": "query"}}
    return Problem(400, f"Incorrect request parameters: {name}", instance=request.path, **{"invalid-params": params})


class Actor:
    """What accounts and channels share. A remote one has `home`, the base of its server."""

    def __init__(self, site, name, display, home=None, owner=None, description=None):
        self.site, self.name, self.display, self.home, self.owner = site, name, display, home, owner
        self.id, self.created, self.description = next(site.numbers), site.tick(), description

    @property
    def host(self):
        return urllib.parse.urlsplit(self.home or self.site.base).netloc

    @property
    def handle(self):
        return f"{self.name}@{self.host}" if self.home else self.name

    def summary(self):
        """models/account/account.ts, models/video/video-channel.ts toFormattedSummaryJSON."""
        kind = "video-channels" if self.owner else "accounts"
        return {"id": self.id, "name": self.name, "displayName": self.display, "host": self.host, "avatars": [],
                "url": f"{self.home or self.site.base}/{kind}/{self.name}"}

    def json(self):
        """toFormattedJSON of the same files and of models/actor/actor.ts."""
        more = {"support": None, "isLocal": not self.home, "ownerAccount": self.owner.json()} if self.owner else {}
        return {**self.summary(), "hostRedundancyAllowed": False, "followingCount": 0, "followersCount": 1, "banners": [],
                "createdAt": iso(self.created), "updatedAt": iso(self.created), "description": self.description, **more}


class File:
    """One file of a video; resolution 0 is sound alone: lib/paths.ts generateWebVideoFilename, generateHLSVideoFilename."""

    def __init__(self, video, resolution, content, hls=False, sound=True):
        self.video, self.resolution, self.content, self.hls, self.sound = video, resolution, content, hls, sound
        self.id, self.picture, self.width = next(video.site.numbers), resolution != 0, resolution * 16 // 9 // 2 * 2
        self.stem = f"{uuid.uuid4()}-{resolution}"
        self.name = self.stem + ("-fragmented.mp4" if hls else ".mp4")
        video.store("hls" if hls else "web", self.name, lambda: self.content)
        if hls:
            video.store("hls", self.stem + ".m3u8", self.playlist)

    def parts(self):
        """Lengths of the head and of four segments."""
        head = min(700, len(self.content) // 5)
        each, rest = divmod(len(self.content) - head, 4)
        return [head, each, each, each, each + rest]

    def playlist(self):
        """fMP4 in one file, by byte ranges, as ffmpeg writes it with single_file."""
        offset, *lengths = self.parts()
        lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD",
                 f'#EXT-X-MAP:URI="{self.name}",BYTERANGE="{offset}@0"']
        for length in lengths:
            lines += ["#EXTINF:4.000000,", f"#EXT-X-BYTERANGE:{length}@{offset}", self.name]
            offset += length
        return ("\n".join(lines + ["#EXT-X-ENDLIST"]) + "\n").encode()

    def json(self, video):
        """models/video/formatter/video-api-format.ts videoFilesModelToFormattedJSON, models/video/video-file.ts."""
        home, url = (video.origin or video).site.base, video.static(self.hls, self.name)
        path = (f"streaming-playlists/hls/videos/{video.uuid}-{self.resolution}-fragmented" if self.hls
                else f"web-videos/{video.uuid}-{self.resolution}")
        newer = {"hasAudio": self.sound, "hasVideo": self.picture} if video.site.since(6, 3) else {}
        label = f"{self.resolution}p" if self.picture else "Audio only"
        return {"id": self.id, "resolution": {"id": self.resolution, "label": label}, "width": self.width,
                "height": self.resolution, "size": len(self.content), "fps": 25 if self.picture else 0, "torrentUrl": None,
                "torrentDownloadUrl": None, "fileUrl": url, "fileDownloadUrl": f"{home}/download/{path}.mp4",
                "metadataUrl": f"{home}/api/v1/videos/{video.uuid}/metadata/{self.id}", **newer,
                "playlistUrl": url.replace("-fragmented.mp4", ".m3u8") if self.hls else ...,
                "storage": None if video.origin else 0}


class Video:
    """A video. `web` and `hls` are contents by resolution; `split` is the sound of its HLS, whose pictures then are silent."""

    def __init__(self, site, channel, name, web=None, hls=None, split=None, privacy="public", passwords=(), state="published",
                 wait=True, scheduled=None, nsfw=False, download=True, live=None, sound=True, description=None, language=None,
                 published=None, duration=60, blocked=False, origin=None):
        self.site, self.channel, self.name, self.privacy, self.passwords = site, channel, name, privacy, list(passwords)
        self.state, self.wait, self.scheduled, self.nsfw, self.download = state, wait, scheduled, nsfw, download
        self.live, self.sound, self.description, self.language, self.duration = live, sound, description, language, duration
        self.blocked, self.origin, self.gone, self.captions, self.chapters = blocked, origin, False, [], []
        self.id, self.uuid, self.created = next(site.numbers), origin.uuid if origin else str(uuid.uuid4()), site.tick()
        self.published, self.updated, self.starts = published or self.created, self.created, None
        self.web = [File(self, r, c, sound=sound) for r, c in (web or {}).items()]
        files = {**(hls or {}), **({0: split} if split is not None else {})}
        self.hls = [File(self, r, c, True, sound and (not r or split is None)) for r, c in files.items()]
        self.master = self.hashes = None
        if self.live is not None:
            self.begin()
        elif self.hls:
            self.rewrite()

    @property
    def short(self):
        return short(self.uuid)

    @property
    def secret(self):
        """lib/video-privacy.ts isVideoInPrivateDirectory."""
        return self.privacy in ("private", "internal", "password")

    def store(self, folder, name, content):
        key = (self.uuid, name) if folder == "hls" else name
        self.site.files[key] = Stored(self, folder, content, int(self.site.now))
        return name

    def static(self, hls, name):
        """The address of a file; one of another server is where that says."""
        if self.origin:
            return self.origin.static(hls, name)
        return f"{self.site.base}/static/" + ("streaming-playlists/hls/" if hls else "web-videos/") + (
            "private/" if self.secret else "") + (f"{self.uuid}/" if hls else "") + name

    def rewrite(self):
        """lib/hls.ts: master playlist and hashes get new names whenever files or captions change."""
        for name in filter(None, (self.master, self.hashes)):
            del self.site.files[self.uuid, name]
        self.master = self.store("hls", f"{uuid.uuid4()}-master.m3u8", self.master_text)
        self.hashes = self.store("hls", f"{uuid.uuid4()}-segments-sha256.json", lambda: b"{}")

    def master_text(self):
        """lib/hls.ts updateMasterHLSPlaylist."""
        subtitles, audio, streams = [], [], []
        both = any(f.sound and f.picture for f in self.hls)
        split = len(self.hls) > 1 and not both and any(not f.picture for f in self.hls)
        for caption in self.captions:
            subtitles.append('#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",'
                             f'NAME="{LANGUAGES.get(caption["language"], "Unknown")}",DEFAULT=NO,AUTOSELECT=NO,FORCED=NO,'
                             f'LANGUAGE="{caption["language"]}",URI="{caption["m3u8"]}"')
        for file in sorted(self.hls, key=lambda f: f.resolution):
            size = f",RESOLUTION={file.width}x{file.resolution}" if file.picture else ""
            codecs = (["avc1.64001f"] if file.picture else []) + (["mp4a.40.2"] if self.sound else [])
            line = f"#EXT-X-STREAM-INF:BANDWIDTH={len(file.content) * 8}{size}" + (",FRAME-RATE=25" if file.picture else "")
            line += f',CODECS="{",".join(codecs)}"' + (',AUDIO="audio"' if split else "") + (
                ',SUBTITLES="subtitles"' if subtitles else "")
            if size or len(self.hls) == 1:
                streams += [line, file.stem + ".m3u8"]
            elif split:
                audio.append('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",AUTOSELECT=YES,DEFAULT=YES,'
                             f'URI="{file.stem}.m3u8"')
        return ("\n".join(["#EXTM3U", "#EXT-X-VERSION:3", "", *subtitles, "", *audio, "", *streams]) + "\n").encode()

    def begin(self):
        """A broadcast: `live` are its segments so far; master.m3u8 and MPEG-TS, without an end."""
        lines = ["#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:1"]
        for number, content in enumerate(self.live, 1):
            name = self.store("hls", f"0-{number:06}.ts", lambda content=content: content)
            lines += ["#EXTINF:4.000000,", name]
        self.store("hls", "0.m3u8", lambda: ("\n".join(lines) + "\n").encode())
        self.master = self.store("hls", "master.m3u8", lambda: b"#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-STREAM-INF:BANDWIDTH=800000,"
                                 b'RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2"\n0.m3u8\n')
        self.hashes = self.store("hls", "segments-sha256.json", lambda: b"{}")

    def caption(self, language, content, automatic=False):
        """A subtitle file; it is where anybody may read it, even that of a private video: controllers/lazy-static.ts."""
        name = f"{uuid.uuid4()}-{language}"
        self.captions.append({"language": language, "name": name + ".vtt", "m3u8": name + ".m3u8", "automatic": automatic,
                              "content": content.encode() if isinstance(content, str) else content})
        if self.hls:
            self.store("hls", name + ".m3u8", lambda: (
                f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:{self.duration}\n#EXT-X-MEDIA-SEQUENCE:0\n"
                f"#EXTINF:{self.duration},\n{self.site.base}/lazy-static/video-captions/{name}.vtt\n#EXT-X-ENDLIST\n").encode())
            self.rewrite()

    def delete(self):
        """Elements of playlists stay, without it; its files are gone."""
        self.site.videos.remove(self)
        self.site.files = {k: s for k, s in self.site.files.items() if s.video is not self}
        for playlist in self.site.playlists:
            for element in playlist.elements:
                element["video"] = None if element["video"] is self else element["video"]

    def json(self, files=False, mine=False, details=False):
        """models/video/formatter/video-api-format.ts."""
        known = {"id": self.language, "label": LANGUAGES.get(self.language, "Unknown")}
        text = self.description and (self.description if len(self.description) <= 250 else self.description[:247] + "...")
        home, state = (self.origin or self).site.base, dict(zip(("id", "label"), STATES[self.state]))
        out = {"id": self.id, "uuid": self.uuid, "shortUUID": self.short, "url": f"{home}/videos/watch/{self.uuid}",
               "name": self.name, "category": {"id": None, "label": "Unknown"}, "licence": {"id": None, "label": "Unknown"},
               "language": known, "privacy": dict(zip(("id", "label"), PRIVACIES[self.privacy])), "nsfw": self.nsfw,
               "nsfwFlags": 0, "nsfwSummary": None, "truncatedDescription": text,
               "description": self.description if details else text, "isLocal": not self.origin, "duration": self.duration,
               "aspectRatio": 1.7778, "views": 3, "viewers": 0, "likes": 0,
               "dislikes": 0, "comments": 0, "thumbnailPath": f"/lazy-static/thumbnails/{self.id}.jpg",
               "previewPath": f"/lazy-static/thumbnails/{self.id}-p.jpg", "embedPath": f"/videos/embed/{self.short}",
               "createdAt": iso(self.created), "updatedAt": iso(self.updated), "publishedAt": iso(self.published),
               "originallyPublishedAt": None, "isLive": self.live is not None or self.state in ("waiting_for_live", "live_ended"),
               "account": self.channel.owner.summary(), "channel": self.channel.summary(), "userHistory": ...}
        if mine or details:
            plan = self.scheduled and {"updateAt": iso(self.scheduled[0]), "privacy": PRIVACIES[self.scheduled[1]][0]}
            out |= {"state": state, "waitTranscoding": self.wait, "scheduledUpdate": plan or ..., "blacklisted": self.blocked,
                    "blacklistedReason": None}
        if files or details:
            hls = [{"id": self.id, "type": 1, "playlistUrl": self.static(True, self.master), "redundancies": [],
                    "segmentsSha256Url": self.static(True, self.hashes), "files": self.sorted(self.hls)}] if self.master else []
            out |= {"streamingPlaylists": hls, "files": self.sorted(self.web)}
        if details:
            out |= {"support": None, "channel": self.channel.json(), "account": self.channel.owner.json(), "tags": [],
                    "commentsPolicy": {"id": 1, "label": "Enabled"}, "downloadEnabled": self.download, "inputFileUpdatedAt": None,
                    "trackerUrls": [], "liveSchedules": [{"startAt": iso(self.starts)}] if self.starts else []}
        return out

    def sorted(self, files):
        return [f.json(self) for f in sorted(files, key=lambda f: -f.resolution)]


class Playlist:
    """A playlist; without videos of its own it can be somebody's "Watch later"."""

    def __init__(self, site, name, owner, channel=None, privacy="public", videos=(), later=False, description=None):
        self.site, self.name, self.owner, self.channel, self.privacy = site, name, owner, channel, privacy
        self.id, self.uuid, self.created, self.later = next(site.numbers), str(uuid.uuid4()), site.tick(), later
        self.elements, self.description, self.short = [], description, short(self.uuid)
        for video in videos:
            self.add(video)

    def add(self, video, start=None, stop=None):
        self.elements.append({"id": next(self.site.numbers), "video": video, "start": start, "stop": stop})

    def listed(self, element, user):
        """models/video/video-playlist-element.ts: types regular 0, deleted 1, private 2, unavailable 3; only 0 has its video."""
        video, kind = element["video"], 0
        if not video:
            kind = 1
        elif user and video.channel.owner is user.account or user and video.privacy == "internal":
            kind = 0
        elif video.secret or video.blocked:
            kind = 2 if video.secret else 3
        return {"id": element["id"], "position": self.elements.index(element) + 1, "startTimestamp": element["start"],
                "stopTimestamp": element["stop"], "type": kind, "video": video.json() if kind == 0 else None}

    def json(self):
        """models/video/video-playlist.ts toFormattedJSON; `videosLength` counts what is deleted or private, too."""
        return {"id": self.id, "uuid": self.uuid, "shortUUID": self.short, "isLocal": True, "displayName": self.name,
                "url": f"{self.site.base}/video-playlists/{self.uuid}", "description": self.description,
                "privacy": dict(zip(("id", "label"), PRIVACIES[self.privacy])), "thumbnailPath": None,
                "embedPath": f"/video-playlists/embed/{self.short}", "videosLength": len(self.elements),
                "type": {"id": 2, "label": "Watch later"} if self.later else {"id": 1, "label": "Regular"},
                "createdAt": iso(self.created), "updatedAt": iso(self.created), "ownerAccount": self.owner.account.summary(),
                "videoChannelPosition": 1, "videoChannel": self.channel.summary() if self.channel else None}


class User:
    """Somebody with an account, a channel of the name `NAME_channel` and a playlist "Watch later", as a new one has."""

    def __init__(self, site, name, password, otp=None, admin=False, refused=None):
        self.name, self.password, self.otp, self.admin, self.refused, self.subscriptions = name, password, otp, admin, refused, []
        self.account = Actor(site, name, name.capitalize())
        self.channel = site.channel(f"{name}_channel", f"Main {name} channel", self)
        self.later = site.playlist("Watch later", self, privacy="private", later=True)


class PeerTube(StandIn):
    """A server at a free port. What was asked is in `requests`; switches are set as attributes."""

    def __init__(self, case):
        self.now, self.shift, self.numbers = 1732000000, 0, itertools.count(101)
        self.lock, self.closing = threading.Lock(), threading.Event()
        self.people, self.tokens, self.file_tokens, self.channels, self.videos, self.playlists = {}, {}, {}, [], [], []
        self.files, self.followed, self.decisions, self.asked, self.hits = {}, set(), {}, [], {}
        self.client = secrets.token_hex(16), secrets.token_hex(16)
        self.name, self.version, self.external = "Test & Tube", "8.3.0", []
        # What is answered where neither password nor token is given: 401 in the newest source, 403 up to 8.x.
        self.missing = 401
        # Seconds for which a decision about a private file is kept (LRU_CACHE.STATIC_VIDEO_FILES_RIGHTS_CHECK); nsfw for all.
        self.cached, self.hide_nsfw, self.check_host = 10, False, True
        # download.max_bytes_per_ip_per_second; download_generate_video.max_parallel_downloads; rates_limit: {"api": (50, 10)}.
        self.throttled, self.busy, self.rates = False, False, {}
        # Added to every total, as where items were hidden after they were counted.
        self.surplus = 0
        self.status, self.retry_after, self.html, self.half, self.delay = None, None, False, False, 0
        # Ends of paths, each with the bytes after which an answer breaks: an int for once, a list for several times.
        self.break_after, self.expire_after = {}, {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.tube = True, self
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop)

    def stop(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def requests(self):
        """What was asked so far, without secrets."""
        with self.lock:
            return list(self.asked)

    # What there is.

    def tick(self):
        self.now += 60
        return self.now

    def time(self):
        return time.time() + self.shift

    def since(self, *version):
        return tuple(int(n) for n in self.version.split(".")[:2]) >= version

    def user(self, name, password, **more):
        self.people[name] = User(self, name, password, **more)
        return self.people[name]

    def channel(self, name, display, owner, **more):
        owner = self.people[owner] if isinstance(owner, str) else owner
        self.channels.append(Actor(self, name, display, owner=owner.account, **more))
        return self.channels[-1]

    def video(self, channel, name, **more):
        self.videos.append(Video(self, channel, name, **more))
        return self.videos[-1]

    def playlist(self, name, owner, **more):
        self.playlists.append(Playlist(self, name, self.people[owner] if isinstance(owner, str) else owner, **more))
        return self.playlists[-1]

    def federate(self, video, followed=True):
        """A copy of another server's public or unlisted video: its files stay there, captions are handed through."""
        home, far = video.site.base, video.channel
        channel = next((c for c in self.channels if c.home == home and c.name == far.name), None)
        if not channel:
            account = Actor(self, far.owner.name, far.owner.display, home)
            channel = Actor(self, far.name, far.display, home, account)
            self.channels.append(channel)
        if followed:
            self.followed.add(home)
        copy = Video(self, channel, video.name, privacy=video.privacy, origin=video, published=video.published)
        copy.web, copy.hls, copy.master, copy.hashes = video.web, video.hls, video.master, video.hashes
        copy.captions, copy.duration, copy.language = video.captions, video.duration, video.language
        self.videos.append(copy)
        return copy

    def subscribe(self, name, channel):
        self.people[name].subscriptions.append(channel)

    # Logins.

    def code(self, name):
        """The one-time password of now: RFC 6238."""
        return self.totp(self.people[name].otp, int(self.time()) // 30)

    @staticmethod
    def totp(secret, step):
        digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", step), "sha1")
        return f"{(struct.unpack('>I', digest[digest[-1] & 15:][:4])[0] & 0x7fffffff) % 1000000:06}"

    def new_token(self, name):
        """A day, and two weeks for the refresh token: config/default.yaml oauth2.token_lifetime."""
        access, now = secrets.token_hex(20), self.time()
        with self.lock:
            self.tokens[access] = Token(name, secrets.token_hex(20), now + 86400, now + 1209600)
        return access

    def expire(self, name, refresh=False):
        """The access tokens of somebody, or also their refresh tokens."""
        with self.lock:
            self.decisions.clear()
            self.tokens = {a: t if t.user != name else t._replace(expires=0, refresh_expires=0 if refresh else t.refresh_expires)
                           for a, t in self.tokens.items()}

    def expire_files(self, video=None):
        """File tokens are in memory only: all go with a restart."""
        with self.lock:
            self.decisions.clear()
            self.file_tokens = {k: v for k, v in self.file_tokens.items() if video and v[0] != video.uuid}

    def later(self, seconds):
        """The clock of tokens goes on."""
        self.shift += seconds

    def login(self, request):
        """controllers/api/users/token.ts, lib/auth/oauth.ts."""
        form = request.form
        if "x-www-form-urlencoded" not in request.headers.get("Content-Type", ""):
            raise Problem(400, "Invalid request: content must be application/x-www-form-urlencoded", "invalid_request")
        if not form.get("client_id") or not form.get("client_secret"):
            raise Problem(400, "Invalid client: cannot retrieve client credentials", "invalid_client")
        if (form["client_id"], form["client_secret"]) != self.client:
            raise Problem(400, "Invalid client: client is invalid", "invalid_client")
        grant = form.get("grant_type")
        if grant not in ("password", "refresh_token"):
            raise Problem(400, "Unsupported grant type: `grant_type` is invalid" if grant else "Missing parameter: `grant_type`",
                          "unsupported_grant_type" if grant else "invalid_request")
        for name in ("username", "password") if grant == "password" else ("refresh_token",):
            if not form.get(name):
                raise Problem(400, f"Missing parameter: `{name}`", "invalid_request")
        name = self.by_password(request) if grant == "password" else self.by_refresh(form["refresh_token"])
        access, now = self.new_token(name), self.time()
        token = self.tokens[access]
        return self.json({"token_type": "Bearer", "access_token": access, "refresh_token": token.refresh,
                          "expires_in": int(token.expires - now), "refresh_token_expires_in": int(token.refresh_expires - now)},
                         {"Cache-Control": "no-store", "Pragma": "no-cache"})

    def by_password(self, request):
        """The second factor is asked for only after a right password; MissingTwoFactorError is 401, InvalidTwoFactorError 400."""
        user = self.people.get(request.form["username"].lower().partition("@")[0])
        if user and user.refused and user.refused.startswith("account_"):
            text = {"account_waiting_for_approval": "Registration for this account is awaiting approval",
                    "account_approval_rejected": "Registration approval for this account has been rejected"}[user.refused]
            raise Problem(400, text, user.refused)
        if not user or user.password != request.form["password"]:
            raise Problem(400, "Invalid grant: user credentials are invalid", "invalid_grant")
        if user.refused:
            raise Problem(400, user.refused, "access_denied")
        if user.otp:
            given, step = request.headers.get("x-peertube-otp"), int(self.time()) // 30
            if not given:
                raise Problem(401, "Missing two factor header", "missing_two_factor", {"x-peertube-otp": "required; app"})
            if given not in [self.totp(user.otp, step + n) for n in (-1, 0, 1)]:
                raise Problem(400, "Invalid two factor header", "invalid_two_factor")
        return user.name

    def by_refresh(self, refresh):
        """Good once: the old pair is gone, its access token, too."""
        with self.lock:
            access, token = next(((a, t) for a, t in self.tokens.items() if t.refresh == refresh), (None, None))
            if token and token.refresh_expires >= self.time():
                del self.tokens[access]
        if not token or token.refresh_expires < self.time():
            raise Problem(400, "Invalid grant: refresh token " + ("has expired" if token else "is invalid"), "invalid_grant")
        return token.user

    def user_of(self, request, needed=False):
        """middlewares/auth.ts: a token that is sent must be good, even where none is needed."""
        header = request.headers.get("Authorization")
        if not header:
            if needed:
                raise Problem(401, "Token is invalid", "unauthorized_request")
            return None
        match = re.fullmatch(r"Bearer ([0-9a-zA-Z\-._~+/]+=*)", header)
        if not match:
            raise Problem(400, "Token is invalid", "invalid_request")
        token = self.tokens.get(match[1])
        if not token or token.expires < self.time():
            raise Problem(401, "Token is invalid", "invalid_token")
        request.bearer = match[1]
        return self.people[token.user]

    # Who may see what: validators/shared/videos.ts.

    @staticmethod
    def manages(user, video):
        return user.admin or video.channel.owner is user.account

    def check(self, request, video, asked, token=None):
        """checkCanSeeVideo; `token` is the user of a file token, in a tuple."""
        if video.blocked or video.privacy in ("private", "internal") or (video.privacy == "unlisted" and asked.isdigit()):
            user = (token and token[0]) or self.user_of(request)
            if not user:
                raise Problem(401, "Authentication is required")
            if video.privacy != "internal" and not self.manages(user, video):
                raise Problem(403, "Cannot fetch information of private/internal/blocked video")
        elif video.privacy == "password":
            self.check_password(request, video, token)

    def check_password(self, request, video, token):
        """checkCanSeePasswordProtectedVideo: a wrong password is refused even to who needs none."""
        given = request.headers.get(PASSWORD)
        if given is not None:
            if given not in video.passwords:
                raise Problem(403, "Incorrect video password. Access to the video is denied", "incorrect_video_password")
        elif not token:
            user = self.user_of(request)
            if not user or not self.manages(user, video):
                raise Problem(403 if user else self.missing, "Please provide a password to access this password protected video",
                              "video_requires_password")

    def by_file_token(self, request, video):
        """checkVideoTokenIfNeeded: a bad token is refused whatever else is given."""
        given = request.query.get("videoFileToken")
        if not given:
            return None
        home, name, expires = self.file_tokens.get(given, (None, None, 0))
        if home != video.uuid or expires < self.time():
            raise Problem(403, "Invalid video file token")
        return (self.people.get(name),)

    def find(self, request, given, items, what):
        """isValidVideoIdParam, isValidPlaylistIdParam: number, UUID or short UUID."""
        given = complete(given)
        if not given.isdigit() and not re.fullmatch(UUID, given):
            raise invalid(request, "id" if what == "Video" else "playlistId")
        found = next((i for i in items if given in (str(i.id), i.uuid)), None)
        if not found or getattr(found, "gone", False):
            raise Problem(404, f"{what} not found")
        return found, given

    def actor(self, handle, channels):
        """NAME, NAME@this host or NAME@another host; names of local ones in any case."""
        name, _, host = handle.partition("@")
        here = urllib.parse.urlsplit(self.base).netloc
        accounts = [u.account for u in self.people.values()] + [c.owner for c in self.channels if c.home]
        for actor in self.channels if channels else accounts:
            if actor.name.lower() == name.lower() and (actor.host == host if host and host != here else not actor.home):
                return actor
        raise Problem(404, "Video channel not found" if channels else "Account not found")

    # The API.

    @staticmethod
    def json(value, headers=None):
        return Answer(200, dump(value), {"Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*",
                                         **(headers or {})})

    def page(self, request, items, form, sorts=None, default="-createdAt", unsaid=False):
        """validators/pagination.ts (15, at most 100), middlewares/sort.ts, helpers/utils.ts getFormattedObjects."""
        query = request.query
        for name, most in (("start", None), ("count", 100)):
            if name in query and (not query[name].isdigit() or most and int(query[name]) > most):
                raise invalid(request, name, f"Should have a number count (max: {most})" if most else "Invalid value")
        if sorts:
            sort = query.get("sort") or default
            if sort.removeprefix("-") not in SORTS[sorts]:
                raise invalid(request, "sort", "Should have correct sortable column")
            field = SORTS[sorts][sort.removeprefix("-")]
            items = sorted(items, key=lambda i: getattr(i, field), reverse=sort.startswith("-"))
        start, count = int(query.get("start") or 0), int(query.get("count") or 15)
        total = ... if unsaid else len(items) + self.surplus
        return self.json({"total": total, "data": [form(i) for i in items[start:start + count]]})

    def videos_page(self, request, keep, user=None, mine=False):
        """models/video/sql/video/videos-id-list-query-builder.ts, validators/videos/videos.ts commonVideosFilters."""
        query, wanted = request.query, request.lists("privacyOneOf")
        if not (user and user.admin) and ("include" in query or "stateOneOf" in query or wanted and not mine):
            raise Problem(401, "You are not allowed to see all videos, specify a custom include, auto tags or state filter")
        if query.get("nsfw", "both") not in ("true", "false", "both"):
            raise invalid(request, "nsfw")
        found = [v for v in self.videos if keep(v) and (mine or self.listed(v, user, request))]
        nsfw = "both" if mine else query.get("nsfw", "false" if self.hide_nsfw and not user else "both")
        found = [v for v in found if nsfw == "both" or v.nsfw == (nsfw == "true")]
        found = [v for v in found if not wanted or str(PRIVACIES[v.privacy][0]) in wanted]
        files = bool(int(query.get("include", "0")) & 8)
        return self.page(request, found, lambda v: v.json(files=files, mine=mine), "videos", "-publishedAt",
                         query.get("skipCount") in ("true", "1"))

    def listed(self, video, user, request):
        """Public ones, internal ones for users; never unlisted, private or password protected ones, not even to their owner."""
        ready = video.state == "published" or video.state == "to_transcode" and not video.wait or (
            video.state == "waiting_for_live" and video.starts and request.query.get("includeScheduledLive") == "true")
        seen = video.privacy == "public" or video.privacy == "internal" and user or "privacyOneOf" in request.raw
        return ready and seen and not video.blocked and (user or not video.origin or video.channel.home in self.followed)

    def api(self, request, path):
        for method, pattern, handler in ROUTES:
            match = re.fullmatch(pattern, path)
            if match and request.command in (method, "HEAD" if method == "GET" else method):
                return handler(self, request, *map(urllib.parse.unquote, match.groups()))
        return Answer(400, b"", {"Content-Type": "application/json; charset=utf-8"})

    def config(self, request):
        """lib/server-config-manager.ts, the part that a client looks at."""
        return self.json({
            "instance": {"name": self.name, "shortDescription": "", "isNSFW": False, "defaultLanguage": "en",
                         "defaultNSFWPolicy": "do_not_list" if self.hide_nsfw else "blur"},
            "search": {"remoteUri": {"users": True, "anonymous": False}}, "serverVersion": self.version, "serverCommit": ...,
            "plugin": {"registered": [], "registeredExternalAuths": self.external, "registeredIdAndPassAuths": []},
            "signup": {"allowed": False, "allowedForCurrentIP": True, "requiresEmailVerification": False},
            "transcoding": {"hls": {"enabled": True}, "web_videos": {"enabled": True}, "enabledResolutions": [0, 480, 720, 1080]},
            "live": {"enabled": True}, "federation": {"enabled": True}})

    def local_client(self, request):
        """controllers/api/oauth-clients.ts: only under the host name that the server is configured for."""
        host = request.headers.get("Host", "")
        if self.check_host and host != urllib.parse.urlsplit(self.base).netloc:
            raise Problem(403, f"Getting client tokens for host {host} is forbidden")
        return self.json({"client_id": self.client[0], "client_secret": self.client[1]})

    def revoke(self, request):
        self.user_of(request, True)
        with self.lock:
            self.tokens.pop(request.bearer)
        return self.json({"success": True})

    def me(self, request):
        """controllers/api/users/me.ts, models/user/user.ts toMeFormattedJSON."""
        user = self.user_of(request, True)
        return self.json({"id": user.account.id, "username": user.name, "email": f"{user.name}@example.org", "nsfwPolicy": "blur",
                          "role": {"id": 0, "label": "Administrator"} if user.admin else {"id": 2, "label": "User"},
                          "account": user.account.json(), "twoFactorEnabled": bool(user.otp), "pluginAuth": None,
                          "videoChannels": [c.json() for c in self.channels if c.owner is user.account],
                          "specialPlaylists": [{"id": user.later.id, "name": "Watch later", "type": 2}]})

    def my_videos(self, request):
        user = self.user_of(request, True)
        return self.videos_page(request, lambda v: v.channel.owner is user.account, user, True)

    def my_subscriptions(self, request):
        """controllers/api/users/my-subscriptions.ts: channels, of other servers as well."""
        user = self.user_of(request, True)
        return self.page(request, user.subscriptions, Actor.json, "subscriptions")

    def subscribed_videos(self, request):
        user = self.user_of(request, True)
        return self.videos_page(request, lambda v: v.channel in user.subscriptions, user)

    def actor_videos(self, request, kind, handle):
        actor = self.actor(handle, kind == "video-channels")
        return self.videos_page(request, lambda v: actor in (v.channel, v.channel.owner), self.user_of(request))

    def actor_playlists(self, request, kind, handle):
        """controllers/api/accounts.ts listAccountPlaylists: one's own private and unlisted ones, too, and "Watch later"."""
        user, actor = self.user_of(request), self.actor(handle, kind == "video-channels")
        mine = user and user.account in (actor, actor.owner)
        wanted = request.query.get("playlistType")
        found = [p for p in self.playlists if actor in (p.channel, p.owner.account) and (mine or p.privacy == "public")
                 and wanted in (None, "2" if p.later else "1")]
        return self.page(request, found, Playlist.json, "playlists")

    def account_channels(self, request, handle):
        account = self.actor(handle, False)
        return self.page(request, [c for c in self.channels if c.owner is account], Actor.json, "channels")

    def playlist_of(self, request, given):
        """validators/videos/video-playlists.ts videoPlaylistsGetValidator."""
        playlist, asked = self.find(request, given, self.playlists, "Video playlist")
        if playlist.privacy == "unlisted" and asked.isdigit():
            raise Problem(404, "Playlist not found")
        if playlist.privacy == "private":
            user = self.user_of(request)
            if not user:
                raise Problem(401, "Authentication is required")
            if not user.admin and user is not playlist.owner:
                raise Problem(403, "Cannot get this private video playlist.")
        return playlist

    def playlist_videos(self, request, given):
        playlist, user = self.playlist_of(request, given), self.user_of(request)
        return self.page(request, playlist.elements, lambda e: playlist.listed(e, user))

    def details(self, request, given):
        """controllers/api/videos/index.ts getVideo, validators/videos/videos.ts checkVideoFollowConstraints."""
        user = self.user_of(request)
        video, asked = self.find(request, given, self.videos, "Video")
        self.check(request, video, asked)
        if video.origin and not user and video.channel.home not in self.followed:
            raise Problem(403, "Cannot get this video regarding follow constraints", "does_not_respect_follow_constraints",
                          originUrl=f"{video.origin.site.base}/videos/watch/{video.uuid}")
        return self.json(video.json(details=True))

    def about_video(self, request, given, what):
        """controllers/api/videos/{captions,chapters,storyboard}.ts; models/video/video-caption.ts toFormattedJSON."""
        video, asked = self.find(request, given, self.videos, "Video")
        self.check(request, video, asked)
        if what != "captions":
            return self.json({what: video.chapters if what == "chapters" else []})
        data = []
        for caption in sorted(video.captions, key=lambda c: c["language"]):
            path = f"/lazy-static/video-captions/{caption['name']}"
            newer = {"fileUrl": self.base + path, "m3u8Url": video.static(True, caption["m3u8"]) if video.hls else None}
            label = LANGUAGES.get(caption["language"], "Unknown")
            data.append({"language": {"id": caption["language"], "label": label}, "automaticallyGenerated": caption["automatic"],
                         "captionPath": path, **(newer if self.since(7, 1) else {}), "updatedAt": iso(video.updated)})
        return self.json({"total": len(data), "data": data})

    def video_token(self, request, given):
        """controllers/api/videos/token.ts, validators/videos/video-token.ts, lib/video-tokens-manager.ts: 8 hours, in memory."""
        user = self.user_of(request)
        video, asked = self.find(request, given, self.videos, "Video")
        self.check(request, video, asked)
        if video.privacy != "password" and not user:
            raise Problem(401)
        token, expires = str(uuid.uuid4()), self.time() + 8 * 3600
        with self.lock:
            self.file_tokens[token] = (video.uuid, user and user.name, expires)
        return self.json({"files": {"token": token, "expires": iso(expires)}})

    # Files.

    def static(self, request):
        """controllers/static.ts; files that anybody may have are nginx's: support/nginx/peertube."""
        match = (re.fullmatch(r"/static/(?:web-videos|webseed)/(private/)?()([^/]+)", request.place)
                 or re.fullmatch(r"/static/streaming-playlists/hls/(private/)?([^/]+)/([^/]+)", request.place))
        if not match:
            raise Problem(404)
        private, home, name = match.groups()
        if private and home and not re.fullmatch(UUID, home):
            raise invalid(request, "videoUUID")
        stored = self.files.get((home, name) if home else name)
        video = stored.video if stored else next((v for v in self.videos if v.uuid == home and not v.origin), None)
        credential = self.admitted(request, video, home) if private else None
        if not stored or bool(private) != stored.video.secret:
            raise Problem(404, "File not found" if private and name.endswith(".m3u8") else None)
        if private and name.endswith(".m3u8"):
            return self.private_playlist(request, stored, name, credential)
        return self.file(request, stored.content(), stored.modified, name, "node" if private else "nginx", (video, credential))

    def admitted(self, request, video, home):
        """validators/static.ts; a decision is kept for some seconds, by address or, for HLS, by video."""
        self.user_of(request)
        credential = request.headers.get(PASSWORD) or request.query.get("videoFileToken") or request.bearer
        if not credential:
            raise Problem(self.missing, "Video password header, video file token query parameter and bearer token "
                          "are all missing")
        key = credential, home or request.path
        allowed, until = self.decisions.get(key, (None, 0))
        if until > time.monotonic():
            if not allowed:
                raise Problem(403)
            return credential
        try:
            if not video:
                raise Problem(403)
            self.check(request, video, video.uuid, self.by_file_token(request, video))
            self.decisions[key] = True, time.monotonic() + self.cached
        except Problem:
            self.decisions[key] = False, time.monotonic() + self.cached
            raise
        return credential

    @staticmethod
    def private_playlist(request, stored, name, credential):
        """servePrivateM3U8, lib/hls.ts injectQueryToPlaylistUrls; media playlists don't pass on `reinjectVideoFileToken`."""
        text, token = stored.content().decode(), request.query.get("videoFileToken")
        if token and request.query.get("reinjectVideoFileToken") in ("true", "1"):
            query = f"videoFileToken={token}" + ("&reinjectVideoFileToken=true" if name.endswith("master.m3u8") else "")
            text = re.sub(r"\.(m3u8|ts|mp4)", lambda m: f"{m[0]}?{query}", text)
        headers = {"Content-Type": "application/x-mpegurl; charset=utf-8", "Access-Control-Allow-Origin": "*"}
        return Answer(200, text.encode(), headers, (request.place, stored.video, credential))

    def download(self, request):
        """controllers/download.ts; `Authorization`, password and file token as for static files, without their cache."""
        match = (re.fullmatch(r"/download/(web-videos)/(.+)-(\d+)\.(\w+)", request.place)
                 or re.fullmatch(r"/download/(streaming-playlists/hls)/videos/(.+)-(\d+)-fragmented\.(\w+)", request.place)
                 or re.fullmatch(r"/download/(videos/generate)/([^/.]+)()(\.mp4|\.m4a|)", request.place))
        if not match:
            raise Problem(404)
        self.user_of(request)
        video, asked = self.find(request, match[2], [v for v in self.videos if not v.origin], "Video")
        self.check(request, video, asked, self.by_file_token(request, video))
        credential = request.headers.get(PASSWORD) or request.query.get("videoFileToken") or request.bearer
        if match[1] == "videos/generate":
            return self.generated(request, video, credential)
        files, suffix = (video.web, "") if match[1] == "web-videos" else (video.hls, "-hls")
        file = next((f for f in files if f.resolution == int(match[3])), None)
        if not file:
            raise Problem(404, "Video file not found")
        self.check_download(video)
        name = re.sub(r"[/\\]", "_", video.name) + f"-{file.resolution}p{suffix}.mp4"
        ascii_name = name.encode("ascii", "replace").decode().replace('"', '\\"')
        return self.file(request, file.content, int(self.now), file.name, "throttled" if self.throttled else "node",
                         (video, credential), {"Content-Disposition": f'attachment; filename="{ascii_name}"; filename*=UTF-8\'\''
                                               + urllib.parse.quote(name, safe="")})

    @staticmethod
    def check_download(video):
        if not video.download:
            raise Problem(403, "Video download is disabled for this video")

    def generated(self, request, video, credential):
        """downloadGeneratedVideoFile joins picture and sound; here one follows the other. It has neither length nor ranges."""
        ids = request.lists("videoFileIds")
        if not ids or len(ids) > 2 or not all(i.isdigit() for i in ids):
            raise invalid(request, "videoFileIds")
        files = [f for f in video.web + video.hls if str(f.id) in ids]
        if not files:
            raise Problem(404, f"No files found ({', '.join(ids)}) to download video")
        if sum(f.picture for f in files) > 1 or sum(f.sound for f in files) > 1:
            raise Problem(400, "Cannot generate a container with multiple video/audio files. PeerTube supports a maximum of 1 "
                          "audio and 1 video file")
        self.check_download(video)
        if self.busy:
            raise Problem(429, "Too many parallel downloads on this server. Please try again later.")
        files.sort(key=lambda f: -f.resolution)
        kind = "video/mp4" if files[0].picture else "audio/mp4"
        return Answer(200, b"".join(f.content for f in files), {"Content-Type": kind, "Transfer-Encoding": "chunked"},
                      (request.place, video, credential))

    def caption_file(self, request):
        for video in self.videos:
            for caption in video.captions:
                if request.place == "/lazy-static/video-captions/" + caption["name"]:
                    return self.file(request, caption["content"], int(self.now), caption["name"], "node", (video, None),
                                     {"Cache-Control": "public, max-age=172800"})
        return Answer(404, b"", {})

    def thumbnail(self, request):
        """controllers/lazy-static.ts: whoever asks, whatever the video's privacy."""
        number = re.fullmatch(r"/lazy-static/thumbnails/(\d+)(-p)?\.jpg", request.place)
        video = next((v for v in self.videos if number and v.id == int(number[1])), None)
        if not video:
            return Answer(404, b"", {})
        return self.file(request, b"\xff\xd8\xff\xe0" + video.name.encode(), int(self.now), "t.jpg", "node", (video, None))

    def file(self, request, content, modified, name, style, media, headers=None):
        """nginx; node with `send` (weak ETag, If-Range heeded); or a throttled download (no validators, If-Range ignored)."""
        size, date, kind = len(content), email.utils.formatdate(modified, usegmt=True), TYPES[name.rpartition(".")[2]]
        etag = f'"{modified:x}-{size:x}"' if style == "nginx" else f'W/"{size:x}-{modified * 1000:x}"'
        headers = {"Content-Type": kind + ("; charset=utf-8" if kind == "text/vtt" else ""), "Accept-Ranges": "bytes",
                   "Access-Control-Allow-Origin": "*", **(headers or {})}
        media = (request.place, *media)
        if style == "throttled":
            headers |= {"Content-Type": "application/octet-stream"}
        else:
            fresh = {"Cache-Control": "public, max-age=0"} if style == "node" else {}
            headers = {"ETag": etag, "Last-Modified": date, **fresh, **headers}
            if etag in request.headers.get("If-None-Match", ""):
                return Answer(304, b"", headers)
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "")
        if not match or match[0] == "bytes=-" or style != "throttled" and not self.same(request, etag, date, style):
            return Answer(200, content, headers, media)
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if first <= last:
            return Answer(206, content[first:last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{size}"}, media)
        beyond = {"Content-Range": f"bytes */{size}"}
        if style == "nginx":
            return self.html_page(416, "416 Requested Range Not Satisfiable", beyond)
        raise Problem(416, None if style == "throttled" else "Range Not Satisfiable",
                      None if style == "throttled" else "RangeNotSatisfiableError", beyond)

    @staticmethod
    def same(request, etag, date, style):
        condition = request.headers.get("If-Range")
        if condition is None or style == "nginx":
            return condition in (None, etag, date)
        if '"' in condition:
            return etag in condition
        parsed = email.utils.parsedate_to_datetime(condition) if re.match(r"\w{3}, ", condition) else None
        return bool(parsed and email.utils.parsedate_to_datetime(date) <= parsed)

    # Everything.

    @staticmethod
    def html_page(status, text, headers=None):
        body = f'<!DOCTYPE html>\n<html><head><meta property="og:platform" content="PeerTube"></head><body>{text}</body></html>'
        return Answer(status, body.encode(), {"Content-Type": "text/html; charset=utf-8", **(headers or {})})

    def limited(self, kind):
        """middlewares/rate-limiter.ts, express-rate-limit: headers of each answer, text instead of JSON when it is too much."""
        most, window = self.rates[kind]
        with self.lock:
            count, until = self.hits.get(kind, (0, 0))
            count, until = (count + 1, until) if until > time.time() else (1, time.time() + window)
            self.hits[kind] = count, until
        headers = {"X-RateLimit-Limit": most, "X-RateLimit-Remaining": max(0, most - count), "X-RateLimit-Reset": int(until + 1)}
        return headers, count > most and int(until - time.time()) + 1

    def answer(self, request):
        if self.status:
            after = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
            return self.html_page(self.status, "Trouble", after)
        if self.html:
            return self.html_page(200, "<my-app></my-app>")
        limits, kind = {"X-Powered-By": "PeerTube"}, "login" if request.place == "/api/v1/users/token" else "api"
        if request.place.startswith("/api/v1/") and kind in self.rates:
            limits, wait = self.limited(kind)
            if wait:
                return Answer(429, b"Too many requests, please try again later.",
                              {"Content-Type": "text/html; charset=utf-8", "Retry-After": wait, **limits})
        try:
            answer = self.routed(request)
        except Problem as problem:
            answer = problem.answer()
        return answer._replace(headers={**answer.headers, **limits})

    def routed(self, request):
        for start, handler in (("/static/", self.static), ("/download/", self.download),
                               ("/lazy-static/video-captions/", self.caption_file), ("/lazy-static/thumbnails/", self.thumbnail)):
            if request.place.startswith(start):
                return handler(request)
        if request.place.startswith("/api/v1/"):
            return self.api(request, request.raw.partition("?")[0].removeprefix("/api/v1"))
        # The web client is one page for all addresses: controllers/client.ts.
        return self.html_page(200, "<my-app></my-app>")

    def refuse(self, media):
        """The credential of that answer is no longer good."""
        _, video, credential = media
        with self.lock:
            self.decisions.clear()
            self.file_tokens.pop(credential, None)
            if credential in self.tokens:
                self.tokens[credential] = self.tokens[credential]._replace(expires=0)
            video.passwords = [p for p in video.passwords if p != credential]


ID = r"([^/]+)"
ACTOR = r"/(video-channels|accounts)/([^/]+)"
ROUTES = [
    ("GET", r"/config/?", PeerTube.config), ("GET", r"/oauth-clients/local", PeerTube.local_client),
    ("POST", r"/users/token", PeerTube.login), ("POST", r"/users/revoke-token", PeerTube.revoke),
    ("GET", r"/users/me", PeerTube.me), ("GET", r"/users/me/videos", PeerTube.my_videos),
    ("GET", r"/users/me/subscriptions", PeerTube.my_subscriptions),
    ("GET", r"/users/me/subscriptions/videos", PeerTube.subscribed_videos),
    ("GET", ACTOR, lambda tube, request, kind, handle: tube.json(tube.actor(handle, kind == "video-channels").json())),
    ("GET", ACTOR + "/videos", PeerTube.actor_videos), ("GET", ACTOR + "/video-playlists", PeerTube.actor_playlists),
    ("GET", rf"/accounts/{ID}/video-channels", PeerTube.account_channels),
    ("GET", rf"/video-playlists/{ID}", lambda tube, request, given: tube.json(tube.playlist_of(request, given).json())),
    ("GET", rf"/video-playlists/{ID}/videos", PeerTube.playlist_videos),
    ("GET", rf"/videos/{ID}", PeerTube.details), ("POST", rf"/videos/{ID}/token", PeerTube.video_token),
    ("GET", rf"/videos/{ID}/(captions|chapters|storyboards)", PeerTube.about_video)]


class Handler(Connection):
    """One connection."""

    def do(self):
        tube = self.server.tube
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        self.raw, self.bearer, self.range = self.path, None, self.headers.get("Range")
        path, _, query = self.path.partition("?")
        self.pairs = urllib.parse.parse_qsl(query, True)
        self.query, self.place, self.form = dict(self.pairs), urllib.parse.unquote(path), dict(urllib.parse.parse_qsl(body, True))
        tube.closing.wait(tube.delay)
        answer = tube.answer(self)
        shown = urllib.parse.urlencode([(n, "SECRET" if n.lower() in SECRET else v) for n, v in self.pairs])
        with tube.lock:
            tube.asked.append(Asked(self.command, path, shown, answer.status, self.range))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    def lists(self, name):
        """Values of `name`, given once, several times or as `name[]`."""
        return [v for n, v in self.pairs if n in (name, name + "[]")]

    def send(self, answer):
        chunked = "Transfer-Encoding" in answer.headers
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, str(value).encode().decode("latin-1"))
        if answer.status != 304 and not chunked:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command == "HEAD" or answer.status == 304:
            return
        tube = self.server.tube
        count, ends = tube.breaks(answer, answer.media and answer.media[0])
        if ends:
            tube.refuse(answer.media)
        body = answer.body[:count]
        if chunked:
            body = b"%x\r\n%s\r\n" % (len(body), body) + (b"0\r\n\r\n" if count == len(answer.body) else b"") if body else b""
        self.write(body, len(body))
        if count < len(answer.body):
            self.close_connection = True
