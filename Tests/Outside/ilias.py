"""The provider `ilias` against a stand-in whose pages are written from ILIAS's templates, its Opencast plugin and PFERD."""

import html
import json
import re
import time
import unittest.mock
import urllib.request

import media
import platforms
import stage
from asking import CANARY, ODD, Case, Scripted
from ilias_host import DENIED, Ilias

# What one release shows in one way: release, form of addresses, language, tiles.
FORMS = [(8, "goto", "de", False), (8, "html", "en", True), (9, "path", "de", False), (9, "path", "en", True),
         (10, "go", "de", False), (10, "go", "en", True)]


def session(site, user="anna"):
    """The secret of a browser that is logged in."""
    name = f"{CANARY}{len(site.sessions):04}"
    site.sessions[name] = (user, True)
    pairs = {"PHPSESSID": name, "ilClientId": site.client}
    return "# Netscape HTTP Cookie File\n" + "".join(f"127.0.0.1\tFALSE\t/\tFALSE\t0\t{n}\t{v}\n" for n, v in pairs.items())


def download(answer, view=None):
    """What a host does with a resolution, one of its views, or one of its attachments."""
    request = urllib.request.Request((view or answer)["url"])
    for token in answer.get("tokens", []):
        if request.full_url.startswith(token["url_prefix"]):
            request.add_header(token["name"], token["value"])
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.read()


class IliasCase(Case):
    provider_name = "ilias"

    def start(self, title="Optics", **more):
        self.site = Ilias(self, **more)
        self.site.user("anna")
        self.course = self.site.course(title, ["anna"])
        return {"endpoint": self.site.base, "course": self.course.ref}

    def login(self):
        origin = "/".join(self.site.base.split("/")[:3])
        return {"hosts": {origin: {"session": session(self.site)}}}

    def tree(self, listing):
        return [("", [v.get("title") for v in listing["videos"]]),
                *((c["title"], [v.get("title") for v in c["videos"]]) for c in listing["chapters"])]

    def asked(self):
        return [f"{a.method} {a.path.removeprefix(self.site.path)} {a.query}" for a in self.site.requests]

    def test_courses_folders_and_files_in_all_releases(self):
        for release, form, language, tiles in FORMS:
            with self.subTest(f"{release} {form} {language} {tiles}"):
                where = self.start("Optik &amp; <Licht>", release=release, language=language)
                self.site.form = form
                self.course.tiles = tiles
                odd = [self.course.file(n if tiles else n, f"f{i}.mp4", media.mp4(n, 900)) for i, n in enumerate(ODD[:-1])]
                # A tile has no property that tells the extension; titles are the files' names there.
                for item in odd if tiles else []:
                    item.raw = html.escape(item.title + ".mp4", False)
                week = self.course.folder("Woche 1")
                film = week.file("Film", "film.webm", media.webm("film", 900), version=3, pages=2)
                week.file("Film", "film.pdf", b"%PDF slides")
                week.file("Film.de", "film.de.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\nHallo\n")
                week.file("Other", "other.pdf", b"%PDF other")
                week.folder("Inner").file("Sound", "sound.mp3", media.mp4("s", 900))
                self.course.folder("Empty")
                self.course.add("frm", "Forum")
                self.course.add("tst", "Test")
                provider, login = self.provider(), self.login()
                listing = provider.list(where, credentials=login)
                # Blanks are joined, as browsers show them.
                self.assertEqual((listing["title"], self.tree(listing)), ("Optik &amp; <Licht>", [
                    ("", ODD[:-1]), ("Woche 1", ["Film"]), ("Woche 1 / Inner", ["Sound"])]))
                self.assertEqual(listing["ids"][:17], [f"file_{item.ref}" for item in odd])
                for video, item in zip(listing["all"], odd):
                    self.assertEqual(download(video["resolved"]), item.content)
                got = listing["chapters"][0]["videos"][0]["resolved"]
                self.assertEqual([a["title"] for a in got["attachments"]], ["PDF"])
                self.assertEqual([s["lang"] for s in got["subtitles"]], ["de"])
                self.assertEqual((download(got), download(got, got["attachments"][0])), (film.content, b"%PDF slides"))
                self.assertTrue(download(got, got["subtitles"][0]).startswith(b"WEBVTT"))
                self.assertEqual(provider.resolve(where, f"file_{film.ref}", credentials=login), got)
                before = len(self.site.requests)
                self.assertTrue(provider.page(where, known=listing["known"], credentials=login)["unchanged"])
                pages = [a for a in self.site.requests[before:] if a.status == 200]
                self.assertEqual(len(pages), 4, self.asked()[before:])

    def test_blocks_sessions_and_what_is_behind_buttons(self):
        where = self.start()
        group = self.course.group("Block &amp; more", folded=True)
        group.file("In block", "b.mp4", media.mp4("b", 900))
        group.folder("Folder in block").file("Deep", "d.mp4", media.mp4("d", 900))
        for number in range(7):
            self.course.file(f"File {number}", f"{number}.mp4", media.mp4(number, 900))
        today = time.strftime("%d. %b %Y", time.gmtime())
        for title, more in (("01. Okt 2025: Old", {"past": True}), ("Heute, 10:00 - 12:00: New", {"expanded": True})):
            lesson = self.course.session(title, **more)
            lesson.file(f"Of {title[-3:]}", "s.mp4", media.mp4(title, 900))
        offline = self.course.file("Offline", "o.mp4", media.mp4("o", 900), offline=True)
        locked = self.course.folder("Locked", precondition=offline)
        locked.file("In locked", "x.mp4", media.mp4("x", 900))
        self.course.block_limit = 3
        provider, login = self.provider(), self.login()
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        listing = provider.list(where, credentials=login, now=now)
        months = dict(zip("Mar May Oct Dec".split(), "Mär Mai Okt Dez".split()))
        today = re.sub("[A-Z]..", lambda m: months.get(m[0], m[0]), today)
        self.assertEqual(self.tree(listing), [
            ("", [f"File {n}" for n in range(7)]), ("Block &amp; more", ["In block"]),
            ("Block &amp; more / Folder in block", ["Deep"]), ("01. Okt 2025: Old", ["Of Old"]),
            (f"{today}, 10:00 - 12:00: New", ["Of New"])])

    def test_what_pages_and_media_casts_have(self):
        for release in (8, 9, 10):
            where = self.start(release=release)
            on_course = self.course.video("On the course", "intro.mp4", media.mp4("intro", 5000))
            page = self.course.page("A page")
            clips = (("Clip &amp; one", True), ("Two", False))
            shown = [page.video(t, "clip.mp4", media.mp4(t, 900), caption=c) for t, c in clips]
            page.video("Elsewhere", "x", b"", elsewhere="https://www.youtube.com/embed/abcdefghijk")
            listed = page.file("Paper film", "paper film.mp4", media.mp4("paper", 900))
            cast = self.course.mediacast("Cast")
            titles = ("Cast ]} \"one\" &amp;", "Sound")
            casts = [cast.video(t, f"c{n}.mp4", media.mp4(t, 900), "about\nit") for n, t in enumerate(titles)]
            casts[1].name = "sound.mp3"
            cast.video("Tube", "x", b"", elsewhere="https://youtu.be/abcdefghij_")
            self.course.mediapool("Pool").video("In a pool", "p.mp4", b"")
            provider, login = self.provider(), self.login()
            listing = provider.list(where, credentials=login)
            self.assertEqual(self.tree(listing), [
                ("", ["On the course"]), ("A page", ["Clip &amp; one", "clip", "Elsewhere", "paper film"]),
                ("Cast", [*titles, "Tube"])])
            self.assertEqual([v["provider"] for v in listing["all"] if "provider" in v], ["yt-dlp", "yt-dlp"])
            ids = [v["id"] for v in listing["all"] if "provider" not in v]
            contents = [m.content for m in (on_course, *shown, listed, *casts)]
            self.assertEqual([download(provider.resolve(where, id, credentials=login)) for id in ids], contents)
            # Addresses that end are none of the list's.
            self.assertEqual([("resolved" in v) for v in listing["all"]].count(True), 1)
            again = self.provider()
            self.assertEqual(download(again.resolve(where, ids[1], credentials=login)), shown[0].content)
            self.assertEqual(again.list(where, credentials=login)["known"], listing["known"])
            page.media.remove(shown[0])
            gone = ids[1] if release < 10 else ids[2]
            self.refused(lambda: self.provider().resolve(where, gone, credentials=login), "not_found")

    def test_links(self):
        where = self.start()
        tube = "https://www.youtube.com/watch?v=abcdefghijk"
        lecture = "https://media.example.org/play/0b1c2d3e-4f50"
        self.course.link("Single", tube)
        self.course.link("Several", lecture, "https://example.org/page", tube.replace("abc", "xyz"))
        self.course.link("Page", "https://example.org/")
        self.course.link("Direct", "https://files.example.org/a%20film.mp4")
        self.course.link("Own", self.site.base + "/ilias.php?baseClass=ilrepositorygui&ref_id=1")
        self.course.link("Offline", tube, offline=True)
        provider, login = self.provider(), self.login()
        listing = provider.list(where, credentials=login)
        found = [(v.get("provider"), v["title"], v["parameters"].get("endpoint")) for v in listing["all"] if "provider" in v]
        self.assertEqual(found, [("yt-dlp", "Single", tube), ("opencast", "Several", "https://media.example.org/"),
                                 ("yt-dlp", "Several", tube.replace("abc", "xyz"))])
        direct = next(v for v in listing["all"] if v["title"] == "Direct")
        self.assertEqual(direct["resolved"]["url"], "https://files.example.org/a%20film.mp4")
        self.assertNotIn("tokens", direct["resolved"])
        self.assertEqual(provider.resolve(where, direct["id"], credentials=login), direct["resolved"])
        self.assertEqual(self.provider().resolve(where, direct["id"], credentials=login)["url"], direct["resolved"]["url"])
        film = self.course.video("Film", "film.mp4", media.mp4("film", 900))
        before = len(self.site.requests)
        provider.resolve(where, f"crs_{self.course.ref}/mm_{film.id}/film.mp4", credentials=login)
        self.assertLessEqual(len(self.site.requests) - before, 2, "no links are asked for")

    def test_opencast(self):
        films = {n: media.mp4(n, 4000) for n in ("face", "slides", "big", "small")}
        for view, release in (("table", 8), ("entities", 9), ("entities", 10)):
            for synchronous, modals in ((False, False), (True, True)):
                where = self.start(release=release)
                series = self.course.opencast("Lectures", view=view, synchronous=synchronous, modals=modals)
                both = series.event("Both &amp; <x>", {"presenter": films["face"], "presentation": films["slides"]},
                                    captions={"de": "WEBVTT"})
                sizes = series.event("Sizes", {"presenter": [films["big"], films["small"]]})
                hls = series.event("HLS", {"presenter": films["face"], "presentation": b"#EXTM3U"}, hls=("presentation",))
                live = series.event("Live", {"presenter": films["face"]}, live=True)
                empty = series.event("No data", {}, id="11111111-2222-3333")
                empty.no_data = True
                closed = series.event("Denied soon", {"presenter": b"x"})
                for state in ("running", "scheduled"):
                    series.event(state, {}, state=state)
                provider, login = self.provider(), self.login()
                listing = provider.list(where, credentials=login)
                self.assertEqual(self.tree(listing), [("", []), ("Lectures", [
                    "Both &amp; <x>", "Sizes", "HLS", "Live", "No data", "Denied soon"])])
                self.assertEqual(listing["ids"][0], f"xoct_{series.ref}/{both.id}")

                def resolve(event, ask=provider, **more):
                    return ask.resolve(where, f"xoct_{series.ref}/{event.id}", credentials=login, **more)

                before = len(self.site.requests)
                got = resolve(both)
                self.assertEqual(len(self.site.requests) - before, 1, "the page of the player, and nothing else")
                self.assertEqual([v["role"] for v in (got, *got["streams"])], ["presenter", "presentation"])
                self.assertEqual([download(got, v) for v in (got, *got["streams"])], [films["face"], films["slides"]])
                self.assertNotIn("tokens", got)
                self.assertEqual((got["title"], [s["lang"] for s in got["subtitles"]]), ("Both &amp; <x>", ["de"]))
                self.assertTrue(download(got, got["subtitles"][0]).startswith(b"WEBVTT"))
                self.assertIn("expires_at", got)
                for quality, film in (("best", "big"), ("worst", "small"), ("720p", "small"), ("1080p", "big")):
                    self.assertEqual(download(resolve(sizes, quality=[quality])), films[film], quality)
                self.assertNotIn("streams", resolve(sizes))
                self.assertEqual([v.get("kind") for v in resolve(hls)["streams"]], ["hls"])
                closed.denied = True
                for event, kind in ((live, "not_ready"), (empty, "not_ready"), (closed, "forbidden")):
                    self.refused(lambda: resolve(event), kind)
                # A process that hasn't listed it reads the list first.
                self.assertEqual(download(resolve(both, self.provider())), films["face"])
                self.refused(lambda: self.provider().resolve(where, f"xoct_{series.ref}/none", credentials=login), "not_found")
                series.internal_player = False
                self.refused(lambda: resolve(both), "forbidden")
        self.assertEqual(self.site.cookies_at_media, [])

    def test_long_lists_of_events(self):
        for view, count in (("table", 45), ("entities", 35)):
            where = self.start()
            series = self.course.opencast("Lectures", view=view)
            events = [series.event(f"Event {n}", {"presenter": b"x"}) for n in range(count)]
            provider, login = self.provider(), self.login()
            listing = provider.list(where, credentials=login)
            self.assertEqual([v["title"] for v in listing["all"]], [e.title for e in events])
            before = len(self.site.requests)
            self.assertTrue(provider.page(where, known=listing["known"], credentials=login)["unchanged"])
            self.assertLessEqual(len(self.site.requests) - before, 8, self.asked()[before:])
        # A table that stays as short as it was isn't all there is.
        series = self.course.opencast("Short")
        series.rows = type("Fixed", (dict,), {"__setitem__": lambda *_: None})()
        for number in range(25):
            series.event(f"Event {number}", {"presenter": b"x"})
        self.refused(lambda: provider.list(where, credentials=login), "unavailable")

    def test_whose_courses_there_are(self):
        for release, form, language, tiles in FORMS:
            self.start("One &amp; &lt;x&gt;", release=release, language=language)
            self.site.form = form
            group = self.site.course("A group", ["anna"], kind="grp")
            self.site.course("Offline", ["anna"], offline=True)
            self.site.course("Bob's", ["bob"])
            provider, login = self.provider(), self.login()

            def courses():
                return provider.ask("courses", {"parameters": {"endpoint": self.site.base}, "cursor": None},
                                    credentials=login)["courses"]

            self.assertEqual([(c["id"], c["title"], c["parameters"]) for c in courses()], [
                (str(c.ref), t, {"course": c.ref}) for c, t in ((self.course, "One &amp; &lt;x&gt;"), (group, "A group"))])
            for course in self.site.courses:
                course.users = {"bob"}
            self.assertEqual(courses(), [])
            for trouble in ("terms", "expired"):
                with self.trouble(trouble):
                    self.refused(courses, "auth_required")

    def trouble(self, name):
        """What makes a site show other pages, for a while."""
        changes = {"terms": {"terms": True}, "text": {"maintenance": "text"}, "page": {"maintenance": "page"},
                   "login": {"html": True}, "expired": {"sessions": {}}}[name]
        return unittest.mock.patch.multiple(self.site, **changes)

    def test_other_pages_are_never_an_empty_course(self):
        where = self.start()
        self.course.folder("Week").file("A", "a.mp4", b"x")
        provider, login = self.provider(), self.login()
        listing = provider.list(where, credentials=login)

        def told(kind, parameters=where):
            error = self.refused(lambda: provider.list(parameters, credentials=login), kind)
            self.assertIn(self.site.base.split("/")[2], error.message)
            if kind in ("auth_required", "unavailable"):
                self.assertEqual(error.data["server"], "/".join(self.site.base.split("/")[:3]))
            return error.message

        for trouble, kind in (("terms", "auth_required"), ("login", "auth_required"), ("expired", "auth_required"),
                              ("text", "unavailable"), ("page", "unavailable")):
            with self.subTest(trouble), self.trouble(trouble):
                told(kind)
        for shibboleth, form, public in ((True, False, False), (True, True, False), (False, True, True)):
            self.site.shibboleth, self.site.login_form, self.site.public_section = shibboleth, form, public
            with self.trouble("expired"):
                told("auth_required")
        self.refused(lambda: provider.list(where), "auth_required")
        for denial in ("error", "referer", "page"):
            self.site.denial = denial
            self.course.denied = True
            self.assertIn("Leseberechtigung", told("forbidden"))
            self.course.denied = False
        self.course.joined = False
        told("forbidden")
        self.course.joined = True
        self.course.gone = True
        told("unavailable")
        self.course.gone = False
        # ilErrorHandling names a file of its log, where the mistake is its own.
        self.course.denied, self.site.denial = True, "error"
        with unittest.mock.patch.object(self.site, "text", lambda name: "Protokoll 4f3a2_1234 &lt;b&gt;"):
            self.assertNotIn("<", told("unavailable"))
        self.course.denied = False
        told("unavailable", {**where, "course": 99999})
        self.refused(lambda: provider.list({"endpoint": self.site.base}, credentials=login), "invalid_parameters")
        self.refused(lambda: provider.list({**where, "course": self.course.add("frm", "Forum").ref}, credentials=login))
        # A folder that somebody closes is left out; the rest of the course stays.
        week = self.course.folder("Closed")
        week.file("C", "c.mp4", b"x")
        week.denied = True
        again = provider.list(where, credentials=login)
        self.assertEqual(again["ids"], listing["ids"])
        # What is surely empty is empty.
        self.course.children = []
        self.assertEqual(provider.list(where, credentials=login)["ids"], [])
        # Somebody else's page at the same address.
        other = platforms.Proxy(self)
        pages = ['<html><body><h1>Hotel</h1></body></html>',
                 '<html><body><div id="ilContentContainer"><a class="il_ContainerItemTitle" href="x">X</a></div></body></html>']
        for page in pages:
            other.trouble = lambda h: h.reply(200, page, headers=platforms.HTML)
            parameters = {**where, "endpoint": other.url + "/ilias"}
            error = self.refused(lambda: provider.list(parameters, credentials={
                "hosts": {other.url: {"session": session(self.site)}}}), "unavailable")
            self.assertEqual(error.data["server"], other.url)

    def test_a_page_that_only_says_what_is_wrong_is_no_empty_object(self):
        where = self.start()
        week, page, cast, links = (self.course.folder("Week"), self.course.page("Page"), self.course.mediacast("Cast"),
                                   self.course.link("Links", "https://www.youtube.com/embed/abcdefghijk", "https://vimeo.com/123456789"))
        events = {view: self.course.opencast(view, view=view) for view in ("table", "entities")}
        week.file("A", "a.mp4", b"x")
        films = [owner.video(f"F{n}", f"f{n}.mp4", b"x") for owner in (page, cast) for n in range(2)]
        for number in range(12):
            for lectures in events.values():
                lectures.event(f"E{number}", {"presenter": b"x"})
        provider, login, inner = self.provider(), self.login(), self.site.answer
        listing = provider.list(where, credentials=login)
        self.assertEqual(len(listing["ids"]), 1 + len(films) + 2 + 24, listing["ids"])
        box = '<div class="alert alert-danger" role="alert">Verbindung zum Server nicht möglich</div>'

        def change(of, make):
            """Alters the pages of an object that are there."""
            def answer(request):
                found = inner(request)
                is_its = re.search(rf"ref_id={of.ref}\b|[_/]{of.ref}\b", f"{request.path}")
                return make(request, found) if is_its and found.status == 200 and not found.media else found
            self.site.servers[0].answer = answer

        def text(old, new):
            return lambda request, found: found._replace(body=re.sub(old, new, found.body.decode(), count=1).encode())

        def mistake(of):
            return lambda request, found: self.site.page(200, box, of.raw, user="anna", item=of)

        first = films[2].id
        for name, of, make in (
                *((of.title, of, mistake(of)) for of in (week, page, cast, links, *events.values())),
                ("second page", events["entities"], lambda request, found: mistake(events["entities"])(request, found)
                 if "page=1" in request.path else found),
                ("no JSON", cast, text(r'"duration":\d+\}', "")), ("a null", cast, text(r'\{"id":"%s".*?\},' % first, "null,")),
                ("no resource", cast, text('"resource"', '"other"')), ("another type", week, text(r"\\/fold\\/", r"\\/frm\\/")),
                ("a proxy's 404", week, lambda request, found: found._replace(status=404, body=b"<h1>nginx</h1>")),
                ("a firewall's 403", events["table"], lambda request, found: found._replace(status=403, body=b"<h1>no</h1>"))):
            with self.subTest(name):
                change(of, make)
                self.refused(lambda: provider.list(where, credentials=login), "unavailable")
        self.site.servers[0].answer = inner
        self.assertEqual(provider.list(where, credentials=login)["ids"], listing["ids"])

    def test_media_of_one_name_do_not_take_each_others_place(self):
        where = self.start(release=10)
        page = self.course.page("Page")
        films = [page.video(f"Twin {n}", "twin.mp4", media.mp4(n, 900)) for n in range(2)]
        provider, login = self.provider(), self.login()
        first, second = provider.list(where, credentials=login)["all"]
        self.assertEqual([v["id"].rpartition("/")[2] for v in (first, second)], ["Twin 0", "Twin 1"])
        for video, film in ((first, films[0]), (second, films[1])):
            self.assertEqual(download(provider.resolve(where, video, credentials=login)), film.content)
        page.media.remove(films[0])
        left, = provider.list(where, credentials=login)["all"]
        self.assertNotEqual(left["id"], first["id"])
        self.assertEqual(download(provider.resolve(where, left, credentials=login)), films[1].content)

    def test_files_that_are_not_there_or_not_yet_or_not_allowed(self):
        where = self.start()
        made = {n: self.course.file(n, f"{n}.mp4", media.mp4(n, 900)) for n in ("open", "denied", "gone", "info", "page")}
        made["info"].info_first = made["page"].html = True
        provider, login = self.provider(), self.login()
        listing = provider.list(where, credentials=login)
        self.assertEqual([v["title"] for v in listing["all"]], list(made))
        self.assertEqual([("resolved" in v) for v in listing["all"]], [True, True, True, False, True])
        refusal = {"reason": "rejected", "status": 200, "bytes": 0, "server": "/".join(self.site.base.split("/")[:3])}

        def ask(name, previous=refusal):
            return provider.resolve(where, f"file_{made[name].ref}", credentials=login, previous=previous)

        self.assertEqual(download(ask("info", None)), made["info"].content)
        self.assertEqual(download(ask("open")), made["open"].content)
        made["denied"].denied = made["gone"].gone = made["info"].denied = True
        self.refused(lambda: ask("denied"), "forbidden")
        self.refused(lambda: ask("gone"), "forbidden")
        self.refused(lambda: ask("info", None), "not_ready")
        self.refused(lambda: ask("page"), "auth_required")
        with self.trouble("expired"):
            self.refused(lambda: ask("open"), "auth_required")
        for id in ("", "x", "file_", "file_x", "..", "crs_1/../x", "webr_1/a", "file_1/x", "frm_7/x", "é"):
            error = self.refused(lambda: provider.resolve(where, id, credentials=login))
            self.assertIn(error.kind, ("not_found", "unavailable", "invalid_parameters", "forbidden"), id)

    def test_addresses(self):
        for release, form, language, tiles in FORMS:
            where = self.start("Optik &amp; Licht", release=release, language=language)
            self.site.form = form
            folder = self.course.folder("Folder")
            series = self.course.opencast("Lectures")
            provider, login = self.provider(), self.login()
            root = {"endpoint": self.site.base + "/"}

            def recognised(address):
                return {k: v for k, v in provider.ask("recognise", {"address": address}, credentials=login).items() if v}

            for item in (self.course, folder, series):
                for address in (self.site.static(item), self.site.static(item) + ("&x=1" if form == "goto" else "?x=1"),
                                f"{self.site.base}/goto.php?target={item.kind}_{item.ref}&client_id=PROD_Uni",
                                f"{self.site.base}/goto_PROD_Uni_{item.kind}_{item.ref}.html",
                                f"{self.site.base}/go/{item.kind}/{item.ref}",
                                f"{self.site.base}/goto.php/{item.kind}/{item.ref}",
                                f"{self.site.base}/ilias.php?baseClass=ilrepositorygui&ref_id={item.ref}",
                                f"{self.site.base}/ilias.php?ref_id={item.ref}&cmd=view&baseClass=ilRepositoryGUI"):
                    self.assertEqual(recognised(address), {"course": {
                        "title": item.raw and html.unescape(item.raw), "parameters": {**root, "course": item.ref}}}, address)
            for address in ("https://example.org/", self.site.base, self.site.base + "/ilias.php?baseClass=ilDashboardGUI",
                            self.site.base + "/goto.php?target=x", f"{self.site.base}/goto.php?target=file_{folder.ref}",
                            self.site.base + "/go/crs/x"):
                self.assertEqual(recognised(address), {}, address)
            self.refused(lambda: provider.ask("recognise", {"address": self.site.static(self.course)}), "auth_required")
            made = recognised(self.site.static(self.course))["course"]["parameters"]
            self.assertEqual(provider.list(made, credentials=login)["known"], provider.list(where, credentials=login)["known"])

    def test_logins(self):
        where = self.start()
        provider = self.provider()

        def login(**secrets):
            return provider.login({"endpoint": self.site.base}, secrets)

        made = login(session=session(self.site))
        self.assertEqual(provider.list(where, credentials=made)["ids"], [])
        self.refused(lambda: login(), "auth_required")
        self.refused(lambda: login(session="# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tPHPSESSID\tx\n"),
                     "auth_required")
        self.refused(lambda: provider.login({}, {"session": "x"}), "invalid_parameters")
        root = self.site.base.removesuffix(self.site.path)
        lost = self.refused(lambda: provider.login({"endpoint": root}, {"session": session(self.site)}), "invalid_parameters")
        self.assertIn(f"add the path, such as {root}/ilias", lost.message)
        with self.trouble("terms"):
            self.assertIn("browser", self.refused(lambda: login(session=session(self.site)), "auth_required").message)
        # The session of one site goes to no other.
        other = Ilias(self)
        self.refused(lambda: provider.list({**where, "endpoint": other.base}, credentials=made), "auth_required")
        self.assertEqual(other.requests, [])

    def test_folders_in_folders(self):
        where = self.start()
        folder = self.course
        for number in range(12):
            folder = folder.folder(f"F{number}")
        folder.file("Deep", "deep.mp4", media.mp4("deep", 900))
        listing = self.provider().list(where, credentials=self.login())
        self.assertEqual(self.tree(listing)[1:], [(" / ".join(f"F{n}" for n in range(12)), ["Deep"])])

    def test_forms_that_the_stand_in_does_not_have(self):
        """By the templates of ILIAS: other permanent links and tabs, tiles with a script, references, conditions, own icons."""
        repository = "ilias.php?baseClass=ilrepositorygui&amp;ref_id="

        def row(ref, title, icon, link=None, inner="", id=None, parent=5, property="mp4"):
            head = f'<a href="{link}" class="il_ContainerItemTitle">{title}</a>' if link else title
            return (f'<div class="ilContainerListItemOuter" id = "lg_div_{id or ref}_pref_{parent}"><img src="{icon}" '
                    f'class="ilListItemIcon"><h3 class="il_ContainerItemTitle">{head} <a href="#">Preview</a></h3>'
                    f'<span class="il_ItemProperty">{property}&nbsp;&nbsp;</span>{inner}</div>')

        def tile(ref, title):
            return (f'<div class="il-card thumbnail"><div class="card-no-highlight"></div><div class="caption"><h5 '
                    f'class="card-title"><button class="btn btn-link" id="b{ref}">{title}</button><span data-list-item-id='
                    f'"lg_div_{ref}_pref_5"></span></h5></div><div class="il-card-repository-head"><div><img class="icon file '
                    f'small" src="./icon_file.svg" alt="File"></div></div></div>')

        condition = row(70, "Condition", "icon_file.svg", "goto.php?target=file_70_download", id="70_pc1")
        block = '<div class="ilContainerBlock"><div class="ilContainerBlockHeader"><img src="./icon_{}.svg"><h2>Files</h2></div>'
        pages = {
            "/ilias.php?baseClass=ilrepositorygui&ref_id=5": (
                "cat_5", '<ul><li id="tab_view_content"><a href="ilias.php?baseClass=ilrepositorygui&amp;ref_id=5&amp;cmd=view">'
                '1</a></li><li id="tab_info" class="active"></li></ul>'),
            "/ilias.php?baseClass=ilrepositorygui&ref_id=5&cmd=view": (
                "cat_5", '<ul><li class="active" id="tab_view_content"><a href="#">1</a></li></ul>'
                + row(61, "Course", "icon_crs.svg", "goto.php?target=crs_61") + row(62, "Link", "icon_crsr.svg", "go/crs/99")
                + row(63, "Own icon", "./deliver.php/x", repository + "63", property="Status: new")
                + row(64, "Forum", "./deliver.php/x", repository + "64", property="Posts: 3")
                + row(65, "By icon", "./src/FileDelivery/deliver.php/x/mp4.svg", repository + "65", inner=condition)
                + tile(66, "Tile.mp4") + block.format("file") + row(67, "By block", "", repository + "67")),
            "/ilias.php?baseClass=ilrepositorygui&ref_id=61": (
                "crs_61", '<li class="active" id="tab_view_content"></li>' + row(68, "In course", "icon_crs.svg", "go/crs/68")
                + row(69, "In it", "icon_file.svg", "goto.php/file/69/download", parent=61)),
            "/ilias.php?baseClass=ilrepositorygui&ref_id=63": ("fold_63", row(71, "Own", "icon_file.svg", repository + "71")),
            "/ilias.php?baseClass=ilrepositorygui&ref_id=64": ("frm_64", ""),
        }
        forms = {
            "link": '<div class="il-footer-permanent-url"><a href="{}">Link</a></div>',
            "button": '<div class="il-footer-permanent-url"><button class="btn" data-action="{}" id="x">Link</button></div>',
            "field": '<input value="{}" readonly id="current_perma_link">',
            "script": "<script>x(function() {{il.Footer.permalink.copyText('{}')}})</script>"}
        for form, footer in forms.items():
            def answer(handler):
                target, content = pages[handler.path]
                link = footer.format(f"{server.url}/goto.php?target={target}&amp;client_id=x" if form != "script" else
                                     f"{server.url}/goto.php/{target.replace('_', '/')}".replace("/", "\\/"))
                handler.reply(200, '<div class="il-maincontrols-metabar"><div></div><a href="logout.php">x</a></div><a href='
                              '"login.php">About logins</a><div id="ilContentContainer">' + content + "</div>" + link,
                              Content_Type="text/html")

            server = Scripted(self, answer)
            self.site = Ilias(self)
            where, login = {"endpoint": server.url, "course": 5}, {"hosts": {server.url: {"session": session(self.site)}}}
            listing = self.provider().list(where, credentials=login)
            self.assertEqual(self.tree(listing), [
                ("", ["By icon", "Tile", "By block"]), ("Course", ["In it"]), ("Own icon", ["Own"])], form)
            self.assertEqual(listing["ids"], ["file_65", "file_66", "file_67", "file_69", "file_71"])
        # A course whose only page is how to join it.
        for content in ('<form action="ilias.php?cmdClass=ilCourseRegistrationGUI&amp;cmd=post"></form>', "<p></p>",
                        '<li id="tab_join" class="active"></li><li id="tab_info"></li>'):
            pages["/ilias.php?baseClass=ilrepositorygui&ref_id=5"] = ("crs_5", content)
            self.refused(lambda: self.provider().list(where, credentials=login), "forbidden")
        pages["/ilias.php?baseClass=ilrepositorygui&ref_id=5"] = ("fold_5", "<p>nothing</p>")
        self.assertEqual(self.provider().list(where, credentials=login)["ids"], [])

    def test_a_sync_with_everything_that_breaks_off(self):
        where = self.start(release=10)
        big = {n: media.mp4(n, 2_500_000) for n in ("file", "ended", "face", "slides", "mob")}
        files = self.course.folder("Files")
        files.file("Lecture 1", "Lecture 1.mp4", big["file"])
        files.file("Lecture 1", "Lecture 1.pdf", b"%PDF slides of lecture 1")
        files.file("Lecture 2", "Lecture 2.mp4", big["ended"])
        page = self.course.page("Page")
        page.video("Media object", "mob.mp4", big["mob"])
        series = self.course.opencast("Opencast", view="entities")
        event = series.event("Event", {"presenter": big["face"], "presentation": big["slides"]}, captions={"de": "WEBVTT\n"})
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "ilias", "parameters": where, "discover": True, "streams": "all",
                      "subtitles": "all"}])
        waiting = scene.sync("--max-wait", "0", exit=77)
        self.assertEqual([n["provider"] for n in waiting.of("sync_finished")[0]["logins_needed"]], ["ilias"])
        added = scene.command("add", self.site.static(self.course), "--catalog", scene.catalog)
        origin = "/".join(self.site.base.split("/")[:3])
        self.assertIn(f"to log in: coursefetch login --provider ilias --set 'endpoint={origin}'", added.err)
        self.assertEqual(added.exit, 77)
        self.log_in(scene)
        self.site.break_after = {"presenter-0/video.mp4": 900_000, "mob.mp4": 800_000}
        self.site.expire_after = {"presentation-0/video.mp4": 700_000, "/ilias.php": 1_000_000}
        run = scene.sync("--max-wait", "0", "--jobs", "1")
        if run.exit == 77:
            self.log_in(scene)
            run = scene.sync(exit=0)
        files = {p.split("/")[-1]: c for p, c in scene.files().items()}
        for name, content in (("01 Event.mp4", "face"), ("01 Event (presentation).mp4", "slides"), ("01 Media object.mp4", "mob"),
                              ("01 Lecture 1.mp4", "file"), ("02 Lecture 2.mp4", "ended")):
            self.assertIn(name, files, run)
            self.assertTrue(files[name] == big[content], name)
        self.assertTrue([c for c in files.values() if c.startswith(b"%PDF")], list(files))
        self.assertNotIn(DENIED, files.values())
        self.assertEqual(self.site.cookies_at_media, [])
        self.assertTrue([a for a in self.site.requests if a.range], "it goes on where it was")
        before = len(self.site.requests)
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])
        pages = self.asked()[before:]
        self.assertLessEqual(len(pages), 9, pages)
        text = run.out + run.err + next(scene.state.rglob("state.sqlite")).read_bytes().decode("latin-1")
        self.assertNotIn(CANARY, text)
        # One that goes; then the session ends.
        series.media.remove(event)
        third = scene.sync(exit=0)
        self.assertEqual(len(third.of("download_gone")), 1, third)
        self.site.expire("anna")
        last = scene.sync(exit=77)
        self.assertEqual(last.of("download_gone"), [], last)

    def log_in(self, scene):
        file = scene.folder / "cookies"
        file.write_text(session(self.site))
        file.chmod(0o600)
        run = scene.command("login", "--provider", "ilias", "--cookies", file, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
