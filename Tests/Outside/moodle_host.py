"""A stand-in of a Moodle server (4.4/4.5): logins, web service functions and files in the forms of the real one."""

import base64
import collections
import email.utils
import hashlib
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

SERVICE = "moodle_mobile_app"
# lib/classes/filetypes.php; what isn't there is "document/unknown".
TYPES = {"mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "mov": "video/quicktime", "mkv": "video/x-matroska",
         "ogv": "video/ogg", "mp3": "audio/mp3", "m4a": "audio/mp4", "pdf": "application/pdf", "txt": "text/plain",
         "html": "text/html", "vtt": "text/vtt", "png": "image/png", "jpg": "image/jpeg", "zip": "application/zip"}
# FEATURE_NO_VIEW_LINK, FEATURE_MOD_PURPOSE and X_export_contents in mod/X/lib.php; lti and label export nothing.
PURPOSES = {"lti": "other", "quiz": "assessment", "assign": "assessment", "forum": "collaboration"}
EXPORTING = ("resource", "folder", "page", "url", "book", "imscp")
FUNCTIONS = ("core_webservice_get_site_info", "core_enrol_get_users_courses", "core_course_get_contents",
             "core_course_get_courses_by_field", "core_course_get_course_module", "mod_page_get_pages_by_courses")
OPTIONS = ("excludemodules", "excludecontents", "includestealthmodules", "sectionid", "sectionnumber", "cmid", "modid", "modname")

Asked = collections.namedtuple("Asked", "method path function status range")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))
File = collections.namedtuple("File", "content name kind modified")


# Messages of lang/en/{webservice,error,debug,moodle,admin}.php, and classes of exceptions other than moodle_exception.
MESSAGES = {
    "accessexception": "Access control exception",
    "enablewsdescription": "Web services must be enabled in Advanced features.",
    "errorcoursecontextnotvalid": "You cannot execute functions in the course context (course id:{}). The context error message "
                                  "was: Course or activity not accessible.",
    "errorinvalidparam": 'The param "{}" is invalid.',
    "filenotfound": "Sorry, the requested file could not be found",
    "invalidkey": "Incorrect key",
    "invalidlogin": "Invalid login, please try again",
    "invalidparameter": "Invalid parameter value detected",
    "invalidrecord": "Can't find data record in database table {}.",
    "invalidtoken": "Invalid token - token not found",
    "missingparam": "A required parameter ({}) was missing",
    "pluginnotenabledorconfigured": "Plugin not enabled or configured.",
    "requireloginerror": "Course or activity not accessible.",
    "servicenotavailable": "Web service is not available. (It doesn't exist or might be disabled.)",
    "sitemaintenance": "The site is undergoing maintenance and is currently not available"}
KINDS = {"accessexception": "webservice_access_exception", "invalidparameter": "invalid_parameter_exception",
         "invalidrecord": "dml_missing_record_exception", "requireloginerror": "require_login_exception"}


class Problem(Exception):
    """An exception of Moodle: its error code, message and class."""

    def __init__(self, code, *about):
        self.code, self.message, self.kind = code, MESSAGES[code].format(*about), KINDS.get(code, "moodle_exception")
        super().__init__(self.message)


def from_date(timestamp):
    """What a condition "from" tells in availabilityinfo: availability/condition/date, in the user's time zone and language."""
    return time.strftime("Available from <strong>%d %B %Y, %I:%M %p</strong>", time.gmtime(timestamp)).replace(
        "<strong>0", "<strong>").replace(", 0", ", ")


def format_string(text):
    """Tags go, a bare ampersand becomes an entity: core_external\\util::format_string, lib/weblib.php."""
    text = re.sub(r"&(?![a-zA-Z0-9#]{1,8};)", "&amp;", text)
    return re.sub(r"</?[a-zA-Z!][^>]*>", "", text).replace("<", "&lt;").replace(">", "&gt;")


def file_name(name):
    """What PARAM_FILE leaves of a name: lib/moodlelib.php; a stored file never has another name."""
    return re.sub(r"\.\.+", "", re.sub(r"[\x00-\x1f\x7f&<>\"`|':\\/]", "", name))


def encoded(path):
    """Each part as PHP's rawurlencode writes it: moodle_url::set_slashargument."""
    return "/".join(urllib.parse.quote(part, safe="") for part in path.split("/"))


def php_json(value):
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/").encode()


def xmlized(value):
    """webservice/rest/locallib.php xmlize_result."""
    if isinstance(value, dict):
        keys = "".join(f'<KEY name="{name}">{xmlized(v)}</KEY>\n' for name, v in value.items())
        return f"<SINGLE>\n{keys}</SINGLE>\n"
    if isinstance(value, list):
        return f"<MULTIPLE>\n{''.join(map(xmlized, value))}</MULTIPLE>\n"
    if value is None:
        return '<VALUE null="null"/>\n'
    return f"<VALUE>{html.escape(str(int(value) if isinstance(value, bool) else value))}</VALUE>\n"


class Module:
    """One activity. `contents` are (type, path, file or address) in their order."""

    def __init__(self, section, modname, name, restricted=None, hidden=False, stealth=False, description=None, files=None,
                 dates=(), external=None, kind=None, modified=None):
        self.section, self.moodle, self.modname, self.name = section, section.course.moodle, modname, name
        self.id, self.context, self.instance = (next(self.moodle.numbers) for _ in range(3))
        self.restricted, self.hidden, self.stealth, self.external, self.kind = restricted, hidden, stealth, external, kind
        self.modified, self.revision, self.dates = modified or self.moodle.now, 1, list(dates)
        self.description, self.contents, self.html = description, [], None
        for path, content in (files or {}).items():
            self.store("intro", path, content)

    @property
    def available(self):
        return not self.restricted and not self.hidden and not self.section.restricted and not self.section.hidden

    @property
    def icon(self):
        """A resource has that of its first file: mod/resource/lib.php resource_get_coursemodule_info, lib/classes/filetypes.php."""
        if self.modname != "resource":
            return f"{self.modname}/1732000000/monologo?filtericon=1"
        kind = self.contents[0][2].kind.split("/")
        return f"core/1732000000/f/{kind[0] if kind[0] in ('video', 'audio', 'image') else 'pdf' if kind[1] == 'pdf' else 'unknown'}"

    def store(self, area, path, content):
        folder, _, name = ("/" + path).rpartition("/")
        file = File(content.encode() if isinstance(content, str) else content, file_name(name), self.kind or TYPES.get(
            name.rpartition(".")[2].lower(), "document/unknown"), self.modified)
        path = f"{folder}/{file.name}"
        self.moodle.files[self.context, f"mod_{self.modname}", area, path] = self, file
        return path, file

    def add(self, path, content):
        self.contents.append(("file", *self.store("content", path, content)))

    def file_url(self, path):
        return (f"{self.moodle.base}/webservice/pluginfile.php/{self.context}/mod_{self.modname}/content{encoded(path)}"
                "?forcedownload=1")

    def exported(self):
        """mod/resource/lib.php, mod/folder/lib.php, mod/page/lib.php, mod/url/lib.php: X_export_contents."""
        nobody = {"userid": None, "author": None, "license": None}
        for kind, path, file in self.contents:
            if kind == "url":
                yield {"type": "url", "filename": file_name(format_string(self.name)), "filepath": None, "filesize": 0,
                       "fileurl": file, "timecreated": None, "timemodified": self.modified, "sortorder": None, **nobody}
                continue
            # The main file of a resource has 1: file_set_sortorder.
            main = self.modname == "resource" and file is self.contents[0][2]
            more = {"isexternalfile": bool(self.external), **({"repositorytype": self.external} if self.external else {})}
            yield {"type": "file", "filename": file.name, "filepath": path[:len(path) - len(file.name)],
                   "filesize": len(file.content), "fileurl": self.file_url(f"/{self.revision}{path}"),
                   "timecreated": self.moodle.now, "timemodified": file.modified, "sortorder": int(main), "userid": 2,
                   "author": "Ada Teacher", "license": "unknown", "mimetype": file.kind, **more}
        if self.html is not None:
            yield {"type": "file", "filename": "index.html", "filepath": "/", "filesize": 0,
                   "fileurl": self.file_url("/index.html"), "timecreated": None, "timemodified": self.modified,
                   "sortorder": 1, **nobody}

    def described(self):
        """lib/weblib.php format_module_intro: files of a description are at pluginfile.php, not at webservice/pluginfile.php."""
        base = f"{self.moodle.base}/pluginfile.php/{self.context}/mod_{self.modname}/intro/"
        return f'<div class="no-overflow">{self.description.replace("@@PLUGINFILE@@/", base)}</div>'

    def listed(self, exclude_contents):
        """course/externallib.php get_course_contents: one element of `modules`."""
        label, plural = self.modname == "label", self.modname.capitalize() + "s"
        module = {"id": self.id}
        if not label:
            module["url"] = f"{self.moodle.base}/mod/{self.modname}/view.php?id={self.id}"
        module |= {"name": format_string(self.name), "instance": self.instance, "contextid": self.context}
        if self.description is not None:
            module["description"] = self.described()
        module |= {"visible": 1, "uservisible": not self.restricted}
        if self.restricted:
            module["availabilityinfo"] = self.restricted
        module |= {"visibleoncoursepage": 0 if self.stealth else 1,
                   "modicon": f"{self.moodle.base}/theme/image.php/boost/{self.icon}",
                   "modname": self.modname, "purpose": PURPOSES.get(self.modname, "content"), "branded": False,
                   "modplural": plural, "indent": 0, "onclick": "", "afterlink": None, "customdata": '""', "noviewlink": label,
                   "completion": 0, "downloadcontent": 1, "dates": self.dates, "groupmode": 0}
        return module if self.restricted or self.modname not in EXPORTING else module | self.content_fields(exclude_contents)

    def content_fields(self, exclude):
        files = list(self.exported())
        info = {"filescount": len(files), "filessize": sum(f["filesize"] for f in files),
                "lastmodified": max((f["timemodified"] for f in files), default=0),
                "mimetypes": list(dict.fromkeys(f["mimetype"] for f in files if "mimetype" in f))}
        if files:
            info["repositorytype"] = files[0].get("repositorytype", "")
        return {"contents": [] if exclude else files, "contentsinfo": info}


class Section:
    """A section; what it is told to hold is served."""

    def __init__(self, course, name, summary="", files=None, restricted=None, hidden=False):
        self.course, self.name, self.summary, self.restricted, self.hidden = course, name, summary, restricted, hidden
        self.id, self.number, self.modules = next(course.moodle.numbers), len(course.sections), []
        for path, content in (files or {}).items():
            file = File(content, path, TYPES.get(path.rpartition(".")[2], "document/unknown"), course.moodle.now)
            course.moodle.files[course.context, "course", "section", f"/{self.id}/{path}"] = self, file

    @property
    def available(self):
        return not self.restricted and not self.hidden

    @property
    def section(self):
        return self

    def other(self, modname, name, **more):
        self.modules.append(Module(self, modname, name, **more))
        return self.modules[-1]

    def resource(self, name, filename, content, **more):
        module = self.other("resource", name, **more)
        module.add(filename, content)
        return module

    def folder(self, name, files, **more):
        module = self.other("folder", name, **more)
        for path, content in files.items():
            module.add(path, content)
        return module

    def page(self, name, content, files=None, **more):
        """A page whose HTML names its files as `@@PLUGINFILE@@/name`, as stored."""
        module = self.other("page", name, **more)
        module.html = content
        for path, file in (files or {}).items():
            module.add(path, file)
        return module

    def label(self, content, files=None, **more):
        """Text on the course page; it is in `description` only, and its name is the beginning of its text: mod/label/lib.php."""
        name = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", content))).strip()
        return self.other("label", (name[:50] + "..." if len(name) > 50 else name) or "Text and media area",
                          description=content, files=files, **more)

    def url(self, name, address, **more):
        module = self.other("url", name, **more)
        module.contents.append(("url", None, address))
        return module

    def lti(self, name, **more):
        return self.other("lti", name, **more)

    def listed(self, options):
        """course/externallib.php get_course_contents: one section."""
        modules = [] if "excludemodules" in options or not self.available else [m for m in self.modules if not m.hidden and all(
            str(getattr(m, {"cmid": "id", "modid": "instance"}.get(name, name))) == options[name]
            for name in ("cmid", "modname", "modid") if name in options)]
        # Its files are at webservice/pluginfile.php: core_external\util::format_text.
        files = f"{self.course.moodle.base}/webservice/pluginfile.php/{self.course.context}/course/section/{self.id}/"
        info = {"availabilityinfo": self.restricted} if self.restricted else {}
        return {"id": self.id, "name": format_string(self.name), "visible": 1,
                "summary": self.summary.replace("@@PLUGINFILE@@/", files), "summaryformat": 1, "section": self.number,
                "hiddenbynumsections": 0, "uservisible": self.available, **info, "component": None, "itemid": None,
                "modules": [m.listed("excludecontents" in options) for m in modules]}


class Course:
    """A course; `nothing` lets its contents be an empty list."""

    def __init__(self, moodle, id, fullname, shortname, users=(), startdate=0, enddate=0, visible=True, summary=""):
        self.moodle, self.id, self.fullname, self.shortname, self.users = moodle, id, fullname, shortname, set(users)
        self.startdate, self.enddate, self.visible, self.summary = startdate, enddate, visible, summary
        self.context, self.sections, self.nothing = next(moodle.numbers), [], False

    def section(self, name, summary="", **more):
        self.sections.append(Section(self, name, summary, **more))
        return self.sections[-1]

    def open_to(self, user):
        return self.visible and user in self.users

    def common(self):
        name = format_string(self.fullname)
        return {"id": self.id, "shortname": format_string(self.shortname), "fullname": name, "displayname": name,
                "summary": self.summary, "summaryformat": 1, "overviewfiles": [], "showactivitydates": True,
                "showcompletionconditions": True}

    def dated(self):
        return {"format": "topics", "visible": int(self.visible), "startdate": self.startdate, "enddate": self.enddate,
                "lang": "", "marker": 0}

    def enrolled(self):
        """enrol/externallib.php get_users_courses."""
        return {**self.common(), **self.dated(), "enrolledusercount": len(self.users), "idnumber": "",
                "courseimage": f"{self.moodle.base}/course/generated/course.svg", "showgrades": True, "enablecompletion": True,
                "completionhascriteria": False, "completionusertracked": True, "category": 1, "progress": None,
                "completed": False, "lastaccess": None, "isfavourite": False, "hidden": False, "timemodified": self.moodle.now}

    def found(self, user):
        """course/externallib.php get_courses_by_field: who isn't enrolled sees what is public."""
        more = {**self.dated(), "filters": [], "showgrades": 1, "courseformatoptions": []} if self.open_to(user) else {}
        return {**self.common(), "categoryid": 1, "categoryname": "Category 1", "sortorder": 10001, "summaryfiles": [],
                "contacts": [], "enrollmentmethods": ["manual"], "customfields": [], **more}


class Moodle(StandIn):
    """A site at a free port below `path`. What was asked is in `requests`; switches are set as attributes."""

    def __init__(self, case, path="/moodle"):
        self.now, self.numbers, self.lock, self.closing = 1732000000, itertools.count(101), threading.Lock(), threading.Event()
        self.people, self.tokens, self.keys, self.courses, self.files, self.asked = {}, {}, {}, {}, {}, []
        self.name, self.release, self.version = "Test &amp; Site", "4.4.12+ (Build: 20251114)", "2024042212.01"
        # From 4.5 on the classes of exceptions have a namespace: lib/classes/exception.
        self.namespaced = False
        # An expired token first says accessexception, then, forgotten, invalidtoken: webservice/lib.php.
        self.expired_access = False
        self.web_services, self.services, self.password_login, self.sso, self.download_files = True, {SERVICE}, True, True, True
        self.maintenance, self.status, self.retry_after, self.html, self.half, self.delay = False, None, None, False, False, 0
        # Ends of decoded paths, each with the bytes after which an answer breaks: an int for once, a list for several times.
        self.break_after, self.expire_after = {}, {}
        # Functions with the error codes that they answer.
        self.failing = {}
        # nginx sends the files (X-Accel-Redirect, $CFG->xsendfile): its own ETag, 416, and If-Range is heeded.
        self.accelerated = False
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads, self.server.moodle, self.path = True, self, path
        self.base = f"http://127.0.0.1:{self.server.server_port}{path}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop)

    def stop(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def requests(self):
        """What was asked so far, without queries, bodies and keys."""
        with self.lock:
            return list(self.asked)

    def user(self, name, password):
        self.people[name] = (len(self.people) + 3, password)
        self.keys[name] = secrets.token_hex(16)

    def key_of(self, name):
        """The key for tokenpluginfile.php; it doesn't expire with the token."""
        return self.keys[name]

    def token_of(self, name):
        """The valid token, a new one where there is none: core_external\\util::generate_token_for_current_user."""
        with self.lock:
            for token, (user, valid) in self.tokens.items():
                if user == name and valid:
                    return token
            token = secrets.token_hex(16)
            self.tokens[token] = (name, True)
            return token

    def expire(self, name):
        with self.lock:
            kept = {t: (u, v and u != name) for t, (u, v) in self.tokens.items()}
            self.tokens = {t: (u, v) for t, (u, v) in kept.items() if v or self.expired_access}

    def launch_link(self, name, passport, scheme="moodlemobile", private=False):
        """admin/tool/mobile/launch.php; the third part comes over https only, to who has just logged in."""
        parts = [hashlib.md5((self.base + passport).encode()).hexdigest(), self.token_of(name)]
        parts += [secrets.token_hex(32)] if private else []
        return f"{scheme}://token={base64.b64encode(':::'.join(parts).encode()).decode()}"

    def course(self, id, fullname, shortname, users=(), **more):
        self.courses[id] = Course(self, id, fullname, shortname, users, **more)
        return self.courses[id]

    def answer(self, request):
        if self.status:
            after = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
            return self.page(self.status, "Trouble", after)
        if self.html or request.place == "/login/index.php":
            # lib/templates/loginform.mustache.
            return self.page(200, '<form action="login/index.php" method="post"><input name="logintoken" type="hidden">'
                             '<input type="text" name="username"><input type="password" name="password"></form>')
        for start, handler in (("/login/token.php", self.login), ("/webservice/rest/server.php", self.service),
                               ("/webservice/pluginfile.php", self.service_file), ("/tokenpluginfile.php", self.key_file),
                               ("/pluginfile.php", self.session_file), ("/admin/tool/mobile/launch.php", self.launch),
                               ("/lib/ajax/service-nologin.php", self.public)):
            if request.place == start or request.place.startswith(start + "/"):
                return handler(request)
        if re.match(r"/(mod|course|my)/", request.place):
            return self.to_login()
        return self.page(404, "Not Found")

    def page(self, status, text, headers=None):
        body = f"<!DOCTYPE html>\n<html><head><title>{self.name}</title></head><body>{text}</body></html>"
        return Answer(status, body.encode(), {"Content-Type": "text/html; charset=utf-8", **(headers or {})})

    def to_login(self):
        """lib/weblib.php redirect."""
        return self.page(303, "This page should automatically redirect.", {"Location": self.base + "/login/index.php"})

    def error_page(self, problem, request):
        """lib/outputrenderers.php fatal_error: any error is a 404, and 407 where a range was asked for."""
        return self.page(407 if request.range else 404, f'<div class="errorbox"><p class="errormessage">{problem}</p></div>')

    @staticmethod
    def ajax(value, status=200):
        return Answer(status, php_json(value), {"Content-Type": "application/json; charset=utf-8", "Accept-Ranges": "none",
                                                "Access-Control-Allow-Origin": "*"})

    def ajax_error(self, problem):
        """lib/outputrenderers.php core_renderer_ajax::fatal_error, of scripts with AJAX_SCRIPT."""
        return self.ajax({"error": problem.message, "errorcode": problem.code, "stacktrace": None, "debuginfo": None,
                          "reproductionlink": None}, 404 if problem.code == "filenotfound" else 200)

    def login(self, request):
        """login/token.php."""
        try:
            return self.ajax(self.logged_in(request.form))
        except Problem as problem:
            return self.ajax_error(problem)

    def logged_in(self, form):
        if not self.web_services:
            raise Problem("enablewsdescription")
        if form.get("appsitecheck", "0") not in ("", "0"):
            return {"appsitecheck": "ok"}
        for name in ("username", "password", "service"):
            if name not in form:
                raise Problem("missingparam", name)
        name = form["username"].strip().lower()
        if not self.password_login or self.people.get(name, (0, None))[1] != form["password"]:
            raise Problem("invalidlogin")
        self.refuse_maintenance()
        if form["service"] not in self.services:
            raise Problem("servicenotavailable")
        return {"token": self.token_of(name), "privatetoken": None}

    def refuse_maintenance(self):
        if self.maintenance:
            raise Problem("sitemaintenance")

    def launch(self, request):
        """admin/tool/mobile/launch.php without a session."""
        if request.form.get("service") not in self.services:
            return self.error_page(Problem("servicenotavailable"), request)
        return self.to_login() if self.sso else self.error_page(Problem("pluginnotenabledorconfigured"), request)

    def public(self, request):
        """lib/ajax/service.php with tool_mobile_get_public_config: typeoflogin is 1 with a password, 2 in a browser."""
        data = {"wwwroot": self.base, "httpswwwroot": self.base, "sitename": self.name, "guestlogin": 0,
                "enablewebservices": int(self.web_services), "enablemobilewebservice": int(SERVICE in self.services),
                "maintenanceenabled": int(self.maintenance), "maintenancemessage": "", "showloginform": int(self.password_login),
                "typeoflogin": 1 if self.password_login else 2, "launchurl": self.base + "/admin/tool/mobile/launch.php"}
        return self.ajax([{"error": False, "data": data}])

    def user_of(self, token):
        """webservice/lib.php authenticate_by_token and authenticate_user."""
        with self.lock:
            user, valid = self.tokens.get(token, (None, False))
            if user and not valid:
                del self.tokens[token]
        if user and not valid:
            raise Problem("accessexception")
        if not user:
            raise Problem("invalidtoken")
        self.refuse_maintenance()
        return user

    def service(self, request):
        """webservice/rest/server.php: the answer is XML unless JSON is asked for."""
        as_json = request.form.get("moodlewsrestformat") == "json"
        try:
            value = self.called(request)
            body = php_json(value) if as_json else f"<RESPONSE>\n{xmlized(value)}</RESPONSE>\n"
        except Problem as problem:
            spaced = self.namespaced and problem.kind in ("moodle_exception", "invalid_parameter_exception")
            kind = ("core\\exception\\" if spaced else "") + problem.kind
            error = {"exception": kind, "errorcode": problem.code, "message": problem.message}
            body = php_json(error) if as_json else (
                f'<EXCEPTION class="{kind}">\n<ERRORCODE>{problem.code}</ERRORCODE>\n'
                f"<MESSAGE>{html.escape(problem.message, False)}</MESSAGE>\n</EXCEPTION>\n")
        body = body if as_json else ('<?xml version="1.0" encoding="UTF-8" ?>\n' + body).encode()
        return Answer(200, body, {"Content-Type": "application/json" if as_json else "application/xml; charset=utf-8",
                                  "Cache-Control": "private, must-revalidate, pre-check=0, post-check=0, max-age=0",
                                  "Accept-Ranges": "none", "Access-Control-Allow-Origin": "*"})

    def called(self, request):
        if not self.web_services:
            raise Problem("accessexception")
        user = self.user_of(request.form.get("wstoken"))
        if not request.function:
            raise Problem("invalidparameter")
        if request.function not in FUNCTIONS:
            raise Problem("invalidrecord", "external_functions")
        if request.function in self.failing:
            raise Problem(self.failing[request.function])
        known = {"site_info": ("serviceshortnames",), "users_courses": ("userid", "returnusercount"),
                 "contents": ("courseid", "options"), "courses_by_field": ("field", "value"), "course_module": ("cmid",),
                 "pages_by_courses": ("courseids",)}
        function = request.function.partition("_get_")[2]
        form = {n: v for n, v in request.form.items() if not re.match("ws(token|function)$|moodlewssetting|moodlewsrest", n)}
        if any(name.partition("[")[0] not in known[function] for name in form):
            raise Problem("invalidparameter")
        return getattr(self, function)(user, form)

    @staticmethod
    def number(form, name):
        if not re.fullmatch(r"-?\d+", form.get(name, "")):
            raise Problem("invalidparameter")
        return int(form[name])

    def site_info(self, user, _):
        """webservice/externallib.php get_site_info."""
        return {"sitename": self.name, "username": user, "firstname": user.capitalize(), "lastname": "Student",
                "fullname": user.capitalize() + " Student", "lang": "en", "userid": self.people[user][0], "siteurl": self.base,
                "userpictureurl": f"{self.base}/theme/image.php/boost/core/1732000000/u/f1",
                "functions": [{"name": name, "version": self.version} for name in FUNCTIONS],
                "downloadfiles": int(self.download_files), "uploadfiles": 1, "release": self.release, "version": self.version,
                "mobilecssurl": "", "advancedfeatures": [{"name": "enablecompletion", "value": 1}],
                "usercanmanageownfiles": True, "userquota": 104857600, "usermaxuploadfilesize": 2097152, "userhomepage": 1,
                "userprivateaccesskey": self.keys[user], "siteid": 1, "sitecalendartype": "gregorian",
                "usercalendartype": "gregorian", "userissiteadmin": False, "theme": "boost", "limitconcurrentlogins": 0,
                "policyagreed": 0}

    def users_courses(self, user, form):
        mine = self.number(form, "userid") == self.people[user][0]
        return [course.enrolled() for course in self.courses.values() if mine and course.open_to(user)]

    def courses_by_field(self, user, form):
        field, value = form.get("field", ""), form.get("value", "")
        if field not in ("", "id", "ids", "shortname", "idnumber", "category", "sectionid"):
            raise Problem("invalidparameter")
        found = {"": lambda c: True, "id": lambda c: str(c.id) == value, "ids": lambda c: str(c.id) in value.split(","),
                 "shortname": lambda c: c.shortname == value, "category": lambda c: value == "1",
                 "sectionid": lambda c: value in [str(s.id) for s in c.sections]}.get(field, lambda c: False)
        return {"courses": [c.found(user) for c in self.courses.values() if c.visible and found(c)], "warnings": []}

    def contents(self, user, form):
        """course/externallib.php get_course_contents."""
        number, options = self.number(form, "courseid"), self.options(form)
        if number not in self.courses:
            raise Problem("invalidrecord", "course")
        course = self.courses[number]
        if course.nothing:
            return []
        if not course.open_to(user):
            raise Problem("errorcoursecontextnotvalid", number)
        return [s.listed(options) for s in course.sections if not s.hidden and all(
            str(getattr(s, name)) == options[option] for option, name in (("sectionid", "id"), ("sectionnumber", "number"))
            if option in options)]

    def course_module(self, user, form):
        """course/externallib.php get_course_module."""
        number = self.number(form, "cmid")
        for course in self.courses.values():
            for section in course.sections:
                for module in section.modules:
                    if module.id == number:
                        if not course.open_to(user):
                            raise Problem("requireloginerror")
                        return {"cm": {"id": number, "course": course.id, "module": 1, "name": module.name, "instance": module.instance,
                                       "section": section.id, "sectionnum": section.number, "modname": module.modname}, "warnings": []}
        raise Problem("invalidrecord", "course_modules")

    def pages_by_courses(self, user, form):
        """mod/page/classes/external.php: files of the content are at webservice/pluginfile.php, with the revision."""
        asked = [value for name, value in form.items() if name.startswith("courseids")]
        pages = []
        for course in self.courses.values():
            for module in (m for s in course.sections for m in s.modules if m.html is not None and m.available):
                if str(course.id) in asked and course.open_to(user):
                    root = f"{self.base}/webservice/pluginfile.php/{module.context}/mod_page/content/{module.revision}/"
                    pages.append({"id": module.instance, "coursemodule": module.id, "course": course.id, "name": module.name,
                                  "content": module.html.replace("@@PLUGINFILE@@/", root), "contentformat": 1, "contentfiles": [],
                                  "revision": module.revision, "timemodified": module.modified})
        return {"pages": pages, "warnings": []}

    @staticmethod
    def options(form):
        options = {}
        for key in form:
            if match := re.fullmatch(r"options\[(\w+)\]\[name\]", key):
                name, value = form[key].strip(), form.get(f"options[{match[1]}][value]")
                if value is None:
                    raise Problem("invalidparameter")
                if name not in OPTIONS:
                    raise Problem("errorinvalidparam", name)
                options.setdefault(name, value)
        return {n: v for n, v in options.items() if not (n.startswith(("exclude", "include")) and v in ("0", "", "false"))}

    def service_file(self, request):
        """webservice/pluginfile.php; the token comes with the query or with a body: required_param."""
        try:
            if "token" not in request.form:
                raise Problem("missingparam", "token")
            user = self.user_of(request.form["token"])
            if not self.download_files:
                raise Problem("accessexception")
            return self.sent(user, request, request.place.removeprefix("/webservice/pluginfile.php"))
        except Problem as problem:
            return self.ajax_error(problem)

    def key_file(self, request):
        """tokenpluginfile.php."""
        key, _, path = request.place.removeprefix("/tokenpluginfile.php/").partition("/")
        user = next((name for name, value in self.keys.items() if value == key), None)
        try:
            if not user:
                raise Problem("invalidkey")
            return self.sent(user, request, "/" + path)
        except Problem as problem:
            if problem.code == "requireloginerror" and not request.range:
                return self.page(303, "This page should automatically redirect.", {"Location": self.base + "/course/view.php"})
            return self.error_page(problem, request)

    def session_file(self, request):
        """pluginfile.php without a session; lib/moodlelib.php require_login never redirects where a range is asked for."""
        return self.error_page(Problem("requireloginerror"), request) if request.range else self.to_login()

    def sent(self, user, request, path):
        """lib/filelib.php file_pluginfile and mod/X/lib.php X_pluginfile."""
        parts = (path or request.form.get("file", "")).split("/")
        context, component, area, rest = (*parts[1:4], parts[4:]) if len(parts) > 4 else ("0", "", "", [])
        in_page = component == "mod_page" and area == "content" and rest[0] in ("index.html", "index.htm")
        rest = rest[1:] if component.startswith("mod_") and area == "content" and not in_page else rest
        context = int(context) if context.isdigit() else 0
        owner, file = self.files.get((context, component, area, "/" + "/".join(rest)), (None, None))
        if in_page:
            owner = next((m for c in self.courses.values() for s in c.sections for m in s.modules
                          if m.context == context and m.html is not None), None)
        if not owner:
            raise Problem("filenotfound")
        # A restricted module's description is on the course page, and so are its files.
        shown = owner.available or (area == "intro" and owner.section.available and owner.restricted)
        if not owner.section.course.open_to(user) or not shown:
            raise Problem("requireloginerror")
        return self.page_sent(owner) if in_page else self.file_sent(user, request, file)

    def page_sent(self, module):
        """mod/page/lib.php page_pluginfile: files are named relatively, without the revision; neither ETag nor ranges."""
        body = f'<div class="no-overflow">{module.html.replace("@@PLUGINFILE@@/", "")}</div>'.encode()
        return Answer(200, body, {"Content-Disposition": 'attachment; filename="index.html"', "Content-Type": "text/html",
                                  "Accept-Ranges": "none", "Last-Modified": email.utils.formatdate(usegmt=True)})

    def file_sent(self, user, request, file):
        """lib/filelib.php send_file and readfile_accel: If-Range is ignored, a range beyond the end gives the whole file."""
        size, media = len(file.content), (user, request.place)
        etag = hashlib.sha1(file.content).hexdigest() if not self.accelerated else f"{file.modified:x}-{size:x}"
        ranged = file.kind != "text/plain" or self.accelerated
        headers = {"Content-Disposition": f'{"attachment" if request.form.get("forcedownload") else "inline"}; '
                   f'filename="{file.name}"', "Cache-Control": "private, max-age=86400, no-transform",
                   "Content-Type": "text/plain; charset=utf-8" if file.kind == "text/plain" else file.kind,
                   "Last-Modified": email.utils.formatdate(file.modified, usegmt=True), "Etag": f'"{etag}"',
                   "Accept-Ranges": "bytes" if ranged else "none", "Access-Control-Allow-Origin": "*"}
        if request.headers.get("If-None-Match", "").strip('"') == etag:
            return Answer(304, b"", headers)
        condition = request.headers.get("If-Range")
        heeded = not self.accelerated or condition in (None, headers["Etag"], headers["Last-Modified"])
        # Several ranges at once aren't imitated: they get the whole file.
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.range or "") if ranged and heeded else None
        if not match or match[0] == "bytes=-":
            return Answer(200, file.content, headers, media)
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        last = min(int(match[2]), size - 1) if match[1] and match[2] else size - 1
        if last >= first:
            headers["Content-Range"] = f"bytes {first}-{last}/{size}"
            return Answer(206, file.content[first:last + 1], headers, media)
        if self.accelerated:
            return self.page(416, "416 Requested Range Not Satisfiable", {"Content-Range": f"bytes */{size}"})
        return Answer(200, file.content, headers, media)


class Handler(Connection):
    """One connection."""

    def do(self):
        moodle = self.server.moodle
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, query = self.path.partition("?")
        fields = urllib.parse.parse_qsl(query, True)
        if "x-www-form-urlencoded" in self.headers.get("Content-Type", ""):
            fields += urllib.parse.parse_qsl(body, True)
        self.form, self.range = dict(fields), self.headers.get("Range")
        self.function = self.form.get("wsfunction") if path.endswith("/server.php") else None
        place = urllib.parse.unquote(path)
        self.place = place.removeprefix(moodle.path) if place.startswith(moodle.path + "/") else "/outside" + place
        moodle.closing.wait(moodle.delay)
        answer = moodle.answer(self)
        shown = re.sub(r"(/tokenpluginfile\.php/)[^/]*", r"\1KEY", path)
        with moodle.lock:
            moodle.asked.append(Asked(self.command, shown, self.function, answer.status, self.range))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    def cut(self, answer):
        moodle = self.server.moodle
        count, ends = moodle.breaks(answer, answer.media and answer.media[1])
        if ends:
            moodle.expire(answer.media[0])
        return count
