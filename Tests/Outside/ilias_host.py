"""A stand-in of an ILIAS server (8 to 10) with the Opencast plugin: pages as HTML, files, and media at another origin."""

import base64
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

TYPES = {"mp4": "video/mp4", "webm": "video/webm", "mov": "video/quicktime", "mp3": "audio/mpeg", "pdf": "application/pdf",
         "txt": "text/plain", "html": "text/html", "vtt": "text/vtt", "zip": "application/zip", "png": "image/png"}
# Types with their GUI class and their names in both languages: the alt text of icons.
KINDS = {"root": ("ilObjRootFolderGUI", "Magazin", "Repository"), "crs": ("ilObjCourseGUI", "Kurs", "Course"),
         "grp": ("ilObjGroupGUI", "Gruppe", "Group"), "fold": ("ilObjFolderGUI", "Ordner", "Folder"),
         "file": ("ilObjFileGUI", "Datei", "File"), "sess": ("ilObjSessionGUI", "Sitzung", "Session"),
         "webr": ("ilObjLinkResourceGUI", "Weblink", "Weblink"), "mcst": ("ilObjMediaCastGUI", "Mediacast", "Mediacast"),
         "mep": ("ilObjMediaPoolGUI", "Medienpool", "Media Pool"), "copa": ("ilObjContentPageGUI", "Inhaltsseite",
             "Content Page"),
         "xoct": ("ilObjOpenCastGUI", "Opencast", "Opencast"), "frm": ("ilObjForumGUI", "Forum", "Forum"),
         "tst": ("ilObjTestGUI", "Test", "Test"), "itgr": ("ilObjItemGroupGUI", "Objektblock", "Item Group")}
MONTHS = {"de": "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez".split(),
          "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()}
# lang/ilias_{de,en}.lang, the plugin's too. What is in no source at hand is marked in the notes on this file.
TEXTS = {
    "content": ("Inhalt", "Content"), "login": ("Anmelden", "Login"), "version": ("Version", "Version"),
    "pages": ("Anzahl Seiten", "Number of Pages"), "today": ("Heute", "Today"), "yesterday": ("Gestern", "Yesterday"),
    "denied": ("Sie haben keine Leseberechtigung.", "You have no permission to read this item."),
    "maintenance": ("Der Server ist aufgrund von Wartungsarbeiten nicht verfügbar. Wir bitten um Verständnis.",
                    "The server is not available due to maintenance. We apologise for any inconvenience."),
    "failed": ("Authentifizierung fehlgeschlagen.", "Authentication failed."), "play": ("Abspielen", "Play"),
    "join": ("Beitreten", "Join"), "no_access": ("kein Zugriff", "No Access"), "none": ("Keine Einträge", "No Entries"),
    "next": ("Weiter", "Next"), "previous": ("Zurück", "Previous"), "more": ("Mehr anzeigen", "Show More"),
    "condition": ("Voraussetzungen", "Preconditions"), "terms": ("Nutzungsvereinbarung", "Terms of Service"),
    "running": ("Wird konvertiert, für Studierende noch nicht sichtbar.", "Converting, not yet visible to students"),
    "scheduled": ("Geplante Aufzeichnung, für Studierende nicht sichtbar.", "Scheduled event, not visible to students."),
    "no_favourites": ("Sie haben aktuell noch keine Favoriten ausgewählt.", "You have not yet selected any favourites."),
    "no_courses": ("Sie sind noch keinem Kurs beigetreten.", "You are not a member of any course."),
    "wrong": ("Anmeldedaten falsch.", "Login failed."), "sessions": ("Zeige alle vorherigen", "Show all previous")}

PLUGIN = "Customizing/global/plugins/Services/Repository/RepositoryObject/OpenCast"
DASHBOARD = "ilias.php?baseClass=ilDashboardGUI&cmd=jumpToSelectedItems"

Asked = collections.namedtuple("Asked", "method path query status range")
Answer = collections.namedtuple("Answer", "status body headers media", defaults=(None,))


def php_json(value):
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")


def page_size(count):
    """COPage/xsl/page.xsl FileItemText."""
    return f"{count / 1e6:.2f} MB" if count > 1000000 else f"{count / 1e3:.2f} KB" if count > 1000 else f"{count} B"


def quoted(text):
    return html.escape(str(text), True)


class Item:
    """An object of the repository. `raw` is its title as markup; `gone` is still listed and no more there."""

    def __init__(self, ilias, parent, kind, title, raw=None, description=None, offline=False, precondition=None, **more):
        self.ilias, self.parent, self.kind, self.title, self.description = ilias, parent, kind, title, description
        self.raw, self.offline, self.precondition = raw or html.escape(title, False), offline, precondition
        self.ref, self.obj, self.children, self.media = next(ilias.numbers), next(ilias.numbers), [], []
        self.gone = self.denied = self.html = self.tiles = self.folded = self.expanded = self.past = self.shown_past = False
        self.info_first, self.pages, self.version, self.modified, self.block_limit = False, None, 1, ilias.now, None
        self.users, self.joined, self.favourite, self.name, self.content, self.addresses = set(), True, False, None, b"", []
        # Of an Opencast object: "table" or "entities", and what the plugin's settings switch.
        self.view, self.synchronous, self.modals, self.internal_player = "table", False, False, True
        self.rows, self.external, self.inline = {}, False, False
        self.__dict__.update(more)
        ilias.items[self.ref] = self

    def add(self, kind, title, **more):
        self.children.append(Item(self.ilias, self, kind, title, **more))
        return self.children[-1]

    def group(self, title, **more):
        """An item group: a block of its own on the page of what holds it; `folded` ones are opened by a script."""
        return self.add("itgr", title, **more)

    def folder(self, title, **more):
        return self.add("fold", title, **more)

    def file(self, title, name, content, **more):
        return self.add("file", title, name=name, content=content, **more)

    def link(self, title, *addresses, **more):
        return self.add("webr", title, addresses=list(addresses), **more)

    def session(self, title, **more):
        """Its materials are its children; `expanded` shows them on the course too, `past` comes with crs_prev_sess=1 only."""
        return self.add("sess", title, **more)

    def page(self, title, **more):
        return self.add("copa", title, **more)

    def mediacast(self, title, **more):
        return self.add("mcst", title, **more)

    def mediapool(self, title, **more):
        return self.add("mep", title, **more)

    def opencast(self, title, **more):
        return self.add("xoct", title, **more)

    def video(self, title, name, content, description="", caption=True, elsewhere=None):
        """A media object: in a mediacast or media pool, or on the page above the list of what is in a course, folder, …"""
        self.media.append(Media(self.ilias, self, title, name, content, description, caption, elsewhere))
        return self.media[-1]

    def event(self, title, streams, **more):
        """An Opencast event; `streams` are {"presenter": bytes, "presentation": bytes}."""
        self.media.append(Event(self.ilias, self, title, streams, **more))
        return self.media[-1]

    @property
    def course(self):
        return self if self.kind in ("crs", "grp", "root") or not self.parent else self.parent.course

    def open_to(self, user):
        chain = self
        while chain:
            if chain.gone or chain.denied or chain.offline or chain.precondition:
                return False
            chain = chain.parent
        return self.kind == "root" or (user in self.course.users and (self.course.joined or self is self.course))


class Media:
    """A media object ("mob") of ILIAS itself."""

    def __init__(self, ilias, item, title, name, content, description, caption, elsewhere):
        self.id, self.item, self.title, self.name, self.content = next(ilias.numbers), item, title, name, content
        self.description, self.caption, self.elsewhere = description, caption, elsewhere
        self.html, self.modified = False, ilias.now
        ilias.mobs[self.id] = self

    def address(self, ilias, user):
        """ilWACSignedPath, and from 10 on FileDelivery/src/Token: the first heeds a session too, the second needs none."""
        if self.elsewhere:
            return self.elsewhere
        if ilias.media_form == "deliver":
            token = ilias.signed(f"{self.id}:{int(time.time()) + ilias.deliver_seconds}")
            return f"{ilias.base}/deliver.php/{token}/{urllib.parse.quote(self.name)}"
        now, name = int(time.time()), urllib.parse.quote(self.name)
        token = ilias.signed(f"{self.id}:{now}").rpartition("-")[2]
        return (f"./data/{ilias.client}/mobs/mm_{self.id}/{name}?il_wac_token={token}&il_wac_ttl={ilias.wac_ttl}"
                f"&il_wac_timestamp={now}")


class Event:
    """An event of Opencast. `state` is what its row tells instead of a link: "running" or "scheduled"."""

    def __init__(self, ilias, item, title, streams, id=None, date=None, state=None, denied=False, live=False, hls=(),
                 captions=None):
        self.id = id or secrets.token_hex(4) + "-2a1c-4ad5-9d2c-0b6c0d3f41aa"
        self.item, self.title, self.streams = item, title, streams
        self.date, self.state, self.denied, self.live, self.hls = date or ilias.now, state, denied, live, hls
        self.captions, self.html, self.gone, self.no_data = captions or {}, False, False, False
        ilias.events[self.id] = self


class Ilias(StandIn):
    """A site below `path`, and a media server at another port. What was asked is in `requests`; switches are attributes."""

    def __init__(self, case, path="/ilias", client="PROD_Uni", release=9, language="de"):
        self.now, self.numbers, self.lock, self.closing = 1760000000, itertools.count(1001), threading.Lock(), threading.Event()
        self.path, self.client, self.release, self.language, self.key = path, client, release, language, secrets.token_bytes(16)
        self.items, self.mobs, self.events, self.sessions, self.people, self.asked, self.courses = {}, {}, {}, {}, {}, [], []
        self.refused, self.cookies_at_media, self.failures = set(), [], {}
        # Addresses: "goto" (8), "html" (8 with rewritten ones), "path" (9) or "go" (10, where the server rewrites).
        self.form = {8: "goto", 9: "path"}.get(release, "go")
        # "legacy" (8): no ranges; "stream" (from 9 on); "accel": the web server sends the files.
        self.delivery = "legacy" if release == 8 else "stream"
        self.media_form = "wac" if release < 10 else "deliver"
        self.wac_ttl, self.deliver_seconds, self.signature_seconds = 3, 3600, 7200
        self.status, self.retry_after, self.html, self.half, self.delay = None, None, False, False, 0
        # "text" (200, a line of text) or "page" (302 to maintenance.html).
        self.maintenance, self.terms, self.login_form, self.shibboleth, self.public_section = None, False, True, False, False
        # "error" (302 to error.php), "referer" (302 to the dashboard), "page" (200).
        self.denial, self.relative, self.hits_per_page = "error", False, 20
        self.break_after, self.expire_after = {}, {}
        self.root = Item(self, None, "root", "Magazin" if language == "de" else "Repository", ref=1)
        self.items[1] = self.root
        self.servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
        for server, answer in zip(self.servers, (self.answer, self.media_answer)):
            server.daemon_threads, server.ilias, server.answer = True, self, answer
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.base = f"http://127.0.0.1:{self.servers[0].server_port}{path}"
        self.media_base = f"http://127.0.0.1:{self.servers[1].server_port}"
        case.addCleanup(self.stop)

    def stop(self):
        self.closing.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    @property
    def requests(self):
        with self.lock:
            return list(self.asked)

    def user(self, name, password="secret"):
        self.people[name] = password

    def cookies(self, name):
        """The Cookie header of a browser that is logged in."""
        session = secrets.token_hex(16)
        with self.lock:
            self.sessions[session] = (name, True)
        return f"PHPSESSID={session}; ilClientId={self.client}"

    def expire(self, name):
        with self.lock:
            self.sessions = {s: (u, v and u != name) for s, (u, v) in self.sessions.items()}

    def course(self, title, users=(), kind="crs", **more):
        self.courses.append(Item(self, self.root, kind, title, users=set(users), **more))
        return self.courses[-1]

    # Addresses.

    def text(self, name):
        return TEXTS[name][self.language != "de"]

    def signed(self, text):
        return f"{text.replace(':', '-')}-{hmac.new(self.key, text.encode(), 'sha256').hexdigest()[:32]}"

    def static(self, item, *more):
        """StaticURL/src/Builder/StandardURIBuilder.php; ilLink::_getStaticLink before 9."""
        if self.form == "go" or self.form == "path":
            return f"{self.base}/{'go' if self.form == 'go' else 'goto.php'}/{item.kind}/{item.ref}" + "".join(f"/{m}"
                for m in more)
        target = "_".join([item.kind, str(item.ref), *more])
        if self.form == "html":
            return f"{self.base}/goto_{self.client}_{target}.html"
        return f"{self.base}/goto.php?target={target}&client_id={self.client}"

    @staticmethod
    def command(base, gui, cmd=None, **more):
        """ilCtrl's links: relative, with cmdNode that differs between installations."""
        node = {"xoctEventGUI": "xu:nx:80", "xoctPlayerGUI": "xu:nx:80:81"}.get(gui, "xg:lf")
        query = {"baseClass": base, "cmdNode": node, "cmdClass": gui, **({"cmd": cmd} if cmd else {}), **more}
        return "ilias.php?" + urllib.parse.urlencode(query, safe=":")

    def link_of(self, item):
        """Where a title in a list leads to: ilObjXListGUI::getCommandLink."""
        if item.kind == "file":
            return (self.command("ilrepositorygui", "ilInfoScreenGUI", "showSummary", ref_id=item.ref) if item.info_first
                    else self.static(item, "download"))
        if item.kind == "webr":
            direct = {"cmd": "calldirectlink"} if len(item.addresses) == 1 else {}
            return "ilias.php?" + urllib.parse.urlencode({"baseClass": "ilLinkResourceHandlerGUI", "ref_id": item.ref, **direct})
        if item.kind == "mcst":
            return f"./ilias.php?baseClass=ilMediaCastHandlerGUI&ref_id={item.ref}&cmd=showContent"
        if item.kind == "mep":
            return f"ilias.php?baseClass=ilMediaPoolPresentationGUI&ref_id={item.ref}"
        if item.kind == "xoct":
            return f"ilias.php?baseClass=ilObjPluginDispatchGUI&cmd=forward&ref_id={item.ref}&forwardCmd=showContent"
        if self.release == 8 and item.kind == "fold":
            return f"ilias.php?baseClass=ilrepositorygui&cmd=view&ref_id={item.ref}"
        return self.static(item)

    # Answers.

    def page(self, status, content, title="ILIAS", headers=None, user=None, item=None, tabs=""):
        """The standard page. Who isn't logged in has a login link in the meta bar."""
        bar = (f'<li><a href="{self.base}/logout.php?lang={self.language}">Logout</a></li>' if user else
               f'<li><a class="btn btn-bulky" href="login.php?client_id={self.client}&amp;cmd=force_login'
               f'&amp;lang={self.language}">{self.text("login")}</a></li>')
        alert = self.failures.pop(user, None) if user else None
        box = f'<div class="alert alert-danger" role="alert"><div class="ilAccHeadingHidden"></div>{alert}</div>' if alert else ""
        link = php_json(self.static(item)) if item else '""'
        permalink = (f"<script>il.Util.addOnLoad(function() {{ il.Footer.permalink.copyText({link}) }});</script>"
                     if self.release > 8
                     else f'<input id="current_perma_link" readonly value="{quoted(self.static(item)) if item else ""}">')
        icon = f'<img id="headerimage" src="{self.icon(item)}" alt="">' if item else ""
        body = (f'<!DOCTYPE html>\n<html lang="{self.language}" dir="ltr"><head><meta charset="utf-8"><title>{title}</title>'
                f'</head>'
                f'<body><header><ul class="il-maincontrols-metabar" role="menubar">{bar}</ul></header>\n'
                f'<nav><ol class="breadcrumb"><li><a href="{quoted(self.static(self.root))}">{self.root.raw}</a></li></ol></nav>'
                f'<main>{icon}<h1 class="il-page-content-header media-heading ilHeader">{title}</h1>{tabs}{box}\n'
                f'<div id="ilContentContainer" class="container-fluid"><div id="il_center_col">{content}</div></div></main>'
                f"<footer>{permalink}</footer></body></html>")
        return Answer(status, body.encode(), {"Content-Type": "text/html; charset=UTF-8", "Cache-Control": "no-store",
                                              **(headers or {})})

    def redirect(self, place, headers=None):
        where = place if self.relative or re.match("https?:", place) else f"{self.base}/{place}"
        return Answer(302, b"", {"Location": where, "Content-Type": "text/html; charset=UTF-8", **(headers or {})})

    def session(self, request):
        """The user and whether the session is one that has ended."""
        cookies = dict(p.strip().partition("=")[::2] for p in request.headers.get("Cookie", "").split(";"))
        with self.lock:
            user, valid = self.sessions.get(cookies.get("PHPSESSID"), (None, False))
        return (user, False) if valid else (None, bool(user))

    def answer(self, request):
        if self.status:
            after = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
            return Answer(self.status, b"<h1>Trouble</h1>", {"Content-Type": "text/html", **after})
        if self.maintenance and request.place != "/maintenance.html":
            # ilInitialisation::handleMaintenanceMode.
            return (self.redirect("maintenance.html") if self.maintenance == "page" else
                    Answer(200, self.text("maintenance").encode(), {"Content-Type": "text/html; charset=UTF-8"}))
        user, ended = self.session(request)
        request.user, request.ended = user, ended
        answer = self.login_page(request) if self.html else self.routed(request)
        if not user and answer.headers.get("Content-Type", "").startswith("text/html") and "Set-Cookie" not in answer.headers:
            # ilInitialisation::setClientIdCookie; PHP starts an anonymous session.
            answer.headers["Set-Cookie"] = [f"PHPSESSID={secrets.token_hex(16)}; path={self.path}/; HttpOnly; SameSite=Lax",
                                            f"ilClientId={self.client}; path={self.path}/; HttpOnly"]
        return answer

    def routed(self, request):
        place = request.place
        for pattern, handler in ((r"/login\.php", self.login), (r"/ilias\.php", self.ilias_php), (r"/error\.php", self.error),
                                 (r"/(goto\.php|go)/(.+)", self.goto), (r"/goto\.php()()", self.goto),
                                 (r"/goto_()(.+)\.html", self.goto), (r"/data/[^/]+/mobs/mm_(\d+)/.+", self.wac),
                                 (r"/deliver\.php/([^/]+)(?:/.*)?", self.deliver), (r"/(index\.php)?", self.index),
                                 (r"/maintenance\.html", lambda r: Answer(200, self.text("maintenance").encode(),
                                     {"Content-Type": "text/html"})),
                                 (r"/shib_login\.php", lambda r: self.redirect("https://idp.example.org/idp/profile/SAML"
                                     "2/Redirect/SSO"))):
            if match := re.fullmatch(pattern, place):
                return handler(request, *match.groups()) if match.groups() and "index" not in pattern else handler(request)
        return Answer(404, b"<h1>Not Found</h1>", {"Content-Type": "text/html; charset=iso-8859-1"})

    def index(self, request):
        return self.redirect(DASHBOARD) if request.user else self.to_login(request)

    def error(self, request):
        """error.php: the failure of the session, 200."""
        text = self.failures.pop(request.user, self.text("denied"))
        return self.page(200, f'<div class="alert alert-danger" role="alert">{text}</div>', user=request.user)

    def deny(self, request):
        """Init/classes/class.ilErrorHandling.php: WARNING and MESSAGE."""
        if self.denial == "page":
            return self.page(200, f'<div class="alert alert-danger" role="alert">{self.text("denied")}</div>', user=request.user)
        self.failures[request.user] = self.text("denied")
        return self.redirect("error.php" if self.denial == "error" else "ilias.php?baseClass=ilDashboardGUI&cmd=j"
            "umpToSelectedItems")

    def to_login(self, request):
        """ilInitialisation::handleAuthenticationFail and goToLogin."""
        if request.form.get("cmdMode") == "asynch":
            return Answer(403, self.text("failed").encode(), {"Content-Type": "text/html; charset=UTF-8"})
        if self.public_section and not request.ended:
            return self.redirect("ilias.php?baseClass=ilrepositorygui&reloadpublic=1&cmd=&ref_id=1")
        more = "&session_expired=1" if request.ended and self.release > 9 else "&auth_stat=" if self.release < 10 else ""
        return self.redirect(f"login.php?client_id={self.client}{more}")

    def login(self, request):
        if request.user:
            target = request.form.get("target", "")
            self.failures[request.user] = self.text("denied") if target else None
            return self.redirect(DASHBOARD)
        return self.login_page(request)

    def login_page(self, request, alert=""):
        """Init/classes/class.ilStartUpGUI.php; names of fields as PFERD sends them (9), and before."""
        names = ("username", "password") if self.release == 8 else ("login_form/input_3/input_4", "login_form/input_3/input_5")
        action = "ilias.php?baseClass=ilStartUpGUI&amp;cmdNode=wm&amp;cmdClass=ilstartupgui&amp;cmd=doStandardAuthentication"
        form = (f'<form name="{"formlogin" if self.release == 8 else "login_form"}" action="{action}" method="post">'
                f'<input type="text" name="{names[0]}"><input type="password" name="{names[1]}">'
                "</form>") if self.login_form else ""
        target = quoted(request.form.get("target", ""))
        if self.shibboleth:
            form += f'<a id="button_shib_login" class="btn btn-default" href="shib_login.php?target={target}">Shibboleth</a>'
        return self.page(200, alert + form, self.text("login"))

    def authenticate(self, request):
        form = request.form
        name = form.get("username", form.get("login_form/input_3/input_4"))
        if self.people.get(name) != form.get("password", form.get("login_form/input_3/input_5", "")):
            return self.login_page(request, f'<div class="alert alert-danger" role="alert">{self.text("wrong")}</div>')
        cookie = self.cookies(name).partition(";")[0]
        return self.redirect(DASHBOARD,
                             {"Set-Cookie": [f"{cookie}; path={self.path}/; HttpOnly; SameSite=Lax"]})

    def goto(self, request, script, rest):
        """StaticURL/src/Handler/HandlerService.php and LegacyGotoHandler.php: always a redirect, or 404."""
        target = "_".join(rest.rstrip("/").split("/")) if script else rest or request.form.get("target", "")
        target = target.removeprefix(self.client + "_") if not script else target
        kind, _, more = target.partition("_")
        number, _, command = more.partition("_")
        if kind not in KINDS or not number.isdigit():
            return Answer(404, b"", {})
        item = self.items.get(int(number))
        if not request.user:
            return self.redirect(f"login.php?target={target}&cmd=force_login&lang={self.language}")
        if not item or item.kind != kind or not item.open_to(request.user):
            if kind == "file":
                return self.redirect(f"login.php?target={target}")
            self.failures[request.user] = self.text("denied")
            return self.redirect(DASHBOARD)
        if kind == "file":
            # File/classes/class.ilFileStaticURLHandler.php.
            asked = "sendfile" if command == "download" or not item.info_first else "infoScreen"
            return self.redirect(self.command("ilrepositorygui", "ilObjFileGUI", asked, ref_id=item.ref))
        other = self.link_of(item).removeprefix("./") if kind in ("webr", "mcst", "mep", "xoct") else None
        return self.redirect(other or f"ilias.php?baseClass=ilrepositorygui&ref_id={item.ref}")

    def ilias_php(self, request):
        form = {n.lower(): v for n, v in request.form.items()}
        base, gui, cmd = (form.get(n, "").lower() for n in ("baseclass", "cmdclass", "cmd"))
        if base == "ilstartupgui":
            return self.authenticate(request) if cmd == "dostandardauthentication" else self.terms_page(request)
        if not request.user and self.public_section and base == "ilrepositorygui" and form.get("ref_id") == "1":
            return self.page(200, self.blocks(self.root, request), self.root.raw, item=self.root)
        if not request.user:
            return self.to_login(request)
        if self.terms:
            return self.redirect("ilias.php?baseClass=ilStartUpGUI&cmdClass=ilStartupGUI&cmd=getAcceptance")
        if base == "ildashboardgui":
            return self.dashboard(request)
        if base == "ilmembershipoverviewgui":
            return self.page(200, self.panel(self.mine(request), "no_courses"), user=request.user)
        item = self.items.get(int(form["ref_id"])) if form.get("ref_id", "").isdigit() else None
        if not item or item.gone:
            # ilRepositoryGUI::redirectToRoot.
            return self.redirect("ilias.php?baseClass=ilrepositorygui&ref_id=1")
        if not item.open_to(request.user):
            return self.deny(request)
        if item.kind == "xoct":
            return self.opencast(request, item, base, gui, cmd, form)
        if item.kind == "file":
            return self.file(request, item, cmd)
        if item.kind in ("webr", "mcst", "mep"):
            return getattr(self, {"webr": "weblink", "mcst": "mediacast", "mep": "mediapool"}[item.kind])(request, item, form)
        if base == "ilrepositorygui" and not gui:
            more = {"cmd": form["cmd"]} if cmd else {}
            return self.redirect(self.command("ilrepositorygui", KINDS[item.kind][0], ref_id=item.ref, **more))
        if cmd == "sendfile" or cmd == "downloadfile":
            return self.page_file(request, item, form)
        if not item.course.joined:
            return self.page(200, '<form method="post"><input type="submit" name="cmd[join]" value="OK"></form>', item.raw,
                             user=request.user, item=item)
        tabs = '<ul id="ilTab" class="ilTab nav nav-tabs"><li id="tab_view_content" class="active"><a href="#">1</a></li></ul>'
        return self.page(200, self.container(item, request), item.raw, user=request.user, item=item, tabs=tabs)

    def terms_page(self, request):
        """TermsOfService: getAcceptance."""
        return self.page(200, f'<h2>{self.text("terms")}</h2><form method="post" action="ilias.php?baseClass=ilStartUpGUI&amp;'
                         'cmdClass=ilStartUpGUI&amp;cmd=getAcceptance"><input type="submit" name="accept"></form>',
                         user=request.user)

    # Lists.

    def mine(self, request):
        return [c for c in self.courses if request.user in c.users]

    def panel(self, courses, empty):
        """UI/src/templates/default/Item/tpl.item_standard.html."""
        if not courses:
            return f'<div class="panel-body"><div class="alert alert-info" role="status">{self.text(empty)}</div></div>'
        rows = ""
        for course in courses:
            title = course.raw if course.offline else f'<a href="{quoted(self.static(course))}">{course.raw}</a>'
            status = ('<hr class="il-item-divider" /><div class="row"><div class="col-md-6 il-multi-line-cap-3">'
                      '<span class="il-item-property-name">Status</span><span class="il-item-property-value">Offline</span>'
                      "</div></div>") if course.offline else ""
            rows += (f'<li class="il-std-item-container"><div class="il-item il-std-item"><div class="media"><div '
                     f'class="media-left">'
                     f'<img class="icon {course.kind} medium" src="./templates/default/images/standard/icon_{course.kind}.svg" '
                     f'alt="{self.alt(course)}"></div><div class="media-body"><h4 class="il-item-title">{title}</h4>'
                     f'{status}</div></div></div></li>')
        return (f'<div class="panel-body"><div class="il-item-group"><h3>{self.text("content")}</h3><div '
                f'class="il-item-group-items">'
                f"<ul>{rows}</ul></div></div></div>")

    def dashboard(self, request):
        """Dashboard: the block of favourites is there always; that of memberships where the site shows it."""
        favourites = self.panel([c for c in self.mine(request) if c.favourite], "no_favourites")
        return self.page(200, f'<div id="block_dash_fav_0" class="il_Block">{favourites}</div><div id="block_dash_mem_0" '
                              f'class="il_Block">'
                         f'{self.panel(self.mine(request), "no_courses")}</div>', "Dashboard", user=request.user)

    def icon(self, item):
        """From 9 on icons of files come from FileDelivery; the plugin has its own."""
        if item.kind == "xoct":
            return f"./{PLUGIN}/templates/images/icon_xoct.svg"
        if item.kind == "file" and self.release > 8:
            return f"./src/FileDelivery/deliver.php/{self.signed('icon:1')}/{item.name.rpartition('.')[2]}.svg"
        inline = "_inline" if item.kind == "file" and item.inline else ""
        return f"./templates/default/images/standard/icon_{item.kind}{inline}.svg"

    def alt(self, item):
        if item.kind == "file" and item.inline:
            return "Inline Datei" if self.language == "de" else "Inline File"
        return KINDS[item.kind][1 if self.language == "de" else 2]

    def date(self, stamp):
        """ilDatePresentation, relative for today and yesterday."""
        when, day = time.gmtime(stamp), int(time.time()) // 86400 - int(stamp) // 86400
        name = (self.text("today") if day == 0 else self.text("yesterday") if day == 1 else
                f"{when.tm_mday:02}. {MONTHS[self.language][when.tm_mon - 1]} {when.tm_year}")
        return f"{name}, {when.tm_hour:02}:{when.tm_min:02}"

    def size(self, count):
        unit, name = next((u, n) for u, n in ((10 ** 9, "GB"), (10 ** 6, "MB"), (1000, "KB"), (1, "Bytes")) if count >= u
                          or u == 1)
        text = f"{count / unit:.2f}".rstrip("0").rstrip(".")
        return f"{text.replace('.', ',') if self.release == 8 and self.language == 'de' else text} {name}"

    def properties(self, item):
        """File/classes/class.ilObjFileListGUI.php getProperties: type, size, version above 1, date, pages, in this order."""
        if item.kind != "file":
            return []
        found = [item.name.rpartition(".")[2] if "." in item.name else "", self.size(len(item.content))]
        found += [f'{self.text("version")}: {item.version}'] if item.version > 1 else []
        return found + [self.date(item.modified)] + ([f'{self.text("pages")}: {item.pages}'] if item.pages else [])

    def row(self, item):
        """Container/templates/default/tpl.container_list_item.html: what can't be opened has a title without a link."""
        closed = item.offline or item.precondition
        title = item.raw if closed else (f'\n\t\t\t<a href="{quoted(self.link_of(item))}" class="il_ContainerItemTitle" '
                                         f'{"target=" + chr(34) + "_blank" + chr(34) if item.kind == "webr" else ""} >'
                                             f'{item.raw}</a>\n\t\t\t')
        spans = "".join(f'\n\t\t<span class="il_ItemProperty">{quoted(p)}&nbsp;&nbsp;</span>' for p in self.properties(item))
        spans += '<br /><span class="il_ItemAlertProperty">Status: Offline&nbsp;&nbsp;</span>' if item.offline else ""
        condition = (f'<div class="il_Preconditions" style="display:none;"><div class="ilListItemSection il_PreconditionsTitel">'
                     f'{self.text("condition")}:</div><div class="ilPreconditionItem"><a '
                     f'href="{quoted(self.link_of(item.precondition))}">'
                     f"{item.precondition.raw}</a></div></div>") if item.precondition else ""
        inner = "".join(f'<div class="subitem">{self.row(c)}</div>'
                        for c in item.children) if item.kind == "sess" and item.expanded else ""
        about = html.escape(item.description or "", False)
        about = f'\n\t<div class="ilListItemSection il_Description">{about}</div>' if about else ""
        icon = self.icon(item)
        return (f'<div class="ilContainerListItemOuter" id="lg_div_{item.ref}_pref_{item.parent.ref}" '
                f'data-list-item-id="lg_div_{item.ref}_'
                f'pref_{item.parent.ref}">\n<div class="ilContainerListItemIcon"><img alt="{self.alt(item)}" '
                f'title="{self.alt(item)}" '
                f'src="{icon}" class="ilListItemIcon" /></div>\n<div class="ilContainerListItemContent '
                f'{"ilContainerListItemContentCB" if inner else ""}">'
                f'\n<div class="il_ContainerListItem">\n\t<div class="il_ContainerItemTitle form-inline">\n\t\t<h3 '
                f'class="il_ContainerItemTitle">'
                f"{title}</h3>\n\t</div>{about}\n\t"
                f'<div class="ilListItemSection il_ItemProperties">{spans}\n\t</div>{condition}{inner}\n</div></div></div>')

    def block(self, name, items, owner, group=None, start=0):
        """Container/templates/default/tpl.container_list_block.html; "show more" as in Container/js/Container.js."""
        limit = owner.block_limit
        shown = items[start:start + limit] if limit else items
        rows = "".join(f'<div id="item_row_{owner.ref}-{i.ref}" class="ilCLI ilObjListRow">{self.row(i)}</div>' for i in shown)
        if owner.tiles:
            rows = '<div class="ilContainerTileRows">' + "".join(map(self.card, shown)) + "</div>"
        if limit and len(items) > start + limit:
            url = self.command("ilrepositorygui", KINDS[owner.kind][0], "renderBlockAsynch", ref_id=owner.ref, block=group.ref
                               if group else 0)
            rows += (f'<div class="ilContainerShowMore"><button class="btn btn-default" id="more_{owner.ref}">'
                     f'{self.text("more")}</button></div>'
                     f"<script>il.Container.initShowMore('more_{owner.ref}', '{group.ref if group else '_other'}', '{url}');"
                     f"</script>")
        data = (f' data-behaviour="{1 if group.folded else 0}" data-store-url="./ilias.php?baseClass=ilcontainerblockproperti'
                f'esstoragegui'
                f'&amp;cmd=store&amp;cont_block_id=itgr_{group.ref}"') if group else ""
        return (f'<div id="bl_cntr_{group.ref if group else 1}" class="ilContainerBlock form-inline"{data}>\n\t<div '
                f'class="ilContainerBlockHeader">'
                f'<h2 class="ilHeader ilContainerBlockHeader">{name}</h2></div>\n\t<div class="ilContainerItemsContainer '
                f'{"ilNoDisplay" if group and group.folded else ""}">{rows}</div></div>')

    def card(self, item):
        """The tile view; tiles have no properties of files."""
        title = item.raw if item.offline or item.precondition else f'<a href="{quoted(self.link_of(item))}">{item.raw}</a>'
        return (f'<div class="il-card thumbnail"><div class="il-card-repository-head"><img class="icon {item.kind} medium" '
                f'alt="{self.alt(item)}" '
                f'src="./templates/default/images/standard/icon_{item.kind}.svg"></div><div class="card-no-highlight"></div>'
                f'<div class="caption card-title">{title}</div></div>')

    def blocks(self, item, request):
        # Container/classes/class.ilContainer.php keeps it as a preference of the user.
        if "crs_prev_sess" in request.form:
            item.shown_past = request.form["crs_prev_sess"] == "1"
        every = item.shown_past
        kept = [c for c in item.children if every or not c.past]
        if item is self.root:
            kept = [c for c in self.courses if request.user in c.users] if request.user else []
        groups = [c for c in kept if c.kind == "itgr"]
        rest = [c for c in kept if c.kind != "itgr"]
        if request.command == "POST":
            # What is shown already comes in the request, and the answer has the rest.
            seen, number = set(re.findall(r"lg_div_(\d+)_", request.body)), request.form.get("block")
            group = next((g for g in groups if str(g.ref) == number), None)
            return self.block("", [c for c in (group.children if group else rest) if str(c.ref) not in seen], item, group)
        out = "".join(self.block(g.raw, g.children, item, g) for g in groups if not g.offline)
        out += self.block(self.text("content"), rest, item) if rest else ""
        if any(c.past for c in item.children) and not every:
            link = self.command("ilrepositorygui", KINDS[item.kind][0], "view", ref_id=item.ref, crs_prev_sess=1)
            out += (f'<div class="il_ContainerListItem"><a class="il_ContainerItemCommand" href="{quoted(link)}">'
                    f'{self.text("sessions")}</a></div>')
        return out

    def figure(self, media, user):
        """COPage/xsl/page.xsl, MOBTable; the inside of ilc_Mob as browsers have it."""
        kind = TYPES.get(media.name.rpartition(".")[2], "video/mp4")
        caption = (f'<figcaption style="display: table-caption"><div class="ilc_media_caption_MediaCaption">'
                   f'{html.escape(media.title)}'
                   "</div></figcaption>") if media.caption else ""
        return (f'<figure class="ilc_media_cont_MediaContainer" style="position: relative"><div class="ilc_Mob" '
                f'style="height:100%"><video '
                f'class="ilPageVideo" controls preload="none"><source type="{kind}" src="{quoted(media.address(self, user))}">'
                f'</video></div>'
                f"{caption}</figure>")

    def container(self, item, request):
        figures = "".join(self.figure(m, request.user) for m in item.media)
        if item.kind == "copa":
            link = self.command("ilrepositorygui", "ilContentPagePageGUI", "downloadFile", ref_id=item.ref)
            files = "".join(f'<li class="ilc_flist_li_FileListItem"><a class="ilc_flist_a_FileListItemLink" target="_blank" '
                            f'href="'
                            f'{quoted(link)}&amp;file_id=il__file_{f.ref}">{html.escape(f.name)} '
                            f'({page_size(len(f.content))})</a></li>'
                            for f in item.children if f.kind == "file")
            return f'<div class="ilc_page_cont_PageContainer">{figures}<ul class="ilc_flist_FileList">{files}</ul></div>'
        return f'<div class="ilc_page_cont_PageContainer">{figures}</div>' * bool(figures) + self.blocks(item, request)

    # Files and links.

    def file(self, request, item, cmd):
        if cmd == "sendfile":
            if item.html:
                return self.login_page(request)
            return self.sent(request, item.name, item.content, item.modified, self.delivery, f"{item.ref}.{item.version}")
        link = quoted(self.static(item, "download"))
        button = f'<div class="c-launcher"><button class="btn btn-bulky" data-action="{link}">Download</button></div>'
        return self.page(200, f'<form name="formInfoScreen"></form>{button}', item.raw, user=request.user, item=item)

    def page_file(self, request, item, form):
        number = form.get("file_id", "").rpartition("_")[2]
        found = next((f for f in item.children if str(f.ref) == number), None)
        return self.sent(request, found.name, found.content, found.modified, self.delivery,
                         number) if found else self.deny(request)

    def weblink(self, request, item, form):
        if form.get("cmd", "").lower() == "calldirectlink":
            return self.redirect(item.addresses[0])
        links = "".join(f'<h4 class="il-item-title"><a href="{quoted(a)}" target="_blank">{quoted(a)}</a></h4>'
                        for a in item.addresses)
        return self.page(200, links, item.raw, user=request.user, item=item)

    def mediacast(self, request, item, form):
        """MediaCast/Presentation/class.VideoViewGUI.php."""
        items = [{"id": str(m.id), "resource": m.address(self, request.user), "preview": f'<div oncl'
            f'ick="il.VideoPlaylist.loadItem([{m.id}]);"></div>',
                  "preview_pic": "", "title": m.title, "linked_title": f'<button id="b{m.id}">{html.escape(m.title)}</button>',
                  "mime": TYPES.get(m.name.rpartition(".")[2], ""), "poster": "",
                  "description": m.description.replace("\n", "<br />\n"),
                  "completed": False, "duration": 61} for m in item.media]
        script = (f"il.VideoPlaylist.init('mcst_playlist', 'mcst_video', {php_json(items)}, '<div class=\"il-item\">"
                  f"#video-title#</div>', "
                  "false, 5, '', '', 50);") if items else ""
        return self.page(200, f'<div id="mcst_video"></div><script>il.Util.addOnLoad(function() {{{script}}});</script>',
                         item.raw,
                         user=request.user, item=item)

    def mediapool(self, request, item, form):
        wanted = next((m for m in item.media if str(m.id) == form.get("mepitem_id")), None)
        rows = "".join(f'<tr><td><a href="ilias.php?baseClass=ilMediaPoolPresentationGUI&amp;ref_id={item.ref}&amp;'
                       f'mepitem_id={m.id}&amp;'
                       f'cmd=showMedia">{html.escape(m.title)}</a></td></tr>' for m in item.media)
        return self.page(200, self.figure(wanted, request.user) if wanted else f"<table>{rows}</table>", item.raw,
                         user=request.user, item=item)

    def wac(self, request, number):
        """WebAccessChecker: a token of a few seconds or a session; who has neither gets a short video that says so, with 200."""
        media, form = self.mobs.get(int(number)), request.form
        token = self.signed(f"{number}:{form.get('il_wac_timestamp', '')}").rpartition("-")[2]
        fresh = int(form.get("il_wac_timestamp") or 0) + int(form.get("il_wac_ttl")
            or 0) >= time.time() and form.get("il_wac_token") == token
        if not media or media.item.gone:
            return Answer(404, b"", {"Content-Type": "text/html; charset=UTF-8"})
        if not fresh and not (request.user and media.item.open_to(request.user)):
            return self.sent(request, "access_denied.mp4", DENIED, self.now, "chunked", "denied")
        return self.login_page(request) if media.html else self.sent(request, media.name, media.content, media.modified,
            "chunked", number)

    def deliver(self, request, token):
        """FileDelivery/src/Delivery/StreamDelivery.php: the token is enough; what it isn't good for is an empty 404."""
        number, _, rest = token.partition("-")
        until = rest.partition("-")[0]
        media = self.mobs.get(int(number)) if number.isdigit() else None
        good = media and until.isdigit() and token not in self.refused and token == self.signed(f"{number}:{until}")
        if not good or int(until) < time.time():
            return Answer(404, b"", {})
        answer = self.sent(request, media.name, media.content, media.modified, "stream", number)
        return answer._replace(media=("token", token, request.place))

    def sent(self, request, name, content, modified, way, mark):
        """FileDelivery/classes/Delivery.php with PHP.php ("legacy") or PHPChunked.php; PHPResponseBuilder.php ("stream")."""
        size, asked = len(content), request.headers.get("Range")
        kind = TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")
        when = time.gmtime(modified)
        stamp = time.strftime("%a, ", when) + f"{when.tm_mday}" + time.strftime(" %b %Y %H:%M:%S GMT", when)
        disposition = "inline" if way == "chunked" else "attachment"
        headers = {"Content-Type": kind, "Content-Disposition": f"{disposition}; filename=\"{name}\"", "Accept-Ranges": "bytes",
                   "X-ILIAS-FileDelivery-Method": "php"}
        media = ("session", getattr(request, "user", None), request.place)
        if way == "legacy":
            return Answer(200, content, {**headers, "Content-Description": name, "Connection": "close"}, media)
        etag = hashlib.md5(f"{mark}".encode() if way == "stream" else f"{modified}{size}".encode()).hexdigest()
        if way == "stream":
            headers |= {"Cache-Control": "max-age=31536000, immutable, private", "Last-Modified": stamp, "ETag": etag}
            if not asked:
                return Answer(200, content, headers, media)
            # A range at the end isn't known, none is refused, and the end isn't cut to the size: parseRange.
            match = re.search(r"bytes=(\d+)-(\d+)?", asked, re.I)
            first, last = (int(match[1]), int(match[2]) if match[2] else size - 1) if match else (0, size - 1)
            return Answer(206, content[first:last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{size}"}, media)
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", asked or "")
        if way == "accel":
            headers |= {"ETag": f'"{modified:x}-{size:x}"', "Last-Modified": email.utils.formatdate(modified, usegmt=True)}
            if not match or request.headers.get("If-Range") not in (None, headers["ETag"], headers["Last-Modified"]):
                return Answer(200, content, headers, media)
        first = max(0, size - int(match[2] or 0)) if match and not match[1] else int(match[1]) if match else 0
        last = min(int(match[2]), size - 1) if match and match[1] and match[2] else size - 1
        refused = (asked and not match and way == "chunked") or first > last
        if way == "chunked":
            # Content-Range is there with 200 too, and the unit of Accept-Ranges isn't one.
            headers |= {"Cache-Control": "must-revalidate, post-check=0, pre-check=0", "ETag": etag, "Last-Modified": stamp,
                        "Accept-Ranges": f"0-{size}", "Connection": "close", "Content-Range": f"bytes {first}-{last}/{size}"}
        if refused:
            return Answer(416, b"", {**headers, "Content-Range": f"bytes {'*' if way == 'accel' else f'0-{size - 1}'}/{size}"})
        headers |= {"Content-Range": f"bytes {first}-{last}/{size}"} if way == "chunked" or match else {}
        return Answer(206 if match else 200, content[first:last + 1], headers, media)

    # Opencast.

    def opencast(self, request, item, base, gui, cmd, form):
        """classes/class.ilObjOpenCastGUI.php and classes/Event/class.xoctEventGUI.php of the plugin."""
        listed = self.command("ilobjplugindispatchgui", "xoctEventGUI", ref_id=item.ref)
        if gui == "xoctplayergui":
            event = self.events.get(form.get("eid"))
            if not event or event.gone or event.denied or event.item is not item:
                self.failures[request.user] = self.text("no_access")
                return self.redirect(listed)
            return self.player(request, item, event)
        if gui != "xocteventgui":
            return self.redirect(listed)
        prefix = f"tbl_xoct_{str(item.obj)[:5]}"
        if item.view == "entities":
            return self.page(200, self.entities(item, form), item.raw, user=request.user, item=item)
        if "async" in form:
            return Answer(200, self.table(request, item, form, prefix).encode(), {"Content-Type": "text/html; charset=UTF-8"})
        if item.synchronous:
            return self.page(200, self.table(request, item, form, prefix), item.raw, user=request.user, item=item)
        # The address is that of the request, with the path, unescaped in a script.
        script = ("il.Opencast.UI.waitOverlay.show();\n$.ajax({\n\t\t\t\t    url: '" + request.path + "&async=tr"
            "ue',\n\t\t\t\t    dataType: 'html',\n"
                  "success: function(data){ il.Opencast.UI.waitOverlay.hide(); $('div#xoct_table_placeholder')"
                  ".replaceWith($(data)); }\n});")
        return self.page(200, f'<div id="xoct_table_placeholder"></div><script>il.Util.addOnLoad(function() {{{script}}});'
                              f'</script>', item.raw,
                         user=request.user, item=item)

    def player_link(self, item, event):
        return self.command("ilrepositorygui", "xoctPlayerGUI", "streamVideo", ref_id=item.ref, eid=event.id)

    def table(self, request, item, form, prefix):
        """classes/Event/class.xoctEventTableGUI.php, Table/templates/default/tpl.table2.html; the rows are kept for a user."""
        rows, nav = form.get(prefix + "_trows", ""), form.get(prefix + "_table_nav", "").split(":")
        if rows.isdigit():
            item.rows[request.user] = int(rows)
        limit = item.rows.get(request.user) or self.hits_per_page
        offset = int(nav[2]) if len(nav) == 3 and nav[2].isdigit() else 0
        events = [e for e in item.media if not e.denied]
        link = self.command("ilobjplugindispatchgui", "xoctEventGUI", "index", ref_id=item.ref)
        lines = "".join(self.event_row(item, e) for e in events[offset:offset + limit]) or (
            f'<tr class="tblrow1"><td class="ilCenter" colspan="5">{self.text("none")}</td></tr>')
        choice = "".join(f'<li><a href="{link}&{prefix}_trows={n}">{n}</a></li>'
                         for n in (0, 5, 10, 15, 20, 30, 40, 50, 100, 200, 400, 800))
        bar = ""
        if len(events) > limit:
            near = [(self.text("previous"), offset - limit if offset else None),
                    (self.text("next"), offset + limit if offset + limit < len(events) else None)]
            bar = "<span>&nbsp;&nbsp;|&nbsp;&nbsp;</span>".join(
                f'<span class="ilTableFootLight">{t}</span>' if o is None else
                f'<a href="{link}&{prefix}_table_nav=startDate_s:desc:{o}">{t}</a>' for t, o in near)
        return (f'<form action="{link}" name="{prefix}" method="post"><div class="ilTableNav"><ul class="dropdown-menu">'
                f'{choice}</ul>'
                f'<span class="ilTableFootLight">({min(offset + 1, len(events))} - {min(offset + limit, len(events))} / '
                f'{len(events)})</span>{bar}</div>'
                f'<div class="ilTableOuter"><div class="table-responsive"><table class="table table-striped fullwidth" '
                f'id="{prefix}"><thead><tr>'
                f"<th>Vorschau</th><th>Clips</th><th>Titel</th><th>Start</th><th></th></tr></thead><tbody>{lines}</tbody>"
                f"</table></div></div></form>")

    def event_row(self, item, event):
        """templates/default/tpl.events.html, tpl.player_link.html, tpl.event_state.html."""
        link = state = ""
        if event.state:
            state = f'<div class="xoct_event_state label-info"><span class="label">{self.text(event.state)}</span></div>'
        else:
            place, word = self.player_link(item, event), self.text("join" if event.live else "play")
            modal = f' data-toggle="modal" data-target="#modal_{event.id}"' if item.modals else ""
            frame = (f'<div id="modal_{event.id}"><iframe class="xoct_iframe" allowfullscreen="true" src="{place}" '
                     f'style="border:none;"></iframe></div>'
                     if item.modals else "")
            link = (f'<a href="{"#" if item.modals else place}" target="_blank" class="btn btn-info" '
                    f'data-preview_link="{event.id}"{modal}>{word}</a>{frame}')
        day = time.strftime("%d.%m.%Y - %H:%M", time.gmtime(event.date))
        return (f'<tr class=" ">\n\t<td class="std small"><div class="xoct_preview_image" data-id="{event.id}"><img src="" '
                f'alt="Thumbnail"></div></td>\n\t'
                f'<td class="std small"><div class="btn-group-vertical" role="group">{link}</div></td>\n\t<td class="std '
                f'small">\n\t\t'
                f'{html.escape(event.title, False)}\n\t\t<br>{state}\n\t</td>\n\t<td class="std small">\n\t\t{day}\n\t</td>'
                f'\n\t<td class=" small text-right"></td>\n</tr>')

    def entities(self, item, form):
        """Newer plugins, as PFERD reads them; markup of UI/tests/Component/Entity: "c-entity __x" to 10, then "c-entity__x"."""
        size, number = int(form.get("page_size") or 10), int(form.get("page") or 0)
        events, join = [e for e in item.media if not e.denied], " " if self.release < 11 else ""
        out = ""
        for event in events[size * number:size * (number + 1)]:
            place = quoted(self.base + "/" + self.player_link(item, event))
            name = html.escape(event.title)
            title = name if event.state else f'<a href="{place}">{name}</a>'
            if item.external and not event.state:
                title = f'<a href="{self.media_base}/details/{event.id}" data-legacy-href="{place}">{name}</a>'
            out += (f'<div class="c-entity{join}__container"><div class="c-entity{join}__primary-identifier">{title}</div>'
                    f'<div class="c-entity{join}'
                    f'__main-details"><dl><dt>Start</dt><dd>{self.date(event.date)}</dd></dl></div></div>')
        pages = range((len(events) + size - 1) // size)
        link = quoted(self.command("ilobjplugindispatchgui", "xoctEventGUI", ref_id=item.ref, page_size=size))
        buttons = "".join(f'<button class="btn btn-link{" engaged" if n == number else ""}" data-action="{link}&amp;page={n}">'
                          f'{n + 1}</button>' for n in pages)
        bar = f'<div class="il-viewcontrol-pagination">{buttons}</div>' if len(pages) > 1 else ""
        return out + bar

    def player(self, request, item, event):
        """classes/Player/class.xoctPlayerGUI.php, src/Util/Player/StandardPlayerDataBuilder.php, templates/paella_player.html."""
        if not item.internal_player and not event.live:
            return self.redirect(f"{self.media_base}/play/{event.id}")
        if event.no_data or (event.state and not event.live):
            return Answer(200, b"Error: No streaming data", {"Content-Type": "text/html; charset=UTF-8"})
        streams = []
        for role, content in event.streams.items():
            mp4s = content if isinstance(content, (list, tuple)) else [content]
            sources = {"mp4": [{"src": self.signed_media(event, role, n), "mimetype": "video/mp4",
                                "res": {"w": 1920 >> n, "h": 1080 >> n}}
                               for n in range(len(mp4s))]} if role not in event.hls else {"hls": [{
                                   "src": self.signed_media(event, role, 0, "m3u8"), "mimetype": "application/x-mpegURL",
                                   "res": {"w": 0, "h": 0}}]}
            streams.append({"content": role, "sources": sources})
        captions = [{"lang": lang, "text": "", "format": "vtt", "url": self.signed_media(event, lang, 0, "vtt")}
                    for lang in event.captions]
        data = {"streams": streams, "metadata": {"title": event.title, "duration": 61000, "preview": f"{self.media_base}"
            f"/preview.jpg",
                                                 "videoid": event.id, "seriesid": f"series-{item.ref}"}, "frameList": [],
                                                 "captions": captions}
        config = {"paella_config_file": f"./{PLUGIN}/js/opencast/src/Paella/config/config.json",
                  "paella_config_livestream_type": "hls",
                  "prevent_video_download": False, **({"is_live_stream": True} if event.live else {})}
        body = (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n\t<meta charset="UTF-8">\n\t<title>{event.title}</title>\n</head>'
                f'\n<body>\n'
                '<div id="playerContainer" class="player-container"></div>\n<div id="overlay_live_waiting" '
                'class="overlay_live" hidden></div>\n'
                f"<script>\nil.Opencast.Paella.player.init(\n\t{php_json(data)},\n\t{php_json(config)}\n)\n</script>"
                f"\n\n</body>\n</html>")
        return Answer(200, body.encode(), {"Content-Type": "text/html; charset=UTF-8"})

    def signed_media(self, event, role, number, ending="mp4"):
        """Opencast's stream security: a policy, the name of a key and a signature in the query; times in milliseconds."""
        place = f"/static/mh_default_org/engage-player/{event.id}/{role}-{number}/video.{ending}"
        url = self.media_base + urllib.parse.quote(place)
        policy = json.dumps({"Statement": {"Condition": {"DateLessThan": int((time.time() + self.signature_seconds) * 1000)},
                                           "Resource": url}},
                            separators=(",", ":"))
        query = {"policy": base64.urlsafe_b64encode(policy.encode()).decode().rstrip("="), "keyId": "demokey",
                 "signature": hmac.new(self.key, policy.encode(), "sha256").hexdigest()}
        return f"{url}?{urllib.parse.urlencode(query)}"

    def media_answer(self, request):
        """The media server: without a query 400, with a wrong signature 403, with one that ended 410."""
        place, form = request.place, request.form
        if request.headers.get("Cookie"):
            self.cookies_at_media.append(place)
        if self.status:
            return Answer(self.status, b"Trouble", {"Retry-After": self.retry_after} if self.retry_after is not None else {})
        match = re.fullmatch(r"/static/mh_default_org/engage-player/([^/]+)/(\w+)-(\d+)/video\.(\w+)", place)
        event = self.events.get(match[1]) if match else None
        if not event or event.gone:
            return Answer(404, b"<h1>404</h1>", {"Content-Type": "text/html"})
        if not form.get("policy") or not form.get("signature"):
            return Answer(400, b"", {})
        policy = base64.urlsafe_b64decode(form["policy"] + "=" * (-len(form["policy"]) % 4)).decode("utf-8", "replace")
        good = hmac.compare_digest(form["signature"], hmac.new(self.key, policy.encode(), "sha256").hexdigest())
        if not good or not json.loads(policy)["Statement"]["Resource"].endswith(urllib.parse.quote(place)):
            return Answer(403, b"", {})
        if form["signature"] in self.refused or json.loads(policy)["Statement"]["Condition"]["DateLessThan"] < time.time() * 1000:
            return Answer(410, b"", {})
        if event.html or self.html:
            return Answer(200, b"<!DOCTYPE html><html><title>Login</title></html>", {"Content-Type": "text/html;charset=utf-8"})
        content = event.captions.get(match[2], "").encode() if match[4] == "vtt" else event.streams.get(match[2], b"")
        content = content[int(match[3])] if isinstance(content, (list, tuple)) else content
        answer = self.sent(request, "video." + match[4], content, self.now, "accel", match[1])
        kept = {n: v for n, v in answer.headers.items() if n not in ("X-ILIAS-FileDelivery-Method", "Content-Disposition")}
        return answer._replace(headers=kept, media=("token", form["signature"], place) if answer.media else None)



# WebAccessChecker/templates/images/access_denied.mp4: a real video of a few kilobytes.
DENIED = bytes.fromhex("00000018") + b"ftypmp42" + bytes(4) + b"mp42isom" + b"access denied " * 300


class Handler(Connection):
    """One connection."""

    def do(self):
        ilias = self.server.ilias
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path, _, query = self.path.partition("?")
        fields = urllib.parse.parse_qsl(query, True)
        if "x-www-form-urlencoded" in self.headers.get("Content-Type", ""):
            fields += urllib.parse.parse_qsl(self.body, True)
        self.form, self.range = dict(fields), self.headers.get("Range")
        self.place = urllib.parse.unquote(path)
        if self.server is ilias.servers[0]:
            inside = self.place.startswith(ilias.path + "/")
            self.place = self.place.removeprefix(ilias.path) if inside else "/outside" + self.place
        ilias.closing.wait(ilias.delay)
        answer = self.server.answer(self)
        shown = "&".join(f"{n}={v}" for n, v in fields if not re.search("token|signature|policy|password|input_", n))
        with ilias.lock:
            ilias.asked.append(Asked(self.command, re.sub(r"(/deliver\.php/)[^/]*", r"\1TOKEN", path), shown, answer.status,
                                     self.range))
        self.send(answer)

    do_GET = do_POST = do_HEAD = do

    def cut(self, answer):
        ilias = self.server.ilias
        count, ends = ilias.breaks(answer, answer.media and answer.media[2])
        if ends:
            ilias.refused.add(answer.media[1]) if answer.media[0] == "token" else ilias.expire(answer.media[1])
        return count
