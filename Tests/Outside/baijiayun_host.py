"""A stand-in of BaijiaYun (百家云): the signed server API, the players' API, and the CDN that their answers point to.

There is no server to run and no official fixture. Marks beside each form: [src] the vendor's documentation, SDK headers or
player script; [pkg] the PyPI package baijiayun 1.0.1; [obs] several clients agree; [one] one client; [mem] nothing but
plausibility. Sources: dev.baijiayun.com/wiki/detail/4 (videos) and /6 (playbacks); bjycloud/baijiayun-skills:
references/api-room.md and error-codes.md; the vendor's BjcPlayer script, mini program (playback) and HarmonyOS SDK document;
iOS headers BJVPlayInfo.h, BJVDefinitionInfo.h, PMVideoInfoModel.h, BJPSignalModel.h. Of the wiki pages only the beginnings are
stored, and the scripts, the document and most headers were read in copies that others keep.
Whatever follows a token is a stand-in in the strict sense: no test against it proves the host.
"""

import base64
import collections
import email.utils
import hashlib
import http.server
import itertools
import json
import re
import secrets
import threading
import time
import urllib.parse

from stand_in import Connection, StandIn

# BJVDefinitionInfo.h and the HarmonyOS document §6.2; the Chinese names are shown in players. [src]
DEFINITIONS = {"low": "标清", "high": "高清", "superHD": "超清", "720p": "720P", "1080p": "1080P", "audio": "音频"}
# Inside cdn_list and in origin_definition they have other names: "high" is superHD there. [one recorded answer, obs callbacks]
INNER = {"low": "low", "high": "std", "superHD": "high", "720p": "super", "1080p": "1080p", "audio": "audio"}
SIZES = {"low": (640, 360), "high": (848, 480), "superHD": (960, 540), "720p": (1280, 720), "1080p": (1920, 1080),
         "audio": (0, 0)}
TYPES = {"mp4": "video/mp4", "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t", "mp3": "audio/mpeg", "vtt": "text/vtt",
         "json": "application/json", "gz": "application/gzip", "jpg": "image/jpeg"}
# error-codes.md [src]: 404, 1, 1001, 1002, 2001, 2002, 3001, 3002; HarmonyOS §7 [src]: 5101 to 5103 are token faults, which is
# which isn't said; BjcPlayer [src]: 5300 sends the viewer to data.url. The others aren't in any table, so they are 1, "see msg"
# [mem]; 3 for a lost file is the project's own older knowledge.
CODES = {"path": (404, "请求路径不存在"), "parameter": (1001, "参数错误"), "timestamp": (1001, "时间戳已过期"), "sign": (1002, "签名错误"),
         "account": (2001, "账号不存在"), "permission": (2002, "账号权限错误"), "room": (3001, "房间号不存在"),
         "deleted": (3002, "该房间已删除"), "often": (1, "请求过于频繁，请稍后再试"), "video": (1, "视频不存在"),
         "unready": (1, "视频转码中"), "blocked": (1, "视频已被屏蔽"), "lost": (3, "视频文件丢失"), "token": (5101, "token无效"),
         "expired": (5102, "token已过期"), "other": (5103, "token与视频不匹配"), "restricted": (5300, "")}
SECRET = ("token", "sign", "t", "partner_key", "secret_key")

Asked = collections.namedtuple("Asked", "method path query status range server")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
File = collections.namedtuple("File", "content kind modified signed")


class Problem(Exception):
    """An answer with a code other than 0; data is null with an error (api-room.md), but for 5300."""

    def __init__(self, name, data=None):
        super().__init__(name)
        self.name, self.data = name, data


def sign(parameters, key):
    """Sorted by key, joined, the partner key at the end, MD5 in lower case: api-room.md with a vector [src], [pkg]."""
    text = "".join(f"{name}={value}&" for name, value in sorted(parameters.items())) + "partner_key=" + key
    return hashlib.md5(text.encode()).hexdigest()


def php_json(value):
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")


def as_text(value):
    """Every number as text, as PHP does with what comes from a database. [obs: duration "2055"]"""
    if isinstance(value, dict):
        return {k: v if k == "code" else as_text(v) for k, v in value.items()}
    if isinstance(value, list):
        return [as_text(v) for v in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def date(seconds):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds + 8 * 3600))


class Video:
    """An uploaded video, or a playback of a room if it has `room_id`. Attributes may be changed by the test at any time."""

    def __init__(self, yun, name, id, files=None, hls=None, encrypted=None, ev2=None, audio=None, **more):
        self.yun, self.name, self.id, self.created = yun, name, id, yun.created + 3600 * len(yun.videos)
        # 10 uploading, 20 transcoding, 30 failed, 31, 32 timeouts, 100 done [obs]; a playback: 0 none, 10 recording, the rest
        # alike: wiki 6 [src]. publish_status 1 shown, 2 blocked: wiki 6 [src].
        self.status, self.publish_status = 100, 1
        # `lost`: no file any more; `restricted`: an address that the host asks the viewer to open (5300).
        self.lost, self.restricted, self.deleted, self.length = False, None, False, 2055
        self.category, self.room_id, self.session_id, self.version, self.product_type = 0, None, 0, 0, 1
        self.subtitles, self.signals, self.package, self.user_videos = {}, {}, None, []
        unknown = set(more) - set(vars(self))
        assert not unknown, unknown
        vars(self).update(more)
        self.store(files, hls, encrypted, ev2, audio)

    def store(self, files=None, hls=None, encrypted=None, ev2=None, audio=None):
        """Gives it these files by definition; paths change, as after a second upload. Old addresses then give 404."""
        self.formats = {"mp4": {**(files or {})}, "m3u8": hls or {}, "ev1": encrypted or {}, "ev2": ev2 or {},
                        "mp3": {"audio": audio} if audio else {}}
        with self.yun.lock:
            for path in getattr(self, "paths", {}).values():
                self.yun.files.pop(path, None)
        self.paths = {}
        for kind, definitions in self.formats.items():
            for definition, content in definitions.items():
                self.paths[kind, definition] = self.stored(kind, content)

    def stored(self, kind, content):
        """Paths as seen in addresses of its CDN: mp4 and ev2 [one], the rest [mem]."""
        whole = content if isinstance(content, bytes) else b"".join(content.values())
        stem = f"{self.id}_{hashlib.md5(whole).hexdigest()}_{secrets.token_hex(4)}"
        folder = "/00-x-upload/video/" + (f"{stem}_{kind if kind == 'm3u8' else 'mp4'}/" if kind in ("m3u8", "ev2") else "")
        if isinstance(content, bytes):
            return self.yun.store(f"{folder}{stem}.{kind}", content)
        return [self.yun.store(folder + name, part) for name, part in content.items()][0]

    @property
    def plain(self):
        return any(self.formats[kind] for kind in ("mp4", "m3u8", "mp3"))

    def size(self, kind, definition):
        content = self.formats[kind][definition]
        return len(content) if isinstance(content, bytes) else sum(map(len, content.values()))

    def total(self):
        return sum(self.size(kind, d) for kind, definitions in self.formats.items() for d in definitions)

    def listed(self):
        """An element of getVideoList and getCategoryVideo: as in a client's class. [one: weiran's CategoryVideo]"""
        best = next((d for d in reversed(DEFINITIONS) if d in self.formats["mp4"]), "low")
        levels = {f"category_level{n}_id": self.category if n == 1 else 0 for n in range(1, 6)}
        return {"video_id": self.id, "name": self.name, "status": self.status, "total_size": self.total(),
                "total_transcode_size": self.total(), "origin_definition": INNER[best], "create_time": self.created,
                "preface_url": self.yun.cover(self.id), "length": str(self.length), "publish_status": self.publish_status,
                "audit_status": 1, "file_md5": hashlib.md5(self.name.encode()).hexdigest(), **levels}

    def recorded(self):
        """An element of playback/getList [obs: three clients' fields]; the form of play_url is [mem]."""
        place = {"playback_id": 500000 + self.id, "room_id": str(self.room_id), "session_id": self.session_id,
                 "status": self.status}
        if self.status != 100:
            # wiki 6: a playback that isn't made has neither video_id nor the other fields. [src]
            return {**place, "name": self.name, "create_time": date(self.created)}
        address = (f"{self.yun.base}/web/playback/index?classid={self.room_id}&session_id={self.session_id}"
                   f"&token={self.yun.token_for(self)}")
        return {**place, "video_id": self.id, "name": self.name, "create_time": date(self.created), "length": self.length,
                "total_transcode_size": self.total(), "play_times": 3, "play_url": address,
                "preface_url": self.yun.cover(self.id), "publish_status": self.publish_status, "version": self.version}

    def basic(self):
        """playback/getBasicInfo: wiki 6. [src]"""
        if self.status != 100:
            return {"status": self.status}
        return {"status": 100, "video_id": self.id, "name": self.name, "length": self.length, "total_size": self.total(),
                "total_transcode_size": self.total(), "total_ext_media_size": 0, "preface_url": self.yun.cover(self.id),
                "publish_status": self.publish_status, "create_time": self.created}

    def cdn_list(self, kind, definition, encoded):
        """cdn, url, enc_url, size, width, height, weight: PMVideoInfoModel.h [src]; oversea, types [one recorded answer]."""
        width, height = SIZES[definition]
        path = self.paths[kind, definition]
        return [{"cdn": cdn, "definition": INNER[definition], "duration": self.length, "height": height, "oversea": 0,
                 "size": self.size(kind, definition), "url": "" if encoded else self.yun.signed(path, index), "width": width,
                 "weight": weight, "enc_url": self.yun.opaque() if encoded else ""}
                for index, (cdn, weight) in enumerate(self.yun.cdns)]

    def play_info(self, kind, encoded):
        found = {definition: {"definition": DEFINITIONS[definition], "size": self.size(kind, definition),
                              "cdn_list": self.cdn_list(kind, definition, encoded)} for definition in self.formats[kind]}
        if kind in ("mp4", "m3u8") and self.formats["mp3"]:
            found |= self.play_info("mp3", encoded)
        # What is empty is an array in PHP. [mem]
        return found or []

    def chosen(self, form):
        """The first of supports_format that there is; ev1 and ev2 only for who asks, or where nothing else is. [one, mem]"""
        asked = form.get("supports_format", "mp4,m3u8").split(",")
        return next((kind for kind in asked + ["mp4", "m3u8", "mp3", "ev1", "ev2"] if self.formats.get(kind)), "mp4")

    def played(self, form, all_formats=False):
        """data of getPlayUrl, getPlayInfo, getAllFormatPlayUrl: BJVPlayInfo.h, BjcPlayer, mini program [src], clients [obs]."""
        kind, encoded = self.chosen(form), form.get("use_encrypt") != "0" or self.yun.always_encoded
        info = self.play_info(kind, encoded)
        names = [d for d in DEFINITIONS if info and d in info]
        data = {"video_id": self.id, "duration": str(self.length), "format": kind, "guid": secrets.token_hex(8),
                "title": self.name, "is_encrypt": int(not self.plain),
                "definition": [{"type": d, "name": DEFINITIONS[d]} for d in names],
                "vod_default_definition": names[0] if names else "", "playback_default_definition": names[0] if names else "",
                "video_info": {"video_id": self.id, "partner_id": self.yun.partner_id, "title": self.name, "video_snapshot": []},
                "init_pic": self.yun.cover(self.id), "start_video": "", "end_video": "", "section_list": [],
                "report_interval": 120,
                "audio_url": self.yun.signed(self.paths["mp3", "audio"]) if self.formats["mp3"] and not encoded else "",
                "subtitles": [{"id": str(n), "name": name, "is_default": int(n == 1),
                               "url": self.yun.loose(f"/00-x-subtitle/{self.id}_{n}.vtt", content)}
                              for n, (name, content) in enumerate(self.subtitles.items(), 1)]}
        if all_formats:
            # The web player reads enc_url only, and url was "" in the recorded answer. [src, one]
            found = {f: self.play_info(f, True) for f in self.formats if self.formats[f]}
            return {**data, "all_format_play_info": found or []}
        return {**data, "play_info": info, **(self.signalled(encoded) if self.room_id else {})}

    def signalled(self, encoded):
        """signal.all.url and so on, signal.chat[].url, package_signal.package_url: BJPSignalModel.h [src], mediago [one]."""
        folder = f"/00-x-signal/{self.room_id}_{self.session_id}/"
        signal = {}
        for name, content in self.signals.items():
            parts = content if isinstance(content, list) else [content]
            made = [{"name": f"{name}{n}.json", "url": self.yun.loose(f"{folder}{name}{n}.json", part)}
                    for n, part in enumerate(parts)]
            signal[name] = made if isinstance(content, list) else made[0]
        package = [] if not self.package else {"package_url": self.yun.loose(folder + "package.tar.gz", self.package),
                                               "package_size": len(self.package)}
        # user_video: what assistants' cameras and students sent, each with a play_info of its own. [src mini program]
        others = [{"definition": [{"type": d, "name": DEFINITIONS[d]} for d in v.formats["mp4"]],
                   "play_info": v.play_info("mp4", encoded)} for v in self.user_videos]
        return {"signal": signal or [], "package_signal": package, "class_data": {"title": self.name}, "user_video": others,
                "session_id": self.session_id, "room_id": self.room_id, "playback_title": self.name}


class BaijiaYun(StandIn):
    """An account: `base` is its domain (https://NAME.at.baijiayun.com), `media` its CDNs' addresses; switches are attributes."""

    def __init__(self, case, partner_id=70969736, partner_key="demo"):
        self.partner_id, self.partner_key = partner_id, partner_key
        self.lock, self.closing = threading.Lock(), threading.Event()
        self.created, self.clock, self.numbers = 1732000000, time.time, itertools.count(12343768)
        self.videos, self.categories, self.files, self.tokens, self.asked = [], {}, {}, {}, []
        # All that was sent to any of the servers, as it was: for what must not be in it.
        self.raw = []
        self.codes, self.secret, self.refused = dict(CODES), secrets.token_hex(8), set()
        # 200 calls in 10 s for an account and an address: wiki 6, api-room.md [src]; its answer is [mem].
        self.limit, self.window, self.calls = 200, 10, collections.deque()
        # The vendor's own client refuses timestamps of more than 5 minutes: bjycloud baijiayun.js [src]; the server's are [mem].
        self.timestamp_window, self.url_life = 300, 6 * 3600
        # `always_encoded`: enc_url whatever was asked; `callback`: a wrapper nobody asked for; `schemeless`: addresses without
        # https: [one]; `total_more`: a total that is too high, so that a last page is empty.
        self.always_encoded, self.callback, self.numbers_as_text, self.schemeless = False, None, False, False
        self.total_more = 0
        self.permitted, self.status, self.retry_after, self.html, self.half, self.delay = True, None, None, False, False, 0
        # CDNs in the order of the answer [one recorded answer]; those in `cdn_status` answer with that status.
        self.cdns, self.cdn_status = [("hw4jd", 9), ("al4jd", 6)], {}
        # Ends of paths, each with the bytes after which an answer breaks: an int for once, a list for several times.
        self.break_after, self.expire_after = {}, {}
        self.servers = [self.start(number) for number in range(1 + len(self.cdns))]
        self.base, *self.media = (f"http://127.0.0.1:{server.server_port}" for server in self.servers)
        case.addCleanup(self.stop)

    def start(self, number):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.yun, server.number = True, self, number
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

    def category(self, name, parent=0):
        number = 20000 + len(self.categories) + 1
        self.categories[number] = name, parent
        return number

    def video(self, name, files=None, **more):
        """`files`, `hls`, `encrypted` (ev1), `ev2` by definition; hls has its files by name, the playlist first."""
        self.videos.append(Video(self, name, next(self.numbers), files, **more))
        return self.videos[-1]

    def playback(self, name, files=None, room_id=None, session_id=0, **more):
        """A room number has 14 digits [src]; a room that is open for long has sessions such as 201711281 [pkg]."""
        room_id = room_id or 26112900000000 + next(self.numbers)
        return self.video(name, files, room_id=room_id, session_id=session_id, **more)

    def expire(self, tokens=True, urls=True):
        """What was handed out so far is refused from now on."""
        if tokens:
            with self.lock:
                self.tokens = {token: (video, 1) for token, (video, _) in self.tokens.items()}
        if urls:
            self.secret = secrets.token_hex(8)

    def sign(self, **parameters):
        return sign(parameters, self.partner_key)

    def store(self, path, content, signed=True):
        self.files[path] = File(content, TYPES.get(path.rpartition(".")[2], "application/octet-stream"), self.created, signed)
        return path

    def loose(self, path, content):
        """The address of a file that needs no signature: signals, subtitles, pictures. [mem]"""
        return self.media[0] + self.store(path, content, signed=False)

    def cover(self, number):
        return self.loose(f"/00-x-image/{number}.jpg", b"\xff\xd8\xff\xe0 cover")

    def signed(self, path, index=0, life=None):
        """?t=HEX&sign=MD5 [one: three addresses]; that t is the end of its life rather than its beginning is [mem]."""
        end = int(self.clock() + (self.url_life if life is None else life))
        while self.media_sign(path, f"{end:x}") in self.refused:
            end += 1
        address = f"{self.media[index]}{path}?t={end:x}&sign={self.media_sign(path, f'{end:x}')}"
        return address.partition(":")[2] if self.schemeless else address

    def media_sign(self, path, t):
        return hashlib.md5(f"{self.secret}{path}{t}".encode()).hexdigest()

    @staticmethod
    def opaque():
        """An address that only the vendor's players read; here it is noise, for nobody is to read it."""
        return "bjcloudvod://" + base64.urlsafe_b64encode(secrets.token_bytes(90)).decode().rstrip("=")

    def token_for(self, video, life=0):
        """Letters, digits, - and _; 0 is for ever [pkg]."""
        token = secrets.token_urlsafe(40)
        with self.lock:
            self.tokens[token] = video, self.clock() + life if life else 0
        return token

    def answer(self, request):
        if self.status:
            return self.page(self.status, {"Retry-After": self.retry_after} if self.retry_after is not None else {})
        if request.server.number:
            return self.file_sent(request)
        if self.html:
            return self.page(200)
        api = request.place.startswith("/openapi/")
        player = {"/vod/video/getPlayUrl": self.vod, "/vod/video/getAllFormatPlayUrl": self.vod_all,
                  "/web/playback/getPlayInfo": self.playback_info}.get(request.place)
        if not api and not player:
            return self.page(404)
        try:
            body = self.envelope("", player(request.form) if player else self.called(request), 0)
        except Problem as problem:
            body = self.envelope(self.codes[problem.name][1], problem.data, self.codes[problem.name][0])
        return self.wrapped(request, body, player)

    def envelope(self, message, data, code):
        """{code, data, msg, ts}: wiki 44 [src]; the status is 200 with every code [obs]."""
        body = {"code": code, "data": data, "msg": message, "ts": int(self.clock())}
        return php_json(as_text(body) if self.numbers_as_text else body)

    def wrapped(self, request, body, player):
        """JSONP only with a callback: with render=jsonp alone it is plain JSON. [src mini program, obs: four clients]"""
        name = self.callback or (request.form.get("callback") if player and request.form.get("render") == "jsonp" else None)
        if name and re.fullmatch(r"[\w$.]+", name):
            return Answer(200, f"{name}({body})".encode(), {"Content-Type": "application/javascript; charset=UTF-8"})
        return Answer(200, body.encode(), {"Content-Type": "application/json; charset=UTF-8"})

    @staticmethod
    def page(status, headers=None):
        text = f"<html><head><title>{status}</title></head><body><h1>{status}</h1><hr>nginx</body></html>".encode()
        return Answer(status, text, {"Content-Type": "text/html", **(headers or {})})

    def called(self, request):
        """Account, sign, timestamp, rate, then the function; in which order the host checks is [mem]."""
        form, call = request.form, self.functions().get(request.place)
        if not call:
            raise Problem("path")
        if not form.get("partner_id") or not form.get("sign") or not re.fullmatch(r"\d{10}", form.get("timestamp", "")):
            raise Problem("parameter")
        if form["partner_id"] != str(self.partner_id):
            raise Problem("account")
        if sign({n: v for n, v in form.items() if n != "sign"}, self.partner_key) != form["sign"]:
            raise Problem("sign")
        if abs(int(form["timestamp"]) - self.clock()) > self.timestamp_window:
            raise Problem("timestamp")
        with self.lock:
            while self.calls and self.calls[0] <= self.clock() - self.window:
                self.calls.popleft()
            if len(self.calls) >= self.limit:
                raise Problem("often")
            self.calls.append(self.clock())
        if not self.permitted:
            raise Problem("permission")
        return call(form)

    def functions(self):
        """All in [pkg], getBasicInfo in wiki 6 [src]. GET and POST alike: wiki 4, 6 [src]."""
        video, playback = "/openapi/video/", "/openapi/playback/"
        return {video + "getVideoList": lambda form: self.paged(form, self.uploads(), Video.listed, 1000, 20),
                video + "getCategoryVideo": self.category_videos, video + "getCategoryList": self.category_list,
                video + "getInfo": lambda form: self.by_id(form).listed(), video + "getUrl": self.urls,
                video + "getStatus": lambda form: {"video_id": self.by_id(form).id, "status": self.by_id(form).status},
                video + "getPlayerToken": lambda form: self.player_token(form, self.by_id(form)),
                video + "getPlayerTokenBatch": self.token_batch, playback + "getPlayerTokenBatch": self.playback_batch,
                playback + "getList": self.playback_list, playback + "getBasicInfo": lambda form: self.by_room(form).basic(),
                playback + "getPlayerToken": lambda form: self.player_token(form, self.by_room(form))}

    def player_token(self, form, video):
        return {"token": self.token_for(video, self.number(form, "expires_in"))}

    @staticmethod
    def number(form, name, default=None):
        text = form.get(name, "" if default is None else str(default))
        if not re.fullmatch(r"\d+", text):
            raise Problem("parameter")
        return int(text)

    def uploads(self, category=None):
        """Newest first. [mem; src for playbacks]"""
        return [v for v in reversed(self.videos) if not v.room_id and not v.deleted and category in (
            None, v.category, self.categories.get(v.category, (0, 0))[1])]

    def paged(self, form, found, made, most, default):
        """page from 1; page_size up to 1000, or 100 in a category [pkg]; total and list: wiki 44 [src], [obs]."""
        page, size = self.number(form, "page", default and 1), self.number(form, "page_size", default)
        if not page or not 0 < size <= most:
            raise Problem("parameter")
        return {"total": len(found) + self.total_more, "list": [made(v) for v in found[(page - 1) * size:page * size]]}

    def category_videos(self, form):
        """Of a category of the first level also what is in those below [pkg]."""
        number = self.number(form, "category_id")
        if number not in self.categories:
            raise Problem("parameter")
        return self.paged(form, self.uploads(number), Video.listed, 100, 20)

    def category_list(self, _):
        """A tree of id, name, children. [one: weiran's syncCourses]"""
        def below(parent):
            return [{"id": n, "name": name, "parent_id": parent, "total": len(self.uploads(n)), "children": below(n)}
                    for n, (name, above) in self.categories.items() if above == parent]
        return {"list": below(0)}

    def playback_list(self, form):
        """page and page_size are required; newest first; sessions of one room are found by room_id. [pkg]"""
        room, product = form.get("room_id"), form.get("product_type")
        found = [v for v in reversed(self.videos) if v.room_id and not v.deleted and room in (None, "", str(v.room_id))
                 and product in (None, "", str(v.product_type))]
        return self.paged(form, found, Video.recorded, 1000, None)

    def by_id(self, form, name="video_id"):
        number = self.number(form, name)
        found = next((v for v in self.videos if v.id == number and not v.deleted), None)
        if not found:
            raise Problem("video")
        return found

    def by_room(self, form):
        """Without session_id the first session of a long room: BJPRoom.h. [src]"""
        room, session = self.number(form, "room_id"), self.number(form, "session_id", 0) if form.get("session_id") else 0
        found = [v for v in self.videos if v.room_id == room and session in (0, v.session_id)]
        if not found:
            raise Problem("room")
        if all(v.deleted for v in found):
            raise Problem("deleted")
        return next(v for v in found if not v.deleted)

    def token_batch(self, form):
        """Numbers with their tokens. [one: lizhongyuan3's Map<String, String>]; that unknown ones are left out is [mem]."""
        life, asked = self.number(form, "expires_in"), form.get("video_ids", "").split(",")
        return {str(v.id): self.token_for(v, life) for v in self.videos if str(v.id) in asked and not v.deleted} or []

    def playback_batch(self, form):
        """ROOM, or ROOM-SESSION, with commas. [pkg]"""
        life, asked = self.number(form, "expires_in"), form.get("room_ids", "").split(",")
        names = {(f"{v.room_id}-{v.session_id}" if v.session_id else str(v.room_id)): v for v in self.videos
                 if v.room_id and not v.deleted}
        return {name: self.token_for(v, life) for name, v in names.items() if name in asked} or []

    def urls(self, form):
        """getUrl: format mp4, m3u8, flv, encrypt; expires_in 12 h unless told [pkg]; play_info.low.url [one], the rest [mem]."""
        video, life = self.by_id(form), self.number(form, "expires_in", 12 * 3600)
        kind = {"encrypt": "ev1"}.get(form.get("format", "mp4"), form.get("format", "mp4"))
        if kind not in ("mp4", "m3u8", "flv", "ev1"):
            raise Problem("parameter")
        self.check(video)
        found = {d: {"url": self.signed(video.paths[kind, d], life=life), "size": video.size(kind, d), "width": SIZES[d][0],
                     "height": SIZES[d][1]} for d in video.formats.get(kind, {})}
        return {"video_id": video.id, "play_info": found or []}

    @staticmethod
    def check(video):
        if video.restricted:
            raise Problem("restricted", {"url": video.restricted})
        for name, wrong in (("lost", video.lost), ("unready", video.status != 100), ("blocked", video.publish_status == 2)):
            if wrong:
                raise Problem(name)

    def admitted(self, form, room):
        """The video of a token: it is good for its video or session alone. [mem]"""
        with self.lock:
            video, end = self.tokens.get(form.get("token", ""), (None, 0))
        if not video:
            raise Problem("token")
        if end and end <= self.clock():
            raise Problem("expired")
        wanted = self.by_room(form) if room else self.by_id(form, "vid")
        if wanted is not video:
            raise Problem("other")
        self.check(video)
        return video

    def vod(self, form):
        return self.admitted(form, False).played(form)

    def vod_all(self, form):
        return self.admitted(form, False).played(form, all_formats=True)

    def playback_info(self, form):
        return self.admitted(form, True).played(form)

    def file_sent(self, request):
        """403 after its time: HarmonyOS §7 [src]; players add &uuid=, which isn't signed: BjcPlayer [src]; ranges, ETag [mem]."""
        cdn, path = self.cdns[request.server.number - 1][0], request.place
        with self.lock:
            file = self.files.get(path)
        if cdn in self.cdn_status:
            return self.page(self.cdn_status[cdn])
        t, given = request.form.get("t", ""), request.form.get("sign", "")
        if not file or file.signed:
            good = re.fullmatch(r"[0-9a-f]{8}", t) and given == self.media_sign(path, t) and given not in self.refused
            if not good or int(t, 16) <= self.clock():
                return self.page(403)
        if not file:
            return self.page(404)
        content = self.playlist(path, file) if path.endswith(".m3u8") else file.content
        return self.ranged(request, file, content, (given, path) if file.signed else (None, path))

    def playlist(self, path, file):
        """Each line with an address of its own signature. [mem]"""
        lines = file.content.decode().splitlines()
        folder = path.rpartition("/")[0] + "/"
        return "\n".join(line if line.startswith("#") or not line else
                         f"{line}?{self.signed(folder + line).partition('?')[2]}" for line in lines).encode() + b"\n"

    def ranged(self, request, file, content, media):
        size, etag = len(content), f'"{hashlib.md5(content).hexdigest().upper()}"'
        headers = {"Content-Type": file.kind, "ETag": etag, "Accept-Ranges": "bytes", "Access-Control-Allow-Origin": "*",
                   "Last-Modified": email.utils.formatdate(file.modified, usegmt=True)}
        condition = request.headers.get("If-Range")
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "")
        if not match or match[0] == "bytes=-" or condition not in (None, etag, headers["Last-Modified"]):
            return Answer(200, content, headers, media)
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if last < first:
            return self.page(416, {"Content-Range": f"bytes */{size}"})
        return Answer(206, content[first:last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{size}"}, media)


class Handler(Connection):
    """One connection."""

    def do(self):
        yun = self.server.yun
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, query = self.path.partition("?")
        fields = urllib.parse.parse_qsl(query, True)
        if "x-www-form-urlencoded" in self.headers.get("Content-Type", ""):
            fields += urllib.parse.parse_qsl(body, True)
        self.form, self.range, self.place = dict(fields), self.headers.get("Range"), urllib.parse.unquote(path)
        yun.closing.wait(yun.delay)
        answer = yun.answer(self)
        shown = {name: value for name, value in self.form.items() if name not in SECRET}
        server = yun.cdns[self.server.number - 1][0] if self.server.number else "api"
        with yun.lock:
            yun.asked.append(Asked(self.command, path, shown, answer.status, self.range, server))
            yun.raw.append(f"{self.path} {self.headers} {body}")
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    def cut(self, answer):
        yun = self.server.yun
        count, ends = yun.breaks(answer, answer.media and answer.media[1])
        if ends:
            yun.refused.add(answer.media[0])
        return count
