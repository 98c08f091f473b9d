"""A stand-in of an Open edX server (LMS, 2023 to 2026): OAuth, mobile API, course blocks, transcripts, assets; and of its CDN.

Paths of sources are those of openedx/edx-platform (now openedx/openedx-platform), where no other repository is named.
"""

import base64
import calendar
import collections
import email.utils
import hashlib
import hmac
import html
import http.server
import itertools
import json
import re
import secrets
import threading
import time
import urllib.parse

from stand_in import Connection, StandIn

CLIENT = "android"
# xblocks-contrib: video/video_xfields.py: the default of youtube_id_1_0, edX's own demonstration, listed where an author left it.
DEFAULT_YOUTUBE = "3_yD_cEKoCk"
TYPES = {"mp4": "video/mp4", "webm": "video/webm", "m3u8": "application/x-mpegURL", "ts": "video/MP2T", "mp3": "audio/mpeg",
         "pdf": "application/pdf", "vtt": "text/vtt", "srt": "application/x-subrip", "png": "image/png", "jpg": "image/jpeg"}
# xblocks-contrib: xblocks_contrib/video/video.py student_view_data; what else VAL has isn't listed, `youtube` neither.
PROFILES = ("mobile_low", "desktop_mp4", "desktop_webm", "mobile_high", "hls")
# course_api/blocks/transformers/video_stream_priority.py; a format that isn't there has -1.
PRIORITY = {"hls": 0, "mobile_low": 1, "mobile_high": 2, "desktop_mp4": 3, "fallback": 4, "youtube": 5}
# course_api/blocks/serializers.py: what is left of a block that is listed but not open.
ALLOWED_WHEN_DENIED = {"display_name", "block_id", "student_view_url", "student_view_multi_device", "lms_web_url",
                       "legacy_web_url", "type", "id", "block_counts", "graded", "descendants", "contains_gated_content"}
COURSE_KEY = re.compile(r"course-v1:[\w\-~.]+\+[\w\-~.]+\+[\w\-~.:]+|[\w\-~.]+/[\w\-~.]+/[\w\-~.]+")
USAGE_KEY = re.compile(r"block-v1:([\w\-~.]+\+[\w\-~.]+\+[\w\-~.:]+)\+type@[\w\-~.]+\+block@[\w\-~.:%]+")
SECRETS = ("access_token", "refresh_token", "password", "token")

Asked = collections.namedtuple("Asked", "method path query status range origin login")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
File = collections.namedtuple("File", "content kind modified locked", defaults=(False,))
User = collections.namedtuple("User", "id name email password")


class Refused(Exception):
    """An error of an API view: its status, and its detail as text or as a dict."""

    def __init__(self, status, detail):
        super().__init__(detail)
        self.status, self.detail = status, detail


def stamp(seconds):
    return None if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def epoch(text):
    return text if text is None or isinstance(text, (int, float)) else calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


def as_bytes(content):
    return content.encode() if isinstance(content, str) else content


def kind_of(name):
    return TYPES.get(name.rpartition(".")[2].lower(), "binary/octet-stream")


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Block:
    """One XBlock. `hidden` is visible_to_staff_only, `start` seconds or text, `denied` a reason and a message."""

    def __init__(self, course, parent, kind, title, name=None, hidden=False, start=None, denied=None, graded=False, due=None):
        self.course, self.parent, self.kind, self.title, self.children = course, parent, kind, title, []
        number = next(course.edx.numbers)
        self.name = name or hashlib.md5(f"{course.key} {number}".encode()).hexdigest()
        self.hidden, self.start, self.denied, self.graded, self.due = hidden, epoch(start), denied, graded, due
        self.video_data, self.data, self.transcripts, self.html_data = None, None, {}, None
        if parent:
            parent.children.append(self)
        course.blocks[self.id] = self

    @property
    def id(self):
        """opaque_keys: block-v1:ORG+NUMBER+RUN+type@KIND+block@NAME; i4x://ORG/NUMBER/KIND/NAME in courses before 2015."""
        if self.course.key.startswith("course-v1:"):
            return f"block-v1:{self.course.key.removeprefix('course-v1:')}+type@{self.kind}+block@{self.name}"
        org, number, _ = self.course.key.split("/")
        return f"i4x://{org}/{number}/{self.kind}/{self.name}"

    def add(self, kind, title, **more):
        return Block(self.course, self, kind, title, **more)

    def chapter(self, title, **more):
        return self.add("chapter", title, **more)

    def sequential(self, title, **more):
        return self.add("sequential", title, **more)

    def vertical(self, title, **more):
        return self.add("vertical", title, **more)

    def html(self, title, text, **more):
        block = self.add("html", title, **more)
        block.html_data = text
        return block

    def video(self, title, files=None, sources=(), youtube=None, sizes=None, urls=None, only_on_web=False, duration=None,
              transcripts=None, data=None, **more):
        """`files`: contents by profile (hls: contents by name, the first is the master); `sources`: contents or addresses of
        html5_sources; `sizes`, `urls` replace what is listed of a profile; `data` is put over student_view_data as it is."""
        block = self.add("video", title, **more)
        edx, folder = self.course.edx, f"/{block.name[:8]}-{block.name[-4:]}"
        encoded = {}
        for profile, content in (files or {}).items():
            whole = f"{folder}_{profile}.{'webm' if 'webm' in profile else 'mp4'}"
            parts = content if isinstance(content, dict) else {whole: content}
            parts = {name if name.startswith("/") else f"{folder}/{profile}/{name}": as_bytes(c) for name, c in parts.items()}
            for path, part in parts.items():
                edx.store(path, part)
            path, first = next(iter(parts.items()))
            encoded[profile] = {"path": path, "file_size": len(first)}
        addresses = []
        for index, source in enumerate(sources):
            path = f"{folder}_source{index}.mp4"
            addresses.append((not isinstance(source, str), source if isinstance(source, str) else path))
            if not isinstance(source, str):
                edx.store(path, source)
        block.video_data = {"encoded": encoded, "sources": addresses, "youtube": youtube, "sizes": sizes or {},
                            "urls": urls or {}, "only_on_web": only_on_web, "duration": duration}
        block.transcripts, block.data = {lang: as_bytes(text) for lang, text in (transcripts or {}).items()}, data
        return block

    def remove(self):
        self.parent.children.remove(self)
        for block in self.below():
            del self.course.blocks[block.id]

    def below(self):
        return [self] + [b for child in self.children for b in child.below()]

    def begun(self):
        """course_blocks/transformers/start_date.py: the latest start of a block and of all above it counts."""
        return (self.start or 0) <= self.course.edx.now() and (not self.parent or self.parent.begun())

    def path(self):
        return [self] if not self.parent else self.parent.path() + [self]

    def rewritten(self, address):
        """course_api/blocks/transformers/video_urls.py: only the path is kept, at the CDN; null where that isn't a valid URL."""
        path = urllib.parse.urlsplit(address).path
        return None if re.search(r"\s", path) or not path else f"{self.course.edx.cdn}/{path.lstrip('/')}"

    def student_view_data(self):
        """xblocks-contrib: xblocks_contrib/video/video.py; html: xblocks_contrib/html/html.py."""
        edx = self.course.edx
        if self.html_data is not None:
            return {"enabled": True, "html": self.course.absolute(self.html_data)} if edx.html_student_view_data else {
                "enabled": False, "message": 'To enable, set FEATURES["ENABLE_HTML_XBLOCK_STUDENT_VIEW_DATA"]'}
        video = self.video_data
        if video is None:
            return None
        if video["only_on_web"]:
            return {"only_on_web": True, **(self.data or {})}
        encoded = {p: {"url": self.rewritten(e["path"]), "file_size": e["file_size"]} for p, e in video["encoded"].items()
                   if p in PROFILES and (p != "hls" or edx.hls)}
        sources = [edx.cdn + address if stored else address for stored, address in video["sources"]]
        # Without encodings: what the author typed, and YouTube; their sizes are 0.
        if not encoded and sources:
            encoded["fallback"] = {"url": sources[0], "file_size": 0}
        if not set(encoded) - {"fallback"} and video["youtube"]:
            encoded["youtube"] = {"url": f"https://www.youtube.com/watch?v={video['youtube']}", "file_size": 0}
        for profile in encoded:
            encoded[profile] |= {"url": video["urls"].get(profile, encoded[profile]["url"]),
                                 "file_size": video["sizes"].get(profile, encoded[profile]["file_size"]),
                                 "stream_priority": PRIORITY.get(profile, -1)}
        return {"only_on_web": False, "duration": video["duration"], "transcripts": {
            lang: self.transcript_url(lang) for lang in self.transcripts}, "encoded_videos": encoded, "all_sources": sources,
            **(self.data or {})}

    def transcript_url(self, lang):
        """lms_xblock/runtime.py handler_url with thirdparty: handler_noauth, absolute, at SITE_NAME."""
        usage = self.id.replace(";", ";;").replace("/", ";_")
        site = self.course.edx.site or self.course.edx.base
        return f"{site}/courses/{self.course.key}/xblock/{usage}/handler_noauth/transcript/download?lang={lang}"

    def addresses(self):
        """Addresses that a browser shows for this block: lms/urls.py, course_experience/url_helpers.py."""
        edx, course, path = self.course.edx, self.course.key, self.path()
        learning = "/".join([f"{edx.mfe}/course/{course}", *[b.id for b in path[2:4]]] if len(path) > 2 else
                            [f"{edx.mfe}/course/{course}"] + [b.id for b in path[1:]])
        return {"learning": learning, "jump_to": f"{edx.base}/courses/{course}/jump_to/{self.id}",
                "jump_to_id": f"{edx.base}/courses/{course}/jump_to_id/{self.name}", "xblock": f"{edx.base}/xblock/{self.id}",
                "public": f"{edx.base}/videos/{self.id}", "embed": f"{edx.base}/videos/embed/{self.id}",
                "courseware": f"{edx.base}/courses/{course}/courseware/" + "".join(b.name + "/" for b in path[1:3])}

    def listed(self, fields, counted, nav_depth, depth, children, below):
        """course_api/blocks/serializers.py BlockSerializer."""
        edx = self.course.edx
        jump = f"{edx.base}/courses/{self.course.key}/jump_to/{self.id}"
        data = {"id": self.id, "block_id": self.name, "lms_web_url": jump, "legacy_web_url": jump + "?experience=legacy",
                "student_view_url": f"{edx.base}/xblock/{self.id}"}
        known = {"type": self.kind, "display_name": self.title or "", "graded": self.graded, "due": self.due,
                 "start": stamp(self.start or self.course.start), "hide_from_toc": False, "visible_to_staff_only": False,
                 "has_score": self.kind == "problem", "show_correctness": "always",
                 "student_view_data": self.student_view_data() if "student_view_data:" + self.kind in fields else None,
                 "student_view_multi_device": self.kind in ("html", "video"),
                 "completion": 0.0 if not self.children else None,
                 "block_counts": {k: sum(b.kind == k for b in below) for k in counted},
                 "descendants": None if nav_depth is None else [b.id for b in (below[1:] if depth >= nav_depth else children)]}
        data |= {n: v for n, v in known.items() if (n in fields or n == "descendants") and v is not None}
        if "children" in fields and children:
            data["children"] = [b.id for b in children]
        if self.denied:
            data = {n: v for n, v in data.items() if n in ALLOWED_WHEN_DENIED}
            data |= {"authorization_denial_reason": self.denied[0], "authorization_denial_message": self.denied[1]}
        return data


class Course(Block):
    """A course run; itself the root block. `mobile` is mobile_available."""

    def __init__(self, edx, key, title, users=(), start="2024-01-01T00:00:00Z", end=None, mobile=True, public=False, expires=None,
                 hidden=False):
        self.edx, self.key, self.users, self.start, self.end = edx, key, {}, epoch(start), epoch(end)
        self.mobile, self.public, self.expires, self.assets, self.blocks = mobile, public, expires, {}, {}
        # What Studio names the root: "course" in new keys, the run in old ones.
        Block.__init__(self, self, None, "course", title, name="course" if ":" in key else key.split("/")[2], start=start,
                       hidden=hidden)
        for user in users:
            self.enrol(user)

    def enrol(self, user):
        self.users[user] = 1700000000 + next(self.edx.numbers)

    def leave(self, user):
        del self.users[user]

    def asset(self, name, content, locked=False):
        """A file of the course; returns its path. In HTML it is `/static/name`."""
        path = f"/asset-{self.key.removeprefix('course-')}+type@asset+block@{name.replace('/', '_')}"
        self.edx.assets[path] = self, File(as_bytes(content), kind_of(name), 1732000000, locked)
        return path

    def absolute(self, text):
        return re.sub(r"""(["'(])/static/([^"')?]+)""", lambda m: (
            f"{m[1]}/asset-{self.key.removeprefix('course-')}+type@asset+block@{m[2].replace('/', '_')}"), text)

    def access(self):
        """courseware/access_response.py to_json."""
        text = {"has_access": True, "error_code": None, "developer_message": None, "user_message": None}
        if self.hidden:
            text = {"has_access": False, "error_code": "not_visible_to_user", "developer_message":
                    "Course is not visible to this user", "user_message": "You do not have access to this course"}
        elif self.start > self.edx.now():
            begins = time.gmtime(self.start)
            text = {"has_access": False, "error_code": "course_not_started",
                    "developer_message": time.strftime("Course does not start until %Y-%m-%d %H:%M:%S+00:00", begins),
                    "user_message": time.strftime("Course does not start until %B %d, %Y", begins)}
        return {**text, "additional_context_user_message": None, "user_fragment": None}

    def dated(self):
        return {"start": stamp(self.start), "start_display": time.strftime("%b. %-d, %Y", time.gmtime(self.start)),
                "start_type": "timestamp", "end": stamp(self.end)}

    def names(self):
        org, number = re.split(r"[+/]", self.key.removeprefix("course-v1:"))[:2]
        return {"name": self.title, "number": number, "org": org}

    def enrolled(self, user, version):
        """mobile_api/users/serializers.py CourseEnrollmentSerializer and CourseOverviewField."""
        base, mobile = self.edx.base, f"{self.edx.base}/api/mobile/{version}/course_info/{self.key}"
        image = f"/asset-{self.key.removeprefix('course-')}+type@asset+block@images_course_image.jpg"
        course = {"id": self.key, **self.names(), "org_logo": None, **self.dated(), "dynamic_upgrade_deadline": None,
                  "subscription_id": re.sub(r"\W", "_", "course_" + self.key), "courseware_access": self.access(),
                  "media": {"course_image": {"uri": image, "name": "Course Image"}}, "course_image": image,
                  "course_about": f"{base}/courses/{self.key}/about", "course_sharing_utm_parameters": {},
                  "course_updates": mobile + "/updates", "course_handouts": mobile + "/handouts",
                  "discussion_url": None, "video_outline": None, "is_self_paced": False}
        entry = {"audit_access_expires": self.expires, "created": stamp(self.users[user]), "mode": "audit", "is_active": True,
                 "course": course, "certificate": {}, "course_modes": [{
                     "slug": "audit", "sku": None, "android_sku": None, "ios_sku": None, "min_price": 0}]}
        return {n: v for n, v in entry.items() if version != "v0.5" or n not in ("audit_access_expires", "course_modes")}


class OpenEdX(StandIn):
    """The LMS at `base` and the CDN at `cdn`, two origins. What was asked is in `requests`; switches are set as attributes."""

    def __init__(self, case, client=CLIENT):
        self.numbers, self.lock, self.closing, self.client = itertools.count(1), threading.Lock(), threading.Event(), client
        self.people, self.courses, self.files, self.assets, self.asked = {}, {}, {}, {}, []
        self.tokens, self.refreshes, self.key, self.sessions = {}, {}, secrets.token_bytes(32), {}
        # oauth_dispatch/jwt.py: an hour for a JWT; django-oauth-toolkit: ten hours for an opaque token.
        self.jwt_life, self.opaque_life, self.password_login, self.jwt_disabled, self.offset = 3600, 36000, True, False, 0
        # edx-drf-extensions from 2023-05 on (auth/jwt/decoder.py) says "Invalid token." of an expired JWT too; before: this one.
        self.says_expired = False
        self.hls, self.html_student_view_data, self.site, self.mobile_api = True, False, None, True
        # Not in the source: a site whose proxy closes handler_noauth.
        self.transcript_login = False
        # S3 behind CloudFront answers 403 for what isn't there, unless listing is allowed (then 404).
        self.missing, self.refused = 403, set()
        self.status, self.retry_after, self.html, self.half, self.delay = None, None, False, False, 0
        # Ends of decoded paths of media, each with the bytes after which an answer breaks: an int for once, a list for several.
        self.break_after, self.expire_after = {}, {}
        self.servers = [self.serve(case, origin) for origin in ("lms", "cdn")]
        self.base, self.cdn = (f"http://127.0.0.1:{server.server_port}" for server in self.servers)
        self.mfe = self.base + "/learning"

    def serve(self, case, origin):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads, server.edx, server.origin = True, self, origin
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop, server)
        return server

    def stop(self, server):
        self.closing.set()
        server.shutdown()
        server.server_close()

    def now(self):
        return time.time() + self.offset

    @property
    def requests(self):
        """What was asked so far, without tokens; `login` is the scheme of Authorization that came, Cookie, or ""."""
        with self.lock:
            return list(self.asked)

    def user(self, name, password, mail=None):
        self.people[name] = User(len(self.people) + 4, name, mail or f"{name}@example.org", password)

    def course(self, key, title, users=(), **more):
        self.courses[key] = Course(self, key, title, users, **more)
        return self.courses[key]

    def store(self, path, content):
        self.files[path] = File(as_bytes(content), kind_of(path), 1732000000 + len(self.files))

    def refuse(self, end):
        """The CDN refuses media whose path ends so, from now on."""
        with self.lock:
            self.refused.add(end)

    # Logins.

    def issue(self, name, jwt=True):
        """An access token and a refresh token, as after a login."""
        if jwt:
            now = int(time.time())
            claims = {"aud": "openedx", "exp": now + self.jwt_life, "grant_type": "password", "iat": now,
                      "iss": self.base + "/oauth2", "preferred_username": name,
                      "scopes": ["read", "write", "email", "profile"], "version": "1.2.0",
                      "sub": hashlib.md5(name.encode()).hexdigest(), "filters": ["user:me"], "is_restricted": False,
                      "email_verified": True, "email": self.people[name].email, "name": name.capitalize(),
                      "jti": secrets.token_hex(4)}
            parts = ".".join(base64url(json.dumps(p).encode()) for p in ({"alg": "HS256", "typ": "JWT"}, claims))
            access = f"{parts}.{base64url(hmac.new(self.key, parts.encode(), 'sha256').digest())}"
        else:
            access = secrets.token_urlsafe(22)
        refresh = secrets.token_urlsafe(22)
        with self.lock:
            self.tokens[access] = [name, time.time() + (self.jwt_life if jwt else self.opaque_life), jwt]
            self.refreshes[refresh] = (name, access)
        return access, refresh

    def log_in(self, name):
        """The value of the cookie `sessionid` of a browser that has logged in. `sessions` has the names by these values."""
        value = secrets.token_hex(16)
        self.sessions[value] = name
        return value

    def expire(self, name, refresh=False):
        """All access tokens of a user are expired from now on, and with `refresh` the refresh tokens are gone."""
        with self.lock:
            for entry in self.tokens.values():
                if entry[0] == name:
                    entry[1] = 0
            if refresh:
                self.refreshes = {t: v for t, v in self.refreshes.items() if v[0] != name}

    def forget(self, name):
        """The tokens of a user don't exist any more: edx_clear_expired_tokens, or a new signing key."""
        with self.lock:
            self.tokens = {t: v for t, v in self.tokens.items() if v[0] != name}

    def token_request(self, request):
        """oauth_dispatch/views.py AccessTokenView; oauthlib: rfc6749/grant_types, errors.py."""
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache"}
        if request.command != "POST":
            return Answer(405, b"", {"Allow": "POST, OPTIONS", "Content-Type": "text/html; charset=utf-8"})
        try:
            return Answer(200, json.dumps(self.granted(request.form)).encode(), headers)
        except Refused as error:
            name = error.detail["error"]
            more = {"WWW-Authenticate": f'Bearer error="{name}"'} if error.status == 401 else {}
            return Answer(error.status, json.dumps(error.detail).encode(), {**headers, **more})

    def granted(self, form):
        grant = form.get("grant_type")
        if grant not in ("password", "refresh_token"):
            raise Refused(400, {"error": "unsupported_grant_type"})
        for name in ("username", "password") if grant == "password" else ():
            if not form.get(name):
                raise Refused(400, {"error": "invalid_request", "error_description": f"Request is missing {name} parameter."})
        if grant == "refresh_token" and "refresh_token" not in form:
            raise Refused(400, {"error": "invalid_request", "error_description": "Missing refresh token parameter."})
        if form.get("client_id") != self.client:
            raise Refused(401, {"error": "invalid_client"})
        name = self.known_user(form) if grant == "password" else self.refreshed(form["refresh_token"])
        jwt = form.get("token_type", "").lower() == "jwt" and not self.jwt_disabled
        access, refresh = self.issue(name, jwt)
        return {"access_token": access, "expires_in": self.jwt_life if jwt else self.opaque_life,
                "token_type": "JWT" if jwt else "Bearer", "scope": "read write email profile", "refresh_token": refresh}

    def known_user(self, form):
        """oauth_dispatch/dot_overrides/validators.py: by name or by mail address."""
        user = next((u for u in self.people.values() if form["username"] in (u.name, u.email)), None)
        if not user or user.password != form["password"]:
            raise Refused(400, {"error": "invalid_grant", "error_description": "Invalid credentials given."})
        if not self.password_login:
            raise Refused(400, {"error": "unauthorized_client"})
        return user.name

    def refreshed(self, token):
        """django-oauth-toolkit: ROTATE_REFRESH_TOKEN, no grace: good once; the opaque token before it ends, no JWT does."""
        with self.lock:
            name, access = self.refreshes.pop(token, (None, None))
            if name and access in self.tokens and not self.tokens[access][2]:
                del self.tokens[access]
        if not name:
            raise Refused(400, {"error": "invalid_grant"})
        return name

    def caller(self, request):
        """Who asks, or None: edx-drf-extensions auth/jwt/authentication.py, drf-jwt, core/lib/api/authentication.py; last comes
        SessionAuthenticationAllowInactiveUser (core/lib/api/view_utils.py view_auth_classes)."""
        parts = request.headers.get("Authorization", "").split()
        if not parts or parts[0].lower() not in ("jwt", "bearer") and len(parts) == 2:
            return self.session_of(request)
        if len(parts) != 2:
            code, text = (("token_not_provided", "No credentials provided.") if len(parts) == 1 else
                          ("token_malformed", "Token string should not contain spaces."))
            raise Refused(401, {"error_code": code, "developer_message": "Invalid token header. " + text})
        with self.lock:
            name, until, jwt = self.tokens.get(parts[1], (None, 0, None))
        if parts[0].lower() == "jwt":
            if not name or not jwt or until <= time.time():
                raise Refused(401, "Token has expired." if self.says_expired and name and jwt else "Invalid token.")
        elif not name or jwt:
            raise Refused(401, {"error_code": "token_nonexistent",
                                "developer_message": "The provided access token does not match any valid tokens."})
        elif until <= time.time():
            raise Refused(401, {"error_code": "token_expired",
                                "developer_message": "The provided access token has expired and is no longer valid."})
        return name

    def session_of(self, request):
        return self.sessions.get(dict(request.cookies).get("sessionid"))

    # Answers of the LMS.

    def answer(self, request):
        if request.server.origin == "cdn":
            return self.cdn_file(request)
        if request.headers.get("Host", "").startswith(("learning.", "apps.")):
            # The host of a front end has one page for all addresses.
            return self.page(200, "<div id=root></div>")
        if self.status:
            return self.trouble(request)
        if self.html:
            return self.page(200, "<form id=login><input name=email><input name=password type=password></form>")
        place = request.place
        if place in ("/oauth2/access_token/", "/oauth2/access_token"):
            return self.token_request(request)
        if re.fullmatch(r"/api/(courses/v[12]/blocks|mobile/v[\d.]+/(users/[^/]+/course_enrollments|course_info/blocks))", place):
            # APPEND_SLASH.
            return Answer(301, b"", {"Location": place + "/" + ("?" + request.query if request.query else "")})
        for pattern, view, developer in VIEWS:
            if (match := re.fullmatch(pattern, place)) and (self.mobile_api or not place.startswith("/api/mobile/")):
                return self.viewed(request, view, developer, match)
        handler = r"/courses/([^/]+(?:/[^/]+/[^/]+)?)/xblock/([^/]+)/handler(?:_noauth)?/transcript/download"
        if match := re.fullmatch(handler, place):
            return self.transcript(request, *match.groups())
        if place.startswith("/asset-v1:"):
            return self.asset_file(request)
        if match := re.fullmatch(r"/courses/(.+)/jump_to/(.+)", place):
            block = self.courses[match[1]].blocks.get(match[2]) if match[1] in self.courses else None
            return Answer(302, b"", {"Location": block.addresses()["learning"]}) if block else self.page(404, "Page not found")
        if re.match(r"/(xblock|courses|dashboard|videos)\b", place):
            # A token doesn't log in to pages.
            return Answer(302, b"", {"Location": "/login?next=" + urllib.parse.quote(request.path, safe="/")})
        return self.page(404, "Page not found")

    def trouble(self, request):
        after = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
        if self.status == 429 and request.place.startswith("/api/"):
            return self.json({"developer_message": "Request was throttled."}, 429, after)
        return self.page(self.status, "Trouble", after)

    def viewed(self, request, view, developer, match):
        """core/lib/api/view_utils.py DeveloperErrorViewMixin (no WWW-Authenticate), or the handler of Django REST framework."""
        try:
            return getattr(self, view)(request, self.caller(request), *match.groups())
        except Refused as error:
            if isinstance(error.detail, dict) and "field_errors" in error.detail:
                return self.json(error.detail, error.status)
            if developer:
                return self.json({"developer_message": error.detail}, error.status)
            more = {"WWW-Authenticate": 'JWT realm="api"'} if error.status == 401 else {}
            return self.json(error.detail if isinstance(error.detail, dict) else {"detail": error.detail}, error.status, more)

    @staticmethod
    def json(value, status=200, headers=None):
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        return Answer(status, body, {"Content-Type": "application/json", "Allow": "GET, HEAD, OPTIONS", "Vary": "Accept",
                                     **(headers or {})})

    @staticmethod
    def page(status, text, headers=None):
        body = f"<!DOCTYPE html>\n<html><head><title>Test site</title></head><body>{text}</body></html>"
        return Answer(status, body.encode(), {"Content-Type": "text/html; charset=utf-8", **(headers or {})})

    @staticmethod
    def logged_in(user):
        if user is None:
            raise Refused(401, "Authentication credentials were not provided.")

    def me(self, _, user):
        """user_api/accounts/views.py AccountViewSet.get."""
        self.logged_in(user)
        return self.json({"username": user})

    def my_user_info(self, _, user, version):
        """mobile_api/users/views.py my_user_info."""
        self.logged_in(user)
        return Answer(302, b"", {"Location": f"/api/mobile/{version}/users/{user}", "Content-Type": "text/html; charset=utf-8"})

    def own(self, user, name):
        """edx-drf-extensions permissions.py IsUserInUrl."""
        self.logged_in(user)
        if user.lower() != name.lower():
            raise Refused(403, "You do not have permission to perform this action.")

    def user_detail(self, _, user, version, name):
        self.own(user, name)
        person = self.people[user]
        return self.json({"id": person.id, "username": user, "email": person.email, "name": user.capitalize(),
                          "course_enrollments": f"{self.base}/api/mobile/{version}/users/{user}/course_enrollments/"})

    def all_enrolments(self, request, user):
        """openedx/core/djangoapps/enrollments: views.py EnrollmentListView, data.py, serializers.py; the oldest first, also
        what the app doesn't show (mobile_available)."""
        self.logged_in(user)
        courses = sorted((c for c in self.courses.values() if user in c.users), key=lambda c: c.users[user])
        return self.json([{"created": stamp(c.users[user]), "mode": "audit", "is_active": True, "user": user, "course_details": {
            "course_id": c.key, "course_name": c.title, "enrollment_start": None, "enrollment_end": None,
            "course_start": stamp(c.start), "course_end": stamp(c.end), "invite_only": False, "course_modes": [],
            "pacing_type": "Instructor Paced"}} for c in courses])

    def enrolments(self, request, user, version, name):
        """mobile_api/users/views.py UserCourseEnrollmentsList: the newest first; a list in v0.5 and v1, pages from v3 on."""
        self.own(user, name)
        courses = sorted((c for c in self.courses.values() if user in c.users and c.mobile), key=lambda c: -c.users[user])
        if org := request.form.get("org"):
            courses = [c for c in courses if c.names()["org"].lower() == org.lower()]
        if version in ("v0.5", "v1"):
            return self.json([c.enrolled(user, version) for c in courses])
        whole = {"configs": {"iap_configs": {}}, "user_timezone": "UTC"}
        if version == "v2":
            return self.json({**whole, "enrollments": [c.enrolled(user, version) for c in courses]})
        primary = courses[:1] if version == "v4" and request.form.get("status") not in (
            "in_progress", "completed", "expired", "all") else []
        pages = self.paged(request, courses[len(primary):], *((5, 50) if version == "v4" else (10, 100)))
        pages["results"] = [c.enrolled(user, version) for c in pages["results"]]
        return self.json({**whole, "enrollments": pages, **{"primary": c.enrolled(user, version) for c in primary}})

    def paged(self, request, items, size, most):
        """edx-drf-extensions paginators.py DefaultPagination."""
        asked = request.form.get("page_size", "")
        size = min(int(asked), most) if asked.isdigit() and int(asked) else size
        last = max(1, -(-len(items) // size))
        page = request.form.get("page", "1")
        number = last if page == "last" else int(page) if page.isdigit() else 0
        if not 1 <= number <= last:
            raise Refused(404, "Invalid page.")

        def link(n):
            query = urllib.parse.urlencode([(k, v) for k, v in request.fields if k != "page"] + ([("page", n)] if n > 1 else []))
            return f"{self.base}{urllib.parse.quote(request.place, safe='/@+~:')}{'?' + query if query else ''}"

        return {"next": link(number + 1) if number < last else None, "previous": link(number - 1) if number > 1 else None,
                "count": len(items), "num_pages": last, "current_page": number, "start": (number - 1) * size,
                "results": items[(number - 1) * size:number * size]}

    def course_detail(self, _, user, id):
        """course_api/views.py CourseDetailView: open to all."""
        if id not in self.courses or self.courses[id].hidden:
            raise Refused(404, "Course not found.")
        course = self.courses[id]
        return self.json({"blocks_url": f"{self.base}/api/courses/v2/blocks/?course_id={urllib.parse.quote(id, safe='')}",
                          "id": id, "course_id": id, **course.names(), **course.dated(), "short_description": "",
                          "pacing": "instructor", "mobile_available": course.mobile, "hidden": False, "overview": ""})

    def blocks_in_course(self, request, user, version):
        """course_api/blocks/views.py BlocksInCourseView. A + that wasn't encoded is a space, and so no course key."""
        id = request.form.get("course_id")
        if not id:
            raise Refused(400, "course_id is required.")
        if not COURSE_KEY.fullmatch(id):
            raise Refused(400, f"'{id}' is not a valid course key.")
        return self.json(self.blocks(request, user, id, None, version == "v1"))

    def blocks_below(self, request, user, version, usage):
        match = USAGE_KEY.fullmatch(usage)
        if not match:
            raise Refused(400, {"field_errors": {"usage_key": {"developer_message": f"'{usage}' is not a valid usage key."}}})
        return self.json(self.blocks(request, user, "course-v1:" + match[1], usage, version == "v1"))

    def mobile_blocks(self, request, user, version):
        """mobile_api/course_info/views.py BlocksInfoInCourseView: up to v3 it hides denied blocks, by accident."""
        found = json.loads(self.blocks_in_course(request, user, "v2" if version == "v4" else "v1").body)
        course = self.courses[request.form["course_id"]]
        if isinstance(found, dict):
            found |= {"id": course.key, **course.names(), **course.dated(), "is_self_paced": False, "deprecate_youtube": False,
                      "media": {"image": {"raw": "", "small": "", "large": ""}}, "certificate": {}, "discussion_url": None,
                      "course_access_details": {"has_unmet_prerequisites": False, "is_too_early": course.start > self.now(),
                                                "is_staff": False, "audit_access_expires": course.expires,
                                                "courseware_access": course.access()}}
        return self.json(found)

    def checked(self, request, user, id):
        """course_api/blocks/forms.py: whose blocks they may be is asked before the other fields are judged."""
        form, errors = request.form, {}
        name, everything = form.get("username"), form.get("all_blocks", "").lower() == "true"
        course = self.courses.get(id)
        if name is None and not everything:
            errors["username"] = "This field is required unless all_blocks is requested."
        elif user is None:
            if everything:
                raise Refused(403, f"Anonymous users do not have permission to access all blocks in '{id}'.")
            if name != "":
                raise Refused(403, "Anonymous users cannot access another user's blocks.")
            if not course or not course.public:
                raise Refused(403, f"Course blocks for '{id}' cannot be accessed anonymously.")
        elif everything:
            raise Refused(403, f"'{user}' does not have permission to access all blocks in '{id}'.")
        elif name.lower() != user.lower() and not (name == "" and course and course.public):
            raise Refused(403, f"'{user}' does not have permission to access view for '{name}'.")
        elif not course or user not in course.users and not course.public:
            raise Refused(403, f"Course blocks for '{user}' cannot be accessed.")
        lists = {}
        for field in ("requested_fields", "student_view_data", "block_counts", "block_types_filter"):
            text = ",".join(v for n, v in request.fields if n == field)
            lists[field] = set(text.split(",")) if text else set()
            if "" in lists[field]:
                errors[field] = "This field cannot be empty."
        depth, nav, shape = form.get("depth", ""), form.get("nav_depth", ""), form.get("return_type", "")
        if depth not in ("", "all") and not re.fullmatch(r"-?\d+", depth):
            errors["depth"] = f"'{depth}' is not a valid depth value."
        if nav and not re.fullmatch(r"\d+", nav):
            errors["nav_depth"] = "Enter a whole number."
        if shape not in ("", "dict", "list"):
            errors["return_type"] = f"Select a valid choice. {shape} is not one of the available choices."
        if errors:
            raise Refused(400, {"field_errors": {n: {"developer_message": e} for n, e in errors.items()}})
        return course, lists, 0 if depth == "" else None if depth == "all" else int(depth), int(nav) if nav else None, shape

    def blocks(self, request, user, id, usage, hide_denied):
        """course_api/blocks/api.py get_blocks: hidden ones and those not begun are gone, with all below."""
        course, lists, depth, nav, shape = self.checked(request, user, id)
        root = course.blocks.get(usage or course.id)
        if not root:
            raise Refused(404, f"Block not found: {usage}")
        types = lists["block_types_filter"]

        def shown(block):
            return not block.hidden and block.begun() and not (hide_denied and block.denied) and (
                not block.parent or shown(block.parent))

        def level(block):
            return 0 if block is root else level(block.parent) + 1

        def kept(block):
            return shown(block) and (depth is None or level(block) <= depth)

        def children(block):
            # A type that isn't wanted is taken out, what is below it moves up: remove_block(keep_descendants=True).
            return [b for c in block.children if kept(c) for b in ([c] if not types or c.kind in types else children(c))]

        def below(block):
            return [block] + [b for c in block.children if shown(c) for b in below(c)]

        def tree(block):
            # The order is that of block_structure.py _prune_unreachable: children before parents.
            return [b for c in block.children if kept(c) for b in tree(c)] + [block]

        fields = lists["requested_fields"] | {"type", "display_name"}
        fields |= {"student_view_data:" + k for k in lists["student_view_data"]}
        fields |= {"student_view_data"} if lists["student_view_data"] else set()
        fields |= {"block_counts"} if lists["block_counts"] else set()
        found = {}
        for block in tree(root) if kept(root) else ():
            if not types or block.kind in types:
                found[block.id] = block.listed(fields, lists["block_counts"], nav, level(block), children(block), below(block))
        return list(found.values()) if shape == "list" else {"root": root.id, "blocks": found}

    # Files.

    def transcript(self, request, course, usage):
        """xblocks-contrib: video_handlers.py transcript; courseware/block_render.py …callback_noauth checks nobody."""
        usage = usage.replace(";_", "/").replace(";;", ";")
        block = self.courses[course].blocks.get(usage) if course in self.courses else None
        if self.transcript_login:
            try:
                if self.caller(request) is None:
                    return self.page(403, "Forbidden")
            except Refused:
                return self.page(403, "Forbidden")
        if not block:
            return self.page(404, "Page not found")
        lang = request.form.get("lang", "en")
        if lang not in block.transcripts:
            return Answer(404, b"", {"Content-Type": "text/html; charset=UTF-8"})
        # Content-Language is that of the player's setting, not of the file.
        return Answer(200, block.transcripts[lang], {
            "Content-Type": "application/x-subrip; charset=utf-8", "Content-Language": "en",
            "Content-Disposition": f'attachment; filename="{lang}_{block.name[:8]}.srt"'}, request.place)

    def asset_file(self, request):
        """contentserver: no ETag, no If-Range, 416 without Content-Range; a locked file wants a session, a token is no help."""
        _, file = self.assets.get(request.place, (None, None))
        if not file:
            return Answer(404, b"", {"Content-Type": "text/html; charset=utf-8"})
        if file.locked and not self.session_of(request):
            return Answer(403, b"Unauthorized", {"Content-Type": "text/html; charset=utf-8"})
        headers = {"Content-Type": file.kind, "Accept-Ranges": "bytes", "Vary": "Origin",
                   "Last-Modified": email.utils.formatdate(file.modified, usegmt=True)}
        return self.ranged(request, file, headers, True, Answer(416, b"", {"Content-Type": "text/html; charset=utf-8"}))

    def cdn_file(self, request):
        """S3 behind CloudFront: ETag is the MD5; ranges, If-Range, If-None-Match; errors are XML. It never asks who it is."""
        if self.status:
            return self.page(self.status, "Trouble", {"Retry-After": self.retry_after} if self.retry_after is not None else {})
        file = self.files.get(request.place)
        with self.lock:
            refused = any(request.place.endswith(end) for end in self.refused)
        if refused or not file:
            status = 403 if refused else self.missing
            known = {403: ("AccessDenied", "Access Denied"), 404: ("NoSuchKey", "The specified key does not exist.")}
            return self.xml(status, *known[status])
        etag = f'"{hashlib.md5(file.content).hexdigest()}"'
        headers = {"Content-Type": file.kind, "Accept-Ranges": "bytes", "ETag": etag, "Server": "AmazonS3",
                   "Last-Modified": email.utils.formatdate(file.modified, usegmt=True)}
        if request.headers.get("If-None-Match") == etag:
            return Answer(304, b"", headers)
        heeded = request.headers.get("If-Range") in (None, etag, headers["Last-Modified"])
        out = self.xml(416, "InvalidRange", "The requested range is not satisfiable")
        return self.ranged(request, file, headers, heeded, out._replace(headers={
            **out.headers, "Content-Range": f"bytes */{len(file.content)}"}))

    @staticmethod
    def xml(status, code, text):
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{html.escape(text)}</Message></Error>'
        return Answer(status, body.encode(), {"Content-Type": "application/xml", "Server": "AmazonS3"})

    @staticmethod
    def ranged(request, file, headers, heeded, outside):
        size = len(file.content)
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "") if heeded else None
        if not match or match[0] == "bytes=-":
            return Answer(200, file.content, headers, request.place)
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if not first <= last < size:
            return outside
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return Answer(206, file.content[first:last + 1], headers, request.place)



# lms/urls.py, {mobile_api,mobile_api/users,course_api/blocks,user_api}/urls.py; the third says whether errors are DeveloperError.
VIEWS = [
    (r"/api/enrollment/v1/enrollment", "all_enrolments", False),
    (r"/api/user/v1/me", "me", False),
    (r"/api/mobile/(v(?:4|3|2|1|0\.5))/my_user_info/?", "my_user_info", False),
    (r"/api/mobile/(v(?:4|3|2|1|0\.5))/users/([\w.@+-]+)", "user_detail", False),
    (r"/api/mobile/(v(?:4|3|2|1|0\.5))/users/([\w.@+-]+)/course_enrollments/", "enrolments", False),
    (r"/api/mobile/(v(?:4|3|2|1|0\.5))/course_info/blocks/", "mobile_blocks", True),
    (r"/api/courses/v1/courses/(.+?)/?", "course_detail", True),
    (r"/api/courses/(v[12])/blocks/", "blocks_in_course", True),
    (r"/api/courses/(v[12])/blocks/([^/]+)/?", "blocks_below", True)]


class Handler(Connection):
    """One connection."""

    def do(self):
        edx = self.server.edx
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, self.query = self.path.partition("?")
        self.fields = urllib.parse.parse_qsl(self.query, True)
        # The first of a name is the last that was sent: QueryDict.get.
        self.form = dict(self.fields)
        if self.command == "POST":
            form = "x-www-form-urlencoded" in self.headers.get("Content-Type", "")
            self.form = dict(urllib.parse.parse_qsl(body, True)) if form else {}
        self.cookies = [part.strip().partition("=")[::2] for part in self.headers.get("Cookie", "").split(";")]
        self.range, self.place = self.headers.get("Range"), urllib.parse.unquote(path)
        edx.closing.wait(edx.delay)
        answer = edx.answer(self)
        query = urllib.parse.urlencode([(n, "…" if n in SECRETS else v) for n, v in self.fields])
        login = (self.headers.get("Authorization") or "").partition(" ")[0] or ("Cookie" if self.headers.get("Cookie") else "")
        with edx.lock:
            edx.asked.append(Asked(self.command, path, query, answer.status, self.range, self.server.origin, login))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    def cut(self, answer):
        edx = self.server.edx
        count, ends = edx.breaks(answer, answer.media and answer.media)
        if ends:
            edx.refuse(answer.media)
        return count
