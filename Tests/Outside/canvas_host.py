"""A stand-in of a Canvas server (instructure/canvas-lms): tokens, REST API, files and media in the forms of the real one.

Not read in its source: what the storage answers (`stored` and below), which files a list leaves out, pages as "bookmark:…",
what a bearer token does at /files/:id/download, and the fields of a course and of /users/self beyond the common ones.
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
import uuid

from stand_in import Connection, StandIn

SHARD = 10_000_000_000_000
SECRET = {"access_token", "verifier", "token", "sf_verifier", "x-amz-signature", "x-amz-credential", "code", "client_secret",
          "refresh_token", "state"}
TYPES = {"mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "mp3": "audio/mpeg",
         "m4a": "audio/x-m4a", "pdf": "application/pdf", "vtt": "text/vtt", "srt": "application/x-subrip", "html": "text/html"}
# lib/api.rb API_DATA_TYPE, with the name of each in lock_explanation (lib/canvas/lock_explanation.rb) and in asset strings.
KINDS = {"File": ("file", "attachment"), "Page": ("page", "wiki_page"), "Discussion": ("topic", "discussion_topic"),
         "Assignment": ("assignment", "assignment"), "Quiz": ("quiz", "quizzes:quiz"),
         "SubHeader": ("", "context_module_sub_header"), "ExternalUrl": ("", "external_url"),
         "ExternalTool": ("", "context_external_tool")}
PATHS = {"Discussion": "discussion_topics", "Assignment": "assignments", "Quiz": "quizzes"}
# lib/canvas/oauth/request_error.rb ERROR_MAP.
OAUTH = {"client": (401, "invalid_client", "unknown client"), "secret": (401, "invalid_client", "invalid client"),
         "redirect": (400, "invalid_request", "redirect_uri does not match client settings"),
         "refresh": (400, "invalid_request", "refresh_token not found"),
         "no_refresh": (400, "invalid_request",
                        "You must provide the refresh_token parameter when using the refresh_token grant type"),
         "code": (400, "invalid_grant", "authorization_code not found"), "other": (400, "invalid_grant", "incorrect client"),
         "grant": (400, "unsupported_grant_type", "The grant_type you requested is not currently supported")}

Asked = collections.namedtuple("Asked", "method path query status range origin bearer")
Answer = collections.namedtuple("Answer", "status body headers media sign", defaults=(None, None))
Track = collections.namedtuple("Track", "id kind locale content")


class Token:
    """app/models/access_token.rb: `expires` is that of an OAuth token, `ends` that of a personal one."""

    def __init__(self, user, client=None, expires=None):
        self.user, self.client, self.expires, self.ends, self.revoked = user, client, expires, None, False
        self.text, self.refresh = "1~" + secrets.token_hex(32), "1~" + secrets.token_hex(32) if client else None


class Problem(Exception):
    def __init__(self, status, value, headers=None):
        self.status, self.value, self.headers = status, value, headers or {}
        super().__init__(str(value))


def says(message, **more):
    return {"errors": [{"message": message, **more}]}


def gone():
    """app/controllers/application_controller.rb api_error_json, RecordNotFound."""
    return Problem(404, says("The specified resource does not exist."))


def iso(seconds):
    return None if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def word_time(seconds):
    return time.strftime("%b %-d at %-I:%M%p", time.gmtime(seconds)).replace(":00", "").replace("AM", "am").replace("PM", "pm")


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def stringify(value):
    """lib/api.rb stringify_json_ids: keys `id`, `…_id`, `ids` and `…_ids` alone, and numbers alone."""
    if isinstance(value, list):
        return [stringify(v) for v in value]
    if not isinstance(value, dict):
        return value
    text = lambda v: str(v) if isinstance(v, int) and not isinstance(v, bool) else v
    return {k: text(v) if re.search(r"(^|_)id$", k) else
            [text(i) for i in v] if re.search(r"(^|_)ids$", k) and isinstance(v, list) else stringify(v)
            for k, v in value.items()}


class Thing:
    """What has a number and dates; `keep` are the attributes that differ for each kind."""

    def __init__(self, course, **keep):
        self.course, self.canvas, self.id = course, course.canvas, next(course.canvas.numbers)
        self.created = self.updated = self.canvas.now
        self.unlock_at = self.lock_at = None
        self.deleted, self.published, self.locked, self.hidden = False, True, False, False
        for name, value in keep.items():
            setattr(self, name, value)

    def lock(self, user, kind):
        """lib/api/v1/locked.rb; what locks comes first: by hand, by its own dates, by its module."""
        name, asset = KINDS[kind]
        if user in self.course.teachers:
            return {"locked_for_user": False}
        info, now, word = {"asset_string": f"{asset}_{self.id}"}, self.canvas.time(), name or "content"
        module = next((m for m in self.course.modules if m.closed() and any(i.content is self for i in m.items)), None)
        if self.locked:
            info["manually_locked"], text = True, f"This {word} is currently locked."
        elif self.unlock_at and self.unlock_at > now:
            info["unlock_at"], text = iso(self.unlock_at), f"This {word} is locked until {word_time(self.unlock_at)}."
        elif self.lock_at and self.lock_at < now:
            info["lock_at"], text = iso(self.lock_at), f"This {word} was locked {word_time(self.lock_at)}."
        elif module:
            info["context_module"] = {"id": module.id, "name": module.name, "context_id": self.course.id,
                                      "context_type": "Course", "unlock_at": iso(module.unlock_at), "workflow_state": "active"}
            text = (f"This {word} is part of the module <b>{html.escape(module.name)}</b> and hasn't been unlocked yet.<br/>"
                    f"<a href='{self.course.page_url}/modules#module_{module.id}'>Visit the course modules page for "
                    "information on how to unlock this content.</a>")
        else:
            return {"locked_for_user": False}
        return {"locked_for_user": True, "lock_info": info, "lock_explanation": text}


class File(Thing):
    def json(self, user):
        """lib/api/v1/attachment.rb attachment_json: the key content-type, and an empty url of what is locked."""
        lock, entry = self.lock(user, "File"), self.media and self.media.id
        return {"id": self.id, "uuid": self.uuid, "folder_id": self.folder, "display_name": self.display_name,
                "filename": urllib.parse.quote_plus(self.name), "upload_status": "success", "content-type": self.kind,
                "url": "" if lock["locked_for_user"] else self.url(), "size": len(self.content), "created_at": iso(self.created),
                "updated_at": iso(self.updated), "unlock_at": iso(self.unlock_at), "locked": self.locked, "hidden": self.hidden,
                "lock_at": iso(self.lock_at), "hidden_for_user": self.hidden and user not in self.course.teachers,
                "thumbnail_url": "" if lock["locked_for_user"] else None, "modified_at": iso(self.updated),
                "mime_class": self.kind.split("/")[0] if re.match("video|audio", self.kind) else "file",
                "media_entry_id": self.entry or entry, "category": "uncategorized", **lock}

    def url(self):
        """Without a verifier where disable_adding_uuid_verifier_in_api is on: lib/user_content/files_handler.rb and the like."""
        verifier = f"&verifier={self.uuid}" if self.canvas.verifiers else ""
        return f"{self.canvas.base}/files/{self.id}/download?download_frd=1{verifier}"


class Page(Thing):
    def json(self, user, body=True):
        """lib/api/v1/wiki_page.rb: no key `body` where the page is locked."""
        lock = self.lock(user, "Page")
        page = {"title": self.title, "created_at": iso(self.created), "url": self.slug, "editing_roles": "teachers",
                "page_id": self.id, "published": self.published, "hide_from_students": not self.published,
                "front_page": self.front, "html_url": f"{self.course.page_url}/pages/{self.slug}", "todo_date": None,
                "publish_at": None, "updated_at": iso(self.updated), **lock}
        return page | {"body": self.rewritten()} if body and not lock["locked_for_user"] else page

    def rewritten(self):
        """lib/api/html/content.rb: addresses get a host, files a verifier, old media links become video tags."""
        if not self.html:
            return self.html
        text = re.sub(r'<a [^>]*id="media_comment_([^"]+)"[^>]*>(.*?)</a>', self.comment, self.html, flags=re.S)
        text = re.sub(r'\b(src|href)="(/[^/"][^"]*)"', self.address, text)
        brand = '<link rel="stylesheet" href="https://instructure-uploads.example/account_1/mobile.css">'
        return brand + text if self.canvas.branding else text

    def comment(self, match):
        """lib/api/html/media_tag.rb as_html5_node."""
        name, kind, base = match[1], "audio" if "audio_comment" in match[0] else "video", self.canvas.base
        media = self.canvas.media.get(name)
        tracks = "".join(f'<track kind="{t.kind}" label="{t.locale}" srclang="{t.locale}" data-inherited-track="" '
                         f'data-media_id="{name}" src="{base}/media_objects/{name}/media_tracks/{t.id}.json">'
                         for t in (media.tracks if media else []))
        poster = f' poster="{base}/media_objects/{name}/thumbnail?height=448&amp;type=3&amp;width=550"' if kind == "video" else ""
        return (f'<{kind} preload="none" class="instructure_inline_media_comment" data-media_comment_id="{name}" '
                f'data-media_comment_type="{kind}" controls="controls"{poster} data-alt="" src="{self.course.page_url}'
                f'/media_download?entryId={name}&amp;media_type={kind}&amp;redirect=1">{match[2]}{tracks}</{kind}>')

    def address(self, match):
        """lib/api/html/url_proxy.rb rewrite_api_urls and lib/user_content/files_handler.rb."""
        name, path, more = match[1], match[2], ""
        if found := re.match(r"(?:/courses/\d+)?/(?:files|media_attachments_iframe)/(\d+)", path):
            file = self.canvas.files.get(int(found[1]))
            if file and not file.deleted and self.canvas.verifiers and "verifier=" not in path:
                path += ("&amp;" if "?" in path else "?") + f"verifier={file.uuid}"
            if "/files/" in path:
                more = (f' data-api-endpoint="{self.canvas.base}/api/v1{found[0]}" data-api-returntype="File"')
        elif found := re.match(r"/courses/\d+/pages/[^/?]+", path):
            more = f' data-api-endpoint="{self.canvas.base}/api/v1{found[0]}" data-api-returntype="Page"'
        return f'{name}="{self.canvas.base}{path}"{more}'


class Media:
    """app/models/media_object.rb. `sources` are (content, what differs), None is a server whose media service is silent."""

    def __init__(self, course, title, sources, tracks, file, kind, id=None):
        self.course, self.canvas, self.title, self.sources = course, course.canvas, title, sources
        self.file, self.kind = file, kind
        self.id = id or "m-" + secrets.token_hex(16)
        self.tracks = [Track(next(course.canvas.numbers), *track) for track in tracks]

    def source_json(self, number, by_file):
        """gems/canvas_kaltura client_v3.rb media_sources: all values are text; lib/api/v1/media_object.rb adds src and label."""
        content, more = self.sources[number]
        kind = more.get("fileExt", "mp4")
        one = {"containerFormat": "isom", "width": "1280", "fileExt": kind, "size": str(-(-len(content) // 1024)),
               "bitrate": str(382 + 400 * number), "height": "720", "isOriginal": "0",
               "content_type": {"mp3": "audio/mp3", "flv": "video/x-flv"}.get(kind, "video/mp4"), **more}
        home = f"media_attachments/{self.file.id}" if by_file and self.file else f"media_objects/{self.id}"
        one["url"] = self.canvas.kaltura_url(self, number, kind)
        if self.canvas.authenticated_media:
            one["url"] = f"{self.canvas.base}/{home}/redirect?bitrate={one['bitrate']}"
        return one | {"src": one["url"], "label": f"{int(one['bitrate'] or 0) // 1024} kbps"}

    def json(self, user, exclude=(), by_file=False):
        home = f"media_attachments/{self.file.id}" if by_file and self.file else f"media_objects/{self.id}"
        one = {"media_id": self.id, "media_type": self.kind, "created_at": iso(self.canvas.now),
               "title": self.title or "Untitled", "can_add_captions": user in self.course.teachers}
        if "sources" not in exclude:
            one["media_sources"] = self.sources and [self.source_json(n, by_file) for n in range(len(self.sources))]
            if self.sources == []:
                one["media_sources"] = []
        one["embedded_iframe_url"] = self.canvas.base + "/" + home.replace("/", "_iframe/")
        if "tracks" not in exclude:
            one["media_tracks"] = [{"id": t.id, "kind": t.kind, "created_at": iso(self.canvas.now), "locale": t.locale,
                                    "updated_at": iso(self.canvas.now), **({"inherited": False} if by_file else {}),
                                    "url": f"{self.canvas.base}/{home}/media_tracks/{t.id}"} for t in self.tracks]
        return one


class Item:
    def __init__(self, module, kind, title, content=None, **more):
        self.module, self.kind, self.title, self.content, self.more = module, kind, title, content, more
        self.id, self.published = next(module.course.canvas.numbers), more.pop("published", True)

    def json(self, user, details=False):
        """lib/api/v1/context_module.rb module_item_json."""
        course, canvas, content = self.module.course, self.module.course.canvas, self.content
        api = f"{canvas.base}/api/v1/courses/{course.id}"
        one = {"id": self.id, "title": self.title, "position": self.module.items.index(self) + 1,
               "indent": self.more.get("indent", 0), "quiz_lti": False, "type": self.kind, "module_id": self.module.id}
        if self.kind != "SubHeader":
            one["html_url"] = (f"{api}/module_item_redirect/{self.id}" if self.kind == "ExternalUrl" else
                               f"{course.page_url}/modules/items/{self.id}")
        if self.kind not in ("Page", "SubHeader", "ExternalUrl"):
            one["content_id"] = content.id if content else self.more.get("content_id", 0)
        if self.kind == "Page":
            one |= {"page_url": content.slug, "url": f"{api}/pages/{content.slug}"}
        if self.kind == "File":
            one["url"] = f"{api}/files/{content.id}"
        if self.kind in PATHS:
            one["url"] = f"{api}/{PATHS[self.kind]}/{one['content_id']}"
        if self.kind == "ExternalTool":
            one["url"] = f"{api}/external_tools/sessionless_launch?launch_type=module_item&module_item_id={self.id}"
        if self.kind in ("ExternalUrl", "ExternalTool"):
            one |= {"external_url": self.more.get("url"), "new_tab": self.more.get("new_tab", False)}
        if user in course.teachers:
            one["published"] = self.published
        return one | {"content_details": self.details(user)} if details else one

    def details(self, user):
        """Only what is true or set is there, besides locked_for_user."""
        thing, one = self.content, {}
        if isinstance(thing, Thing):
            one = {k: v for k, v in (("locked", thing.locked), ("hidden", thing.hidden), ("unlock_at", iso(thing.unlock_at)),
                                     ("lock_at", iso(thing.lock_at))) if v}
            if self.kind == "File":
                one |= {"display_name": thing.display_name, "thumbnail_url": None}
            return one | thing.lock(user, self.kind)
        return Thing.lock(self.bare(), user, self.kind)

    def bare(self):
        bare = Thing.__new__(Thing)
        bare.__dict__.update(course=self.module.course, canvas=self.module.course.canvas, id=self.id, locked=False,
                             unlock_at=None, lock_at=None)
        return bare


class Module:
    def __init__(self, course, name, unlock_at=None, state=None, published=True, prerequisites=(), items_shown=True):
        self.course, self.name, self.unlock_at, self.state, self.published = course, name, unlock_at, state, published
        self.prerequisites, self.id, self.items, self.items_shown = prerequisites, next(course.canvas.numbers), [], items_shown

    def closed(self):
        return self.state == "locked" or bool(self.unlock_at and self.unlock_at > self.course.canvas.time())

    def item(self, kind, title, content=None, **more):
        self.items.append(Item(self, kind, title, content, **more))
        return self.items[-1]

    def file(self, file, title=None, **more):
        return self.item("File", title or file.display_name, file, **more)

    def page(self, page, title=None, **more):
        return self.item("Page", title or page.title, page, **more)

    def header(self, title, **more):
        return self.item("SubHeader", title, **more)

    def link(self, title, url, **more):
        return self.item("ExternalUrl", title, url=url, **more)

    def tool(self, title, url, **more):
        return self.item("ExternalTool", title, url=url, **more)

    def seen(self, user):
        return [i for i in self.items if i.published or user in self.course.teachers]

    def json(self, user, include=()):
        """lib/api/v1/context_module.rb module_json: no `items` where they are more than a page holds."""
        course, items = self.course, self.seen(user)
        one = {"id": self.id, "name": self.name, "position": course.modules.index(self) + 1, "unlock_at": iso(self.unlock_at),
               "require_sequential_progress": False, "requirement_type": "all", "publish_final_grade": False,
               "prerequisite_module_ids": [m.id for m in self.prerequisites]}
        if user in course.teachers:
            one["published"] = self.published
        else:
            one |= {"state": "locked" if self.closed() else self.state or "unlocked", "completed_at": None}
        one |= {"items_count": len(items),
                "items_url": f"{course.canvas.base}/api/v1/courses/{course.id}/modules/{self.id}/items"}
        if "items" in include and self.items_shown and len(items) <= course.canvas.max_per_page:
            one["items"] = [i.json(user, "content_details" in include) for i in items]
        return one


class Course:
    def __init__(self, canvas, name, users=(), teachers=(), restricted=False, code="C-1", nickname=None, state="active", sis=None,
                 files_tab=True, starts=None, ends=None):
        self.canvas, self.name, self.restricted = canvas, name, restricted
        self.students, self.teachers = set(users), set(teachers)
        self.code, self.nickname, self.state, self.sis, self.files_tab = code, nickname, state, sis, files_tab
        self.starts, self.ends, self.id = starts, ends, next(canvas.numbers)
        self.modules, self.pages, self.media, self.folders = [], [], [], {}
        self.folder("")

    @property
    def page_url(self):
        return f"{self.canvas.base}/courses/{self.id}"

    def module(self, name, **more):
        self.modules.append(Module(self, name, **more))
        return self.modules[-1]

    def folder(self, path):
        """The number of a folder; those above it come into being too."""
        if path not in self.folders:
            if path:
                self.folder(path.rpartition("/")[0])
            self.folders[path] = next(self.canvas.numbers)
        return self.folders[path]

    def file(self, name, content=b"", kind=None, folder="", media=None, display_name=None, entry=None, **more):
        """`entry` is a media_entry_id without a media object, as "maybe" before the media service has it."""
        file = File(self, name=name, content=content, display_name=display_name or name, uuid=secrets.token_hex(20), media=media,
                    kind=kind or TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream"), entry=entry,
                    folder=self.folder(folder), instfs=str(uuid.uuid4()), **more)
        self.canvas.files[file.id] = file
        if media:
            media.file = file
        return file

    def page(self, title, content, slug=None, front=False, **more):
        slug = slug or re.sub(r"[^\w]+", "-", title.lower()).strip("-")
        self.pages.append(Page(self, title=title, html=content, slug=slug, front=front, **more))
        return self.pages[-1]

    def record(self, title, *sources, tracks=(), kind="video", converting=False, silent=False, id=None):
        """A media object: each source is bytes, or bytes and what differs in its description."""
        parts = [s if isinstance(s, tuple) else (s, {}) for s in sources]
        media = Media(self, title, None if silent else [] if converting else parts, tracks, None, kind, id)
        self.media.append(media)
        self.canvas.media[media.id] = media
        return media

    def json(self, user, include=()):
        """lib/api/v1/course_json.rb."""
        role = "Teacher" if user in self.teachers else "Student"
        one = {"id": self.id, "name": self.nickname or self.name, "account_id": 1, "uuid": f"u{self.id}",
               "start_at": iso(self.starts), "grading_standard_id": None, "is_public": False, "created_at": iso(self.canvas.now),
               "course_code": self.code, "default_view": "modules", "root_account_id": 1, "enrollment_term_id": 1,
               "license": None, "end_at": iso(self.ends),
               "public_syllabus": False, "storage_quota_mb": 500, "is_public_to_auth_users": False, "homeroom_course": False,
               "course_color": None, "friendly_name": None, "apply_assignment_group_weights": False,
               "calendar": {"ics": f"{self.canvas.base}/feeds/calendars/course_x{self.id}.ics"}, "time_zone": "Europe/Berlin",
               "blueprint": False, "template": False,
               "enrollments": [{"type": role.lower(), "role": role + "Enrollment", "role_id": 3, "enrollment_state": "active",
                                "user_id": self.canvas.people[user], "limit_privileges_to_course_section": False}],
               "hide_final_grades": False, "workflow_state": "available", "restrict_enrollments_to_course_dates": False}
        if self.nickname:
            one["original_name"] = self.name
        if "term" in include:
            one["term"] = {"id": 1, "name": "Default Term", "start_at": None, "end_at": None, "created_at": None,
                           "workflow_state": "active", "grading_period_group_id": None}
        return one


class Canvas(StandIn):
    """A server and, at a second origin, its storage. What was asked is in `requests`; switches are attributes."""

    def __init__(self, case, first=101):
        self.now, self.numbers, self.lock, self.closing = 1764000000, itertools.count(first), threading.Lock(), threading.Event()
        self.people, self.tokens, self.clients, self.codes, self.courses = {}, [], {}, {}, []
        self.files, self.media, self.asked, self.refused, self.buckets, self.key = {}, {}, [], set(), {}, secrets.token_bytes(32)
        self.clock = 0
        self.status, self.retry_after, self.html, self.half, self.delay = None, None, False, False, 0
        self.break_after, self.expire_after = {}, {}
        # lib/api.rb: PER_PAGE and MAX_PER_PAGE; pages with bookmarks can't be guessed, others are numbers.
        self.per_page, self.max_per_page, self.opaque, self.empty_page = 10, 100, True, False
        # app/middleware/request_throttle.rb: each token has a bucket of 600 that leaks 10 a second.
        self.throttled, self.throttle_status, self.hwm, self.outflow, self.up_front, self.cost = 0, 403, 600.0, 10.0, 50.0, 0.02
        # 403 with the feature api_auth_error_updates, 401 without it: lib/authentication_methods.rb.
        self.forbidden_status = 403
        # token_files: a bearer token is heeded at /files/:id/download, which matters only where there is no verifier.
        self.verifiers, self.token_files, self.storage, self.cdn, self.url_life = True, False, "instfs", False, 86400
        self.authenticated_media, self.branding, self.media_life, self.consent, self.deny = False, False, 86400, None, False
        self.servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
        for server, origin in zip(self.servers, ("canvas", "storage")):
            server.daemon_threads, server.canvas, server.origin = True, self, origin
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.base, self.storage_base = (f"http://127.0.0.1:{s.server_port}" for s in self.servers)
        case.addCleanup(self.stop)

    def stop(self):
        self.closing.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def time(self):
        return time.time() + self.clock

    @property
    def requests(self):
        with self.lock:
            return list(self.asked)

    def course(self, name, users=(), **more):
        self.courses.append(Course(self, name, users, **more))
        return self.courses[-1]

    def user(self, name):
        """A person; returns a personal access token."""
        self.people.setdefault(name, next(self.numbers))
        return self.token(name)

    def token(self, name):
        self.tokens.append(Token(name))
        return self.tokens[-1].text

    def client(self, id, secret, redirect_uri="http://127.0.0.1/"):
        self.clients[id] = (secret, redirect_uri)

    def code(self, name, client):
        code = secrets.token_hex(64)
        self.codes[code] = (name, client, self.time() + 600)
        return code

    def expire(self, name):
        """OAuth tokens need a refresh ("Invalid access token."), personal ones are over ("Expired access token.")."""
        for token in self.tokens:
            if token.user == name:
                token.expires, token.ends = (1, None) if token.client else (None, self.time() - 60)

    def revoke(self, name):
        """As at /profile/settings, or after DELETE /login/oauth2/token: the refresh token is gone too."""
        for token in self.tokens:
            token.revoked = token.revoked or token.user == name

    def expire_files(self):
        """All addresses of the storage that were given out so far are refused."""
        self.key = secrets.token_bytes(32)

    def answer(self, request):
        if request.origin == "storage":
            return self.trouble() or self.stored(request)
        try:
            return self.trouble() or self.metered(request)
        except Problem as problem:
            return self.json(problem.value, problem.status, request, problem.headers)

    def trouble(self):
        if self.status:
            after = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
            return self.page(self.status, "Trouble", after)
        form = '<form action="/login/canvas" method="post"><input name="pseudonym_session[unique_id]"></form>'
        return self.page(200, form) if self.html else None

    @staticmethod
    def page(status, text, headers=None):
        return Answer(status, f"<!DOCTYPE html>\n<html><body>{text}</body></html>".encode(),
                      {"Content-Type": "text/html; charset=utf-8", **(headers or {})})

    def to(self, address, headers=None):
        text = f'You are being <a href="{html.escape(address)}">redirected</a>.'
        return self.page(302, text, {"Location": address, **(headers or {})})

    @staticmethod
    def json(value, status=200, request=None, headers=None):
        strings = request is not None and "application/json+canvas-string-ids" in (request.headers.get("Accept") or "")
        body = json.dumps(stringify(value) if strings else value, separators=(",", ":"), ensure_ascii=False).replace(
            "<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").encode()
        return Answer(status, body, {"Content-Type": "application/json; charset=utf-8",
                                     "Cache-Control": "max-age=0, private, must-revalidate",
                                     "ETag": f'W/"{hashlib.sha256(body).hexdigest()[:32]}"', **(headers or {})})

    def metered(self, request):
        """A throttled answer has no X-Request-Cost, and what remains may be above 0 in it: the advance is given back."""
        who, now = request.bearer or "ip", self.time()
        with self.lock:
            count, last = self.buckets.get(who, (0.0, now))
            count = min(800.0, max(0.0, count - (now - last) * self.outflow) + self.up_front)
            full = count >= self.hwm or self.throttled > 0
            self.throttled = max(0, self.throttled - 1)
            self.buckets[who] = (count, now)
        cost, answer = 0.0, None
        try:
            if not full:
                # app/controllers/oauth2_provider_controller.rb: a request for a token costs 200 more.
                cost = self.cost + (200 if request.place == "/login/oauth2/token" else 0)
                answer = self.routed(request)
        except Problem as problem:
            answer = self.json(problem.value, problem.status, request, problem.headers)
        finally:
            with self.lock:
                count, last = self.buckets[who]
                self.buckets[who] = (max(0.0, count - self.up_front + cost), last)
                remaining = self.hwm - self.buckets[who][0]
        if full:
            name = {403: "Forbidden", 429: "Too Many Requests"}[self.throttle_status]
            return Answer(self.throttle_status, f"{self.throttle_status} {name} (Rate Limit Exceeded)\n".encode(),
                          {"Content-Type": "text/plain; charset=utf-8", "X-Rate-Limit-Remaining": remaining})
        answer.headers.update({"X-Request-Cost": cost, "X-Rate-Limit-Remaining": remaining})
        return answer

    def who(self, request):
        """lib/authentication_methods.rb and api_error_json of app/controllers/application_controller.rb."""
        realm = {"WWW-Authenticate": 'Bearer realm="canvas-lms"'}
        if not request.bearer:
            raise Problem(401, {"status": "unauthenticated", **says("user authorization required")}, realm)
        token = next((t for t in self.tokens if t.text == request.bearer), None)
        if not token or (token.expires and token.expires < self.time()):
            raise Problem(401, says("Invalid access token."), realm)
        if token.revoked:
            raise Problem(401, says("Revoked access token."), realm)
        if token.ends and token.ends < self.time():
            raise Problem(401, says("Expired access token.", expired_at=iso(token.ends)), realm)
        return token.user

    def refuse(self):
        return Problem(self.forbidden_status, {"status": "unauthorized", **says("user not authorized to perform that action")})

    def routed(self, request):
        if request.place.startswith("/api/v1/"):
            user = self.who(request)
            for method, pattern, handler in ROUTES:
                match = re.fullmatch("/api/v1" + pattern, request.place)
                if match and method == request.command.replace("HEAD", "GET"):
                    return handler(self, request, user, *match.groups())
            raise gone()
        for pattern, handler in WEB:
            if match := re.fullmatch(pattern, request.place):
                return handler(self, request, *match.groups())
        if re.match(r"/(courses|files|profile|media_|login|$)", request.place) and request.place != "/login":
            return self.to(self.base + "/login")
        return self.page(200 if request.place == "/login" else 404, "Log In" if request.place == "/login" else "Page Not Found")

    # Lists.

    def paged(self, request, items, path=None):
        """lib/api.rb paginate: the parameters asked with stay in the addresses, but for the token."""
        try:
            size = min(max(int(request.query.get("per_page", self.per_page)), 1), self.max_per_page)
        except ValueError:
            size = 1
        page, given = 1, request.query.get("page")
        if given:
            known = re.fullmatch(r"bookmark:(\w+)" if self.opaque else r"(\d+)", given)
            if not known:
                raise gone()
            page = int(base64.urlsafe_b64decode(known[1] + "==").decode()[1:]) if self.opaque else int(known[1])
        pages = max(1, -(-len(items) // size)) + int(self.empty_page)
        name = lambda number: "bookmark:" + b64(f"p{number}".encode()) if self.opaque and number > 1 else number
        kept = urllib.parse.urlencode(sorted((n, v) for n, v in request.pairs if n not in ("page", "per_page", "access_token")))
        base = f"{self.base}{path or request.place}?" + (kept + "&" if kept else "")
        numbers = {"current": page, "next": page + 1 if page < pages else None,
                   "prev": page - 1 if page > 1 and not self.opaque else None, "first": 1, "last": None if self.opaque else pages}
        link = ",".join(f'<{base}page={name(number)}&per_page={size}>; rel="{rel}"' for rel, number in numbers.items() if number)
        return items[(page - 1) * size:page * size], {"Link": link}

    def listed(self, request, items, show, path=None):
        part, headers = self.paged(request, items, path)
        return self.json([show(one) for one in part], 200, request, headers)

    def number(self, text):
        """A shard and a number in it, or a number: `ID` in lib/api.rb. The shard of this server is 1."""
        shard, _, local = text.rpartition("~")
        return int(local) + (int(shard) * SHARD if shard and shard != "1" else 0)

    def course_of(self, user, text):
        """doc/api/object_ids.md; who isn't enrolled, and whose enrolment hasn't begun, is refused."""
        for course in self.courses:
            if (text == f"sis_course_id:{course.sis}" if ":" in text else course.id == self.number(text)):
                if user not in course.students | course.teachers or course.restricted:
                    raise self.refuse()
                return course
        raise gone()

    def file_of(self, user, text, course=None):
        file = self.files.get(self.number(text))
        if not file or file.deleted or course and file.course is not course:
            raise gone()
        if user not in file.course.students | file.course.teachers or file.course.restricted:
            raise self.refuse()
        return file

    def my_courses(self, request, user):
        """lib/api/v1/course.rb: a course that isn't open by its dates is told by its number alone."""
        wanted = request.query.get("enrollment_state")
        mine = [c for c in self.courses if user in c.students | c.teachers and wanted in (None, c.state)]
        return self.listed(request, mine, lambda c: {"id": c.id, "access_restricted_by_date": True} if c.restricted
                           else c.json(user, request.lists("include")))

    def one_course(self, request, user, text):
        return self.json(self.course_of(user, text).json(user, request.lists("include")), 200, request)

    def modules(self, request, user, text):
        course = self.course_of(user, text)
        seen = [m for m in course.modules if m.published or user in course.teachers]
        return self.listed(request, seen, lambda m: m.json(user, request.lists("include")))

    def module_of(self, user, text, module):
        course = self.course_of(user, text)
        for one in course.modules:
            if one.id == self.number(module) and (one.published or user in course.teachers):
                return one
        raise gone()

    def one_module(self, request, user, text, module):
        return self.json(self.module_of(user, text, module).json(user, request.lists("include")), 200, request)

    def items(self, request, user, text, module):
        details = "content_details" in request.lists("include")
        return self.listed(request, self.module_of(user, text, module).seen(user), lambda i: i.json(user, details))

    def item_of(self, user, text, number):
        for module in self.course_of(user, text).modules:
            for item in module.seen(user) if module.published or user in module.course.teachers else []:
                if item.id == self.number(number):
                    return item
        raise gone()

    def one_item(self, request, user, text, module, number):
        self.module_of(user, text, module)
        return self.json(self.item_of(user, text, number).json(user, "content_details" in request.lists("include")), 200, request)

    def sequence(self, request, user, text):
        """app/controllers/context_module_items_api_controller.rb item_sequence: the way from an item's number to its module."""
        given, asset = request.query.get("asset_type"), request.query.get("asset_id", "")
        course = self.course_of(user, text)
        if given not in ("ModuleItem", *KINDS) or not asset:
            raise Problem(400, {"message": "invalid asset_type"})
        items = [i for m in course.modules if m.published for i in m.seen(user)]
        found = [n for n, i in enumerate(items) if (given == "ModuleItem" and str(i.id) == asset) or (
            given == i.kind and asset in (str(getattr(i.content, "id", "")), getattr(i.content, "slug", None)))]
        around = lambda n: items[n].json(user) if 0 <= n < len(items) else None
        return self.json({"items": [{"prev": around(n - 1), "current": around(n), "next": around(n + 1), "mastery_path": None}
                                    for n in found[:10]],
                          "modules": [m.json(user) for m in dict.fromkeys(items[n].module for n in found)]}, 200, request)

    def item_redirect(self, request, user, text, number):
        item = self.item_of(user, text, number)
        return self.to(item.more.get("url") or item.json(user)["html_url"])

    def shown_files(self, user, course, folder=None):
        """Who learns sees neither hidden nor locked files in lists: lib/attachments/scoped_to_user.rb."""
        if not course.files_tab and user not in course.teachers:
            raise self.refuse()
        now = self.time()
        away = lambda f: f.locked or f.hidden or (f.unlock_at or 0) > now or (f.lock_at or now + 1) < now
        seen = [f for f in self.files.values() if f.course is course and not f.deleted and folder in (None, f.folder)]
        return sorted((f for f in seen if user in course.teachers or not away(f)), key=lambda f: f.display_name.lower())

    def list_files(self, request, user, files):
        kinds = request.lists("content_types")
        files = [f for f in files if not kinds or f.kind in kinds or f.kind.split("/")[0] in kinds]
        return self.listed(request, files, lambda f: f.json(user))

    def course_files(self, request, user, text):
        return self.list_files(request, user, self.shown_files(user, self.course_of(user, text)))

    def folder_files(self, request, user, number):
        for course in self.courses:
            if self.number(number) in course.folders.values():
                course = self.course_of(user, str(course.id))
                return self.list_files(request, user, self.shown_files(user, course, self.number(number)))
        raise gone()

    def folder_list(self, request, user, text):
        """lib/api/v1/folders.rb: all folders of a course at one level, with their full names."""
        course = self.course_of(user, text)
        shown = self.shown_files(user, course)
        parents = {n: course.folders[p.rpartition("/")[0]] for p, n in course.folders.items() if p}
        return self.listed(request, list(course.folders.items()), lambda pair: {
            "id": pair[1], "name": pair[0].rpartition("/")[2] or "course files",
            "full_name": "course files" + ("/" + pair[0]) * bool(pair[0]), "context_id": course.id, "context_type": "Course",
            "parent_folder_id": parents.get(pair[1]), "position": None, "created_at": iso(self.now), "updated_at": iso(self.now),
            "lock_at": None, "unlock_at": None, "locked": False, "folders_url": f"{self.base}/api/v1/folders/{pair[1]}/folders",
            "files_url": f"{self.base}/api/v1/folders/{pair[1]}/files",
            "files_count": sum(f.folder == pair[1] for f in shown), "folders_count": sum(p == pair[1] for p in parents.values()),
            "hidden": None, "locked_for_user": False, "hidden_for_user": False, "for_submissions": False, "can_upload": False})

    def one_file(self, request, user, course, number):
        return self.json(self.file_of(user, number, course and self.course_of(user, course)).json(user), 200, request)

    def public_url(self, request, user, number):
        """app/controllers/files_controller.rb public_url: the address of the storage without the redirect."""
        file = self.file_of(user, number)
        if file.lock(user, "File")["locked_for_user"]:
            raise self.refuse()
        return self.json({"public_url": self.signed(file)}, 200, request)

    def pages(self, request, user, text):
        course = self.course_of(user, text)
        seen = [p for p in course.pages if not p.deleted and (p.published or user in course.teachers)]
        return self.listed(request, seen, lambda p: p.json(user, "body" in request.lists("include")))

    def one_page(self, request, user, text, slug):
        course = self.course_of(user, text)
        for page in course.pages:
            if slug in (page.slug, f"page_id:{page.id}", str(page.id)) or slug is None and page.front:
                if not page.deleted and (page.published or user in course.teachers):
                    return self.json(page.json(user), 200, request)
        raise gone()

    def media_list(self, request, user, text):
        """The addresses of further pages name media_attachments: app/controllers/media_objects_controller.rb index."""
        course = self.course_of(user, text)
        self.shown_files(user, course)
        found = sorted(course.media, key=lambda m: (m.title or "Untitled").lower())
        return self.listed(request, found, lambda m: m.json(user, request.lists("exclude")),
                           f"/api/v1/courses/{course.id}/media_attachments")

    def track_list(self, request, user, kind, name):
        """app/controllers/media_tracks_controller.rb index: the text itself where include[] asks for it."""
        media = self.media.get(name) if kind == "objects" else self.file_of(user, name).media
        if not media:
            raise gone()
        more = request.lists("include")
        texts = lambda t: {"content": t.content, "webvtt_content": webvtt(t.content)}
        return self.json([{"id": t.id, "locale": t.locale, "kind": t.kind, "media_object_id": 1, "user_id": 1,
                           **{k: v for k, v in texts(t).items() if k in more}} for t in media.tracks], 200, request)

    def myself(self, request, user, *_):
        return self.json({"id": self.people[user], "name": user.title(), "created_at": iso(self.now),
                          "sortable_name": user.title(), "short_name": user.title(),
                          "avatar_url": f"{self.base}/images/messages/avatar-50.png",
                          "effective_locale": "en", "permissions": {"can_update_name": True}}, 200, request)

    # Outside the API: bearer tokens mean nothing here, but for media redirects.

    def download(self, request, course, number):
        """app/controllers/files_controller.rb show: a verifier, or a session; who has neither is sent to the login."""
        file = self.files.get(self.number(number))
        if not file or file.deleted:
            return self.page(404, "Page Not Found")
        user = None
        if request.query.get("verifier") != file.uuid:
            if not (self.token_files and request.bearer):
                return self.to(self.base + "/login")
            user = self.who(request)
            if user not in file.course.students | file.course.teachers:
                raise self.refuse()
        if file.lock(user, "File")["locked_for_user"]:
            return self.page(403, "This file has been locked")
        if self.storage == "local":
            return self.bytes(request, file.content, file.kind, file.display_name)
        cached = {} if self.storage == "instfs" else {"Cache-Control": f"private, max-age={self.url_life}"}
        return self.to(self.signed(file), cached)

    def signed(self, file):
        """lib/inst_fs.rb access_jwt, or an address as S3 signs it."""
        if self.storage == "instfs":
            path = f"/files/{file.instfs}/{urllib.parse.quote(file.display_name, safe='')}"
            return f"{self.storage_base}{path}?download=1&token={self.jwt(path)}"
        path = f"/bucket/account_1/attachments/{file.id}/{urllib.parse.quote(file.name, safe='')}"
        fields = {"X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": "AKIATEST/20251124/us-east-1/s3/aws4_request",
                  "X-Amz-Date": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self.time())), "X-Amz-Expires": str(self.url_life),
                  "X-Amz-SignedHeaders": "host", "response-content-disposition": f'attachment; filename="{file.name}"'}
        query = urllib.parse.urlencode(fields, quote_via=urllib.parse.quote)
        return f"{self.storage_base}{path}?{query}&X-Amz-Signature={self.mark('GET', path, query)}"

    def mark(self, *parts):
        return hmac.new(self.key, "\n".join(parts).encode(), hashlib.sha256).hexdigest()

    def jwt(self, path):
        now = int(self.time())
        claims = {"iat": now, "resource": path, "jti": str(uuid.uuid4()), "exp": now + self.url_life}
        text = ".".join(b64(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "HS512"}, claims))
        return f"{text}.{b64(hmac.new(self.key, text.encode(), hashlib.sha512).digest())}"

    def kaltura_url(self, media, number, kind):
        ends = int(self.time()) + self.media_life
        path = f"/p/100/sp/10000/download/entry_id/{media.id}/flavor/0_{number}"
        ks = base64.b64encode(f"{self.mark(path, str(ends))[:40]}|100;100;{ends};0;download:{media.id};".encode()).decode()
        return f"{self.storage_base}{path}/ks/{urllib.parse.quote(ks, safe='')}/relocate/download.{kind}"

    def media_info(self, request, kind, name):
        """Whoever knows a media id may ask; by the number of a file one needs its verifier or a session."""
        if kind == "attachments":
            file = self.files.get(self.number(name)) if re.fullmatch(r"(\d+~)?\d+", name) else None
            if not file or not file.media:
                return self.page(404, "Page Not Found")
            if request.query.get("verifier") != file.uuid:
                return self.to(self.base + "/login")
            return self.json(file.media.json(None, by_file=True), 200, request)
        if name not in self.media:
            raise gone()
        return self.json(self.media[name].json(None), 200, request)

    def media_redirect(self, request, kind, name):
        """app/controllers/media_objects_controller.rb media_object_redirect: the source of that bitrate, else the lowest."""
        media = self.media.get(name)
        if kind == "attachments":
            file = self.files.get(self.number(name))
            media = file and file.media
            if not file or (request.query.get("verifier") != file.uuid and self.who(request) not in (
                    file.course.students | file.course.teachers)):
                raise self.refuse()
        if not media:
            raise gone()
        sources = [media.source_json(n, False) for n in range(len(media.sources or []))]
        asked = [n for n, s in enumerate(sources) if s["bitrate"] == request.query.get("bitrate")]
        number = asked[0] if asked else min(range(len(sources)), key=lambda n: int(sources[n]["bitrate"] or 0))
        return self.to(self.kaltura_url(media, number, sources[number]["fileExt"]))

    def track(self, request, kind, name, number):
        """app/controllers/media_tracks_controller.rb show; that of a file is for who has a session."""
        if kind == "attachments" and request.query.get("verifier") not in [f.uuid for f in self.files.values()]:
            return self.to(self.base + "/login")
        for media in self.media.values():
            for track in media.tracks:
                if str(track.id) == number and name in (media.id, str(media.file and media.file.id)):
                    return Answer(200, track.content.encode(), {"Content-Type": "text/plain; charset=utf-8", "ETag":
                                  f'W/"{track.id}"', "Last-Modified": email.utils.formatdate(self.now, usegmt=True)})
        return self.page(404, "Page Not Found")

    # OAuth.

    def oauth_error(self, name):
        status, error, text = OAUTH[name]
        return Problem(status, {"error": error, "error_description": text},
                       {"WWW-Authenticate": "Canvas OAuth 2.0"} if status == 401 else {})

    def authorize(self, request):
        """app/controllers/oauth2_provider_controller.rb auth; `consent` is who has a session and agrees."""
        client, uri = request.query.get("client_id"), request.query.get("redirect_uri", "")
        if request.query.get("code") or request.query.get("error"):
            return self.page(200, "You may close this window")
        if client not in self.clients:
            raise self.oauth_error("client")
        oob = uri == "urn:ietf:wg:oauth:2.0:oob"
        if not oob and not uri.startswith(self.clients[client][1].rstrip("/")):
            raise self.oauth_error("redirect")
        if not self.consent and not self.deny:
            return self.to(self.base + "/login")
        fields = {"error": "access_denied"} if self.deny else {"code": self.code(self.consent, client)}
        fields |= {"state": request.query["state"]} if "state" in request.query else {}
        uri = self.base + "/login/oauth2/auth" if oob else uri
        return self.to(uri + ("&" if "?" in uri else "?") + urllib.parse.urlencode(fields))

    def grant(self, request):
        """lib/canvas/oauth: a refresh gives no new refresh token, and the access token before is void from then on."""
        form = {**request.query, **request.form}
        if request.command == "DELETE":
            self.who(request)
            for token in self.tokens:
                token.revoked = token.revoked or token.text == request.bearer
            return self.json({}, 200, request)
        kind, client = form.get("grant_type") or ("authorization_code" if form.get("code") else ""), form.get("client_id")
        if kind not in ("authorization_code", "refresh_token"):
            raise self.oauth_error("grant")
        if client not in self.clients:
            raise self.oauth_error("client")
        if form.get("client_secret") != self.clients[client][0]:
            raise self.oauth_error("secret")
        if kind == "authorization_code":
            name, owner, ends = self.codes.pop(form.get("code"), (None, None, 0))
            if not name or ends < self.time() or owner != client:
                raise self.oauth_error("code")
            token = Token(name, client, self.time() + 3600)
            self.tokens.append(token)
            return self.granted(token, {"refresh_token": token.refresh}, request)
        if "refresh_token" not in form:
            raise self.oauth_error("no_refresh")
        token = next((t for t in self.tokens if t.refresh == form["refresh_token"] and t.refresh and not t.revoked), None)
        if not token:
            raise self.oauth_error("refresh")
        if token.client != client:
            raise self.oauth_error("other")
        token.text, token.expires = "1~" + secrets.token_hex(32), self.time() + 3600
        return self.granted(token, {}, request)

    def granted(self, token, more, request):
        return self.json({"access_token": token.text, "token_type": "Bearer", "user": {
            "id": self.people[token.user], "name": token.user.title(), "global_id": str(SHARD + self.people[token.user]),
            "effective_locale": "en"}, **more, "expires_in": round(token.expires - self.time())}, 200, request)

    # The second origin.

    def stored(self, request):
        """Checks the signature of the address; a bearer token sent along is an error at S3."""
        path, _, query = request.raw.partition("?")
        if match := re.fullmatch(r"(/p/100/sp/10000/download/entry_id/([^/]+)/flavor/0_(\d+))/ks/([^/]+)/.*", path):
            return self.kaltura(request, *match.groups())
        if path.startswith("/files/") or path.startswith("/cdn/"):
            return self.instfs(request, path)
        file = self.files.get(int(path.split("/")[4])) if re.match(r"/bucket/account_1/attachments/\d+/", path) else None
        signed, _, signature = query.rpartition("&X-Amz-Signature=")
        begins = request.query.get("X-Amz-Date", "")
        if not file or not signature:
            return self.xml(403, "AccessDenied", "Access Denied")
        if request.headers.get("Authorization"):
            return self.xml(400, "InvalidArgument", "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, "
                            "Signature query string parameter or the Authorization header should be specified")
        if signature in self.refused or self.s3_ended(begins, request.query.get("X-Amz-Expires", "0")):
            return self.xml(403, "AccessDenied", "Request has expired")
        if signature != self.mark(request.command, path, signed):
            return self.xml(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you "
                            "provided. Check your key and signing method.")
        return self.bytes(request, file.content, file.kind, file.name, sign=signature)

    def s3_ended(self, begins, life):
        try:
            return calendar.timegm(time.strptime(begins, "%Y%m%dT%H%M%SZ")) + int(life) < self.time()
        except ValueError:
            return True

    def instfs(self, request, path):
        text, _, signature = request.query.get("token", "").rpartition(".")
        good = hmac.compare_digest(signature, b64(hmac.new(self.key, text.encode(), hashlib.sha512).digest()))
        claims = json.loads(base64.urlsafe_b64decode(text.partition(".")[2] + "===")) if good else {}
        resource = path.replace("/cdn/", "/files/", 1)
        if claims.get("resource") != resource or claims.get("exp", 0) < self.time() or signature in self.refused:
            return Answer(401, b"Unauthorized", {"Content-Type": "text/plain; charset=utf-8"})
        file = next((f for f in self.files.values() if f.instfs == path.split("/")[2] and not f.deleted), None)
        if not file:
            return Answer(404, b"Not Found", {"Content-Type": "text/plain; charset=utf-8"})
        if self.cdn and path.startswith("/files/"):
            return Answer(302, b"", {"Location": f"{self.storage_base}{path.replace('/files/', '/cdn/', 1)}?"
                                                 + request.raw.partition("?")[2]})
        return self.bytes(request, file.content, file.kind, file.display_name, sign=signature)

    def kaltura(self, request, path, name, number, ks):
        try:
            mark, _, rest = base64.b64decode(urllib.parse.unquote(ks)).decode().partition("|")
            ends = rest.split(";")[2]
        except (ValueError, IndexError):
            mark, ends = "", "0"
        media = self.media.get(name)
        if mark != self.mark(path, ends)[:40] or int(ends) < self.time() or mark in self.refused:
            return Answer(403, b"", {"Content-Type": "text/html", "X-Kaltura": "error-INVALID_KS"})
        if not media or int(number) >= len(media.sources or []):
            return Answer(404, b"", {"Content-Type": "text/html", "X-Kaltura": "error-FLAVOR_NOT_FOUND"})
        content, more = media.sources[int(number)]
        return self.bytes(request, content, {"mp3": "audio/mp3"}.get(more.get("fileExt"), "video/mp4"), "download.mp4", sign=mark)

    @staticmethod
    def xml(status, code, message, headers=None):
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'
        return Answer(status, body.encode(), {"Content-Type": "application/xml", **(headers or {})})

    def bytes(self, request, content, kind, name, sign=None):
        """Ranges, ETag (MD5), If-None-Match and If-Range as S3 and nginx have them."""
        size, etag = len(content), f'"{hashlib.md5(content).hexdigest()}"'
        modified = email.utils.formatdate(self.now, usegmt=True)
        headers = {"Content-Type": kind, "ETag": etag, "Last-Modified": modified, "Accept-Ranges": "bytes",
                   "Content-Disposition": f"attachment; filename*=UTF-8''{urllib.parse.quote(name, safe='')}"}
        media = (request.place, sign)
        if request.headers.get("If-None-Match") == etag:
            return Answer(304, b"", headers)
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "")
        if not match or match[0] == "bytes=-" or request.headers.get("If-Range") not in (None, etag, modified):
            return Answer(200, content, headers, media, sign)
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if first > last:
            return self.xml(416, "InvalidRange", "The requested range is not satisfiable", {"Content-Range": f"bytes */{size}"})
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return Answer(206, content[first:last + 1], headers, media, sign)


def webvtt(text):
    """app/models/media_track.rb: SRT becomes WebVTT."""
    return text if text.startswith("WEBVTT") else "WEBVTT\n\n" + re.sub(r"(\d\d:\d\d:\d\d),(\d{3})", r"\1.\2", text)


def comment_link(media, kind="video"):
    """As the old editor has stored it in a page."""
    return (f'<a id="media_comment_{media.id}" class="instructure_inline_media_comment {kind}_comment" '
            f'href="/media_objects/{media.id}">this is a media comment</a>')


def iframe(media):
    return (f'<iframe style="width: 400px; height: 225px;" title="Video player for {html.escape(media.title or "")}" '
            f'data-media-type="video" src="/media_objects_iframe/{media.id}?type=video" data-media-id="{media.id}"></iframe>')


def file_iframe(file):
    """With media_links_use_attachment_id: the number is that of the file."""
    return (f'<iframe title="Video player for {html.escape(file.display_name)}" data-media-type="video" loading="lazy" '
            f'src="/media_attachments_iframe/{file.id}?type=video&amp;embedded=true" '
            f'data-media-id="{file.media.id if file.media else ""}"></iframe>')


def file_link(file, text="a file"):
    return (f'<a class="instructure_file_link" title="{html.escape(file.display_name)}" '
            f'href="/courses/{file.course.id}/files/{file.id}?wrap=1">{text}</a>')


ID, COURSE = r"((?:\d+~)?\d+)", r"/courses/([^/]+)"
ROUTES = [("GET", "/courses", Canvas.my_courses), ("GET", "/users/self(/profile)?", Canvas.myself),
          ("GET", COURSE, Canvas.one_course), ("GET", COURSE + "/modules", Canvas.modules),
          ("GET", COURSE + f"/modules/{ID}", Canvas.one_module),
          ("GET", COURSE + f"/modules/{ID}/items", Canvas.items), ("GET", COURSE + f"/modules/{ID}/items/{ID}", Canvas.one_item),
          ("GET", COURSE + "/module_item_sequence", Canvas.sequence),
          ("GET", COURSE + f"/module_item_redirect/{ID}", Canvas.item_redirect), ("GET", COURSE + "/files", Canvas.course_files),
          ("GET", COURSE + "/folders", Canvas.folder_list), ("GET", f"/folders/{ID}/files", Canvas.folder_files),
          ("GET", f"(?:{COURSE})?/files/{ID}", Canvas.one_file), ("GET", f"/files/{ID}/public_url", Canvas.public_url),
          ("GET", COURSE + "/pages", Canvas.pages), ("GET", COURSE + "/pages/([^/]+)", Canvas.one_page),
          ("GET", COURSE + "/front_page", lambda canvas, request, user, text: canvas.one_page(request, user, text, None)),
          ("GET", COURSE + "/media_(?:objects|attachments)", Canvas.media_list),
          ("GET", "/media_(objects|attachments)/([^/]+)/media_tracks", Canvas.track_list)]
WEB = [(rf"(?:/courses/{ID})?/files/{ID}/download", Canvas.download),
       ("/media_(objects|attachments)/([^/]+)/info", Canvas.media_info),
       ("/media_(objects|attachments)/([^/]+)/redirect", Canvas.media_redirect),
       (r"/media_(objects|attachments)/([^/]+)/media_tracks/(\d+)(?:\.json)?", Canvas.track),
       ("/login/oauth2/auth", Canvas.authorize), ("/login/oauth2/token", Canvas.grant)]


class Handler(Connection):
    """One connection."""

    def do(self):
        canvas, self.origin = self.server.canvas, self.server.origin
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        self.raw, self.range = self.path, self.headers.get("Range")
        path, _, query = self.path.partition("?")
        self.pairs = urllib.parse.parse_qsl(query, True)
        self.query, self.place, self.form = dict(self.pairs), urllib.parse.unquote(path), dict(urllib.parse.parse_qsl(body, True))
        given = (self.headers.get("Authorization") or "").split(" ", 1)
        self.bearer = given[1] if len(given) == 2 and given[0] == "Bearer" else self.query.get("access_token")
        canvas.closing.wait(canvas.delay)
        answer = canvas.answer(self)
        shown = urllib.parse.urlencode([(n, "SECRET" if n.lower() in SECRET else v) for n, v in self.pairs])
        with canvas.lock:
            canvas.asked.append(Asked(self.command, re.sub(r"(/ks/)[^/]*", r"\1SECRET", path), shown, answer.status, self.range,
                                      self.origin, bool(self.headers.get("Authorization"))))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do_DELETE = do

    def lists(self, name):
        return [v for n, v in self.pairs if n in (name, name + "[]")]

    def cut(self, answer):
        canvas = self.server.canvas
        count, ends = canvas.breaks(answer, answer.media and answer.media[0])
        if ends and answer.sign:
            # Its time is over, so the next one is of another second: within one all signatures are equal.
            canvas.refused.add(answer.sign)
            canvas.clock += 1
        return count
