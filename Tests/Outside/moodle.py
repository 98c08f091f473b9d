"""The provider `moodle` against a stand-in that answers as Moodle's source says."""

import base64
import json
import time

import media
import stage
from asking import CANARY, ODD, Case, altered
from folders import fetch
from moodle_host import Moodle, file_name, from_date

VIDEO = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"


def download(resolution):
    """What a host does with a resolution whose token is in the query."""
    token = resolution.get("token")
    more = "" if not token else ("&" if "?" in resolution["url"] else "?") + f"{token['name']}={token['value']}"
    return fetch({"url": resolution["url"] + more})


class MoodleCase(Case):
    provider_name = "moodle"

    def site(self, path="/moodle"):
        self.moodle = Moodle(self, path)
        self.moodle.user("anna", CANARY)
        return {"endpoint": self.moodle.base, "course": 42}

    def credentials(self):
        origin = "/".join(self.moodle.base.split("/")[:3])
        return {"hosts": {origin: {"token": self.moodle.token_of("anna"), "user": str(self.moodle.people["anna"][0])}}}

    def course(self):
        """A course with everything in it; returns the contents of its videos by their ids."""
        course = self.moodle.course(42, "Optics &amp; <b>Light</b>", "opt", users=["anna"], startdate=1760000000)
        found = {}

        def video(text):
            return media.mp4(text, 3000)

        week = course.section("Week 1 <i>&</i> 2", summary='<video src="@@PLUGINFILE@@/hello.webm"></video>',
                              files={"hello.webm": video("hello")})
        found[f"section {week.id}/hello.webm"] = video("hello")
        for name in ODD:
            module = week.resource(name, f"{name}.mp4", video(name))
            found[str(module.id)] = video(name)
        week.resource("Slides", "slides.pdf", b"%PDF-1.7")
        folder = week.folder("Recordings", {
            "10 end.mp4": video("end"), "2 begin.mp4": video("begin"), "2 begin.de.vtt": b"WEBVTT\n", "2 begin.pdf": b"%PDF-1.7",
            "part/deep & #1.mp4": video("deep"), "readme.txt": b"text"})
        found.update({f"{folder.id}/{path}": video(text) for path, text in (
            ("10 end.mp4", "end"), ("2 begin.mp4", "begin"), ("part/deep  #1.mp4", "deep"))})
        talk = course.section("Talks")
        page = talk.page("A page", '<p><video controls><source src="@@PLUGINFILE@@/in%20page.mp4" type="video/mp4"></video>'
                         f'<iframe src="{VIDEO.replace("watch?v=", "embed/")}?rel=0&amp;x=1"></iframe>', {"in page.mp4": video("page")})
        found[f"{page.id}/in page.mp4"] = video("page")
        label = talk.label('<p>Watch <a href="@@PLUGINFILE@@/label%20%23.mp4">this</a> & <img src="x.png">', {"label #.mp4": video("label")})
        found[f"{label.id}/label #.mp4"] = video("label")
        talk.url("Elsewhere", VIDEO + "&t=4")
        talk.url("A text", "https://www.example.org/page.html")
        talk.url("A channel", "https://www.youtube.com/@channel")
        talk.lti("A tool")
        course.section("Empty")
        self.week, self.talk, self.folder_module = week, talk, folder
        return found

    def test_a_course_with_files_folders_pages_labels_and_links(self):
        for path in ("/moodle", ""):
            with self.subTest(path):
                where = self.site(path)
                found, login = self.course(), self.credentials()
                provider = self.provider()
                listing = provider.list(where, credentials=login)
                self.assertEqual(listing["title"], "Optics & Light")
                self.assertEqual([c["title"] for c in listing["chapters"]], [
                    "Week 1 & 2", "Week 1 & 2 / Recordings", "Week 1 & 2 / Recordings / part", "Talks"])
                own = {v["id"]: v for v in listing["all"] if "provider" not in v}
                self.assertEqual(list(own), list(sorted(found, key=list(own).index)))
                self.assertEqual([v["title"] for v in listing["chapters"][1]["videos"]], ["2 begin", "10 end"])
                for video, content in found.items():
                    self.assertEqual(download(own[video]["resolved"]), content, video)
                    self.assertEqual(provider.resolve(where, own[video], credentials=login), own[video]["resolved"])
                    self.assertEqual(own[video].get("size", 3000), 3000)
                handed = {v["title"]: v for v in listing["all"] if "provider" in v}
                self.assertEqual({t: (v["provider"], v["parameters"]) for t, v in handed.items()}, {
                    "A page": ("yt-dlp", {"endpoint": "https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0&x=1"}),
                    "Elsewhere": ("yt-dlp", {"endpoint": VIDEO + "&t=4"})})
                begin = own[f"{self.folder_module.id}/2 begin.mp4"]["resolved"]
                self.assertEqual([(s["lang"], fetch({"url": s["url"] + "&token=" + begin["token"]["value"]}))
                                  for s in begin["subtitles"]], [("de", b"WEBVTT\n")])
                self.assertEqual([a["title"] for a in begin["attachments"]], ["PDF"])
                self.assertTrue(provider.page(where, credentials=login, known=listing["known"])["unchanged"])
                # A new token changes nothing of the course.
                self.moodle.expire("anna")
                again = provider.page(where, credentials=self.credentials(), known=listing["known"])
                self.assertTrue(again["unchanged"], again)
                self.assertEqual(provider.list({**where, "files": "*.pdf"}, credentials=self.credentials())["ids"][0],
                                 str(self.week.modules[len(ODD)].id))

    def test_what_is_restricted_isnt_ready_and_what_is_hidden_isnt_there(self):
        where = self.site()
        self.course()
        date = from_date(time.time() + 86400)
        soon = self.talk.resource("Soon", "soon.mp4", media.mp4("soon", 900), restricted=date)
        self.talk.resource("A text", "text.pdf", b"%PDF-1.7", restricted=date)
        folder = self.talk.folder("Later", {"later.mp4": b"later"}, restricted=date)
        self.talk.resource("Hidden", "hidden.mp4", b"hidden", hidden=True)
        login = self.credentials()
        provider = self.provider()
        listing = provider.list(where, credentials=login)
        video = next(v for v in listing["all"] if v["title"] == "Soon")
        self.assertEqual((video["id"], "resolved" in video), (str(soon.id), False))
        for title in ("A text", "Hidden", "later"):
            self.assertNotIn(title, [v["title"] for v in listing["all"]])
        for name in (str(soon.id), f"{folder.id}/later.mp4"):
            error = self.refused(lambda: provider.resolve(where, name, credentials=login), "not_ready")
            self.assertIn("doesn't show this yet: Available from ", error.message)
        soon.restricted = None
        known = next(v for v in provider.list(where, credentials=login)["all"] if v["title"] == "Soon")
        self.assertEqual((known["id"], download(known["resolved"])), (video["id"], media.mp4("soon", 900)))
        for name in ("999999", "999999/x.mp4", f"{self.folder_module.id}/../x", "x", "section 1/x", "", " "):
            self.refused(lambda: provider.resolve(where, name, credentials=login), "not_found")

    def test_courses_and_addresses(self):
        where = self.site()
        self.course()
        self.moodle.course(43, "Nothing for anna", "other", users=[])
        second = self.moodle.course(44, "Second", "second", users=["anna"], startdate=1760000000, enddate=1770000000)
        module = second.section("Week").resource("Only one", "one.mp4", media.mp4("one", 900))
        login = self.credentials()
        provider = self.provider()
        courses = provider.ask("courses", {"parameters": {"endpoint": self.moodle.base}, "cursor": None}, credentials=login)["courses"]
        self.assertEqual({c["title"]: c["parameters"] for c in courses}, {"Optics & Light": {"course": 42}, "Second": {"course": 44}})
        self.assertEqual((courses[1]["begins"], courses[1]["ends"]), ("2025-10-09T08:53:20Z", "2026-02-02T02:40:00Z"))

        def recognised(address, credentials=login):
            return provider.ask("recognise", {"address": self.moodle.base + address}, credentials=credentials)

        root = {"endpoint": self.moodle.base + "/"}
        self.assertEqual(recognised("/course/view.php?id=42&section=3#x")["course"],
                         {"title": "Optics & Light", "parameters": {**root, "course": 42}})
        self.assertEqual(recognised("/course/view.php?id=42", None)["course"], {"parameters": {**root, "course": 42}})
        self.assertEqual(recognised(f"/mod/resource/view.php?id={module.id}")["video"],
                         {"id": str(module.id), "title": "Only one", "parameters": {**root, "course": 44}})
        self.assertEqual(recognised(f"/mod/folder/view.php?id={self.folder_module.id}")["course"]["parameters"], {**root, "course": 42})
        self.refused(lambda: recognised(f"/mod/resource/view.php?id={module.id}", None), "auth_required")
        for address in ("/course/view.php", "/course/view.php?id=x", "/my/", "/other/course/view.php?id=42"):
            self.assertEqual(recognised(address), {})
        self.assertEqual(provider.resolve({"endpoint": self.moodle.base}, str(module.id), credentials=login)["title"], "Only one")
        for course, kind in ((43, "forbidden"), (99, "not_found")):
            self.refused(lambda: provider.list({**where, "course": course}, credentials=login), kind)
        second.nothing = True
        self.refused(lambda: provider.list({**where, "course": 44}, credentials=login), "forbidden")

    def test_logins(self):
        where = self.site()
        self.course()
        provider = self.provider()

        def step(**more):
            return provider.ask("login", {"parameters": where, "secrets": {}, "state": None, **more})

        def login(**secrets):
            return provider.login(where, secrets)

        self.assertEqual([q["name"] for q in step()["ask"]], ["username", "password"])
        made = login(username="anna", password=CANARY)
        self.assertEqual(made, self.credentials())
        self.assertEqual(len(provider.list(where, credentials=made)["ids"]), len(ODD) + 8)
        token = self.moodle.token_of("anna")
        self.assertEqual(login(username="x", password=token), made)
        # A password that looks like a token.
        self.moodle.user("bob", "0123456789abcdef" * 2)
        bob = login(username="bob", password="0123456789abcdef" * 2)
        self.assertEqual(next(iter(bob["hosts"].values()))["token"], self.moodle.token_of("bob"))
        self.refused(lambda: login(username="anna", password="wrong"), "auth_required")

        self.moodle.password_login = False
        asked = step()
        self.assertIn(self.moodle.base + "/admin/tool/mobile/launch.php?service=moodle_mobile_app&passport=", asked["open"])
        self.assertEqual([q["name"] for q in asked["ask"]], ["link"])
        for link in (self.moodle.launch_link("anna", "1.5"), " " + self.moodle.launch_link("anna", "1.5", private=True) + "\n", token):
            self.assertEqual(login(link=link), made)
        for link in ("moodlemobile://token=", "https://moodle.example.org/my/", "moodlemobile://token=" + base64.b64encode(b"a:::b").decode()):
            self.refused(lambda: login(link=link), "auth_required")
        self.moodle.services = set()
        self.refused(step, "forbidden")
        self.refused(lambda: provider.ask("login", {"parameters": {}, "secrets": {}}), "invalid_parameters")

    def test_errors_that_come_with_200(self):
        where = self.site()
        self.course()
        login = self.credentials()
        provider = self.provider()

        def told(kind):
            return self.refused(lambda: provider.list(where, credentials=login), kind)

        self.refused(lambda: provider.list(where), "auth_required")
        self.moodle.maintenance = True
        self.assertIn("The site is undergoing maintenance", told("unavailable").message)
        self.moodle.maintenance = False
        for spaced in (False, True):
            self.moodle.namespaced = spaced
            self.moodle.expire("anna")
            told("auth_required")
            login = self.credentials()
        self.moodle.expired_access = True
        self.moodle.expire("anna")
        for _ in range(2):
            told("auth_required")
        login = self.credentials()
        for status, kind in ((500, "unavailable"), (503, "unavailable"), (429, "rate_limited")):
            self.moodle.status = status
            told(kind)
        self.moodle.status = None
        self.moodle.html = True
        told("auth_required")
        self.moodle.html, self.moodle.half = False, True
        told("unavailable")

    def test_odd_entries_are_not_left_out(self):
        where = self.site()
        course = self.moodle.course(42, "Optics", "opt", users=["anna"])
        week = course.section("a\0b\x1b")
        week.resource("One", "one.mp4", media.mp4("one", 900))
        week.folder("Two", {"two.mp4": media.mp4("two", 900)})
        week.page("Three", "<p>", {"three.mp4": media.mp4("three", 900)})
        week.label("Four")
        provider, login = self.provider(), self.credentials()
        listing = provider.list(where, credentials=login)
        self.assertEqual((len(listing["ids"]), listing["chapters"][0]["title"]), (3, "ab"))

        def contents(change):
            def alter(request, value):
                for section in value if isinstance(value, list) else []:
                    change(section)
                return value
            return alter

        def first(name, *values):
            return [lambda section, value=value: section["modules"][0].update({name: value}) for value in values]

        changes = [lambda s: s.update(id=None), lambda s: s.update(modules=None), lambda s: s.update(modules={}),
                   lambda s: s["modules"].__setitem__(0, None), lambda s: s["modules"].__setitem__(1, "x"),
                   *first("id", None, "x"), *first("modname", None, 7), *first("contents", None, "x", [None], [{}]),
                   lambda s: s["modules"][1].pop("contents"), lambda s: s["modules"][1]["contents"][0].update(fileurl=None)]
        for number, change in enumerate(changes):
            with self.subTest(number):
                end = altered(self.moodle, contents(change))
                self.refused(lambda: provider.list(where, credentials=login), "unavailable")
                end()
        for odd in (None, [None], [{}]):
            end = altered(self.moodle, lambda request, value: {**value, "pages": odd} if "pages" in value else value)
            self.refused(lambda: provider.list(where, credentials=login), "unavailable")
            end()

    def test_pages_that_cant_be_read_now_are_not_gone(self):
        where = self.site()
        self.course()
        login = self.credentials()
        provider = self.provider()
        whole = provider.list(where, credentials=login)["ids"]
        self.moodle.failing = {"mod_page_get_pages_by_courses": "sitemaintenance"}
        self.refused(lambda: provider.list(where, credentials=login), "unavailable")
        # A site that doesn't offer it to the app still lists the files of pages.
        self.moodle.failing = {"mod_page_get_pages_by_courses": "accessexception"}
        left = provider.list(where, credentials=login)["ids"]
        self.assertEqual(len(left), len(whole) - 1)
        self.assertTrue(set(left) < set(whole))

    def test_a_sync_goes_on_when_the_token_ends_in_the_middle_of_a_file(self):
        where = self.site()
        course = self.moodle.course(42, "Optics", "opt", users=["anna"])
        week = course.section("Week 1")
        big = {f"Lecture {n}": media.mp4(n, 3_000_000) for n in range(4)}
        for name, content in big.items():
            week.resource(name, f"{file_name(name)}.mp4", content)
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "moodle", "parameters": where, "discover": True}])
        waiting = scene.sync("--max-wait", "0", exit=77)
        self.assertEqual([n["provider"] for n in waiting.of("sync_finished")[0]["logins_needed"]], ["moodle"])
        self.log_in(scene, where, username="anna", password=CANARY)
        self.moodle.break_after = {"Lecture 1.mp4": 1_000_000}
        self.moodle.expire_after = {"Lecture 2.mp4": 2_000_000}
        run = scene.sync("--max-wait", "0", "--jobs", "1", exit=77)
        self.log_in(scene, where, link=self.moodle.launch_link("anna", "1"))
        run = scene.sync(exit=0)
        self.assertEqual({p.split("/")[-1]: c for p, c in scene.files().items()},
                         {f"{i:02} {n}.mp4": c for i, (n, c) in enumerate(big.items(), 1)}, run)
        sent = {}
        for asked in self.moodle.requests:
            if "Lecture" in asked.path and asked.status == 206:
                sent[asked.path.split("/")[-1]] = asked.range
        self.assertIn("Lecture%201.mp4", sent)
        self.assertIn("Lecture%202.mp4", sent)
        before = len(self.moodle.requests)
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])
        self.assertEqual({asked.function for asked in self.moodle.requests[before:]},
                         {"core_course_get_contents", "core_course_get_courses_by_field"})
        for text in (run.out, run.err, next(scene.state.rglob("state.sqlite")).read_bytes().decode("latin-1")):
            self.assertNotIn(self.moodle.token_of("anna"), text)

    def log_in(self, scene, where, **secrets):
        file = scene.folder / "secrets.json"
        file.write_text(json.dumps(secrets))
        file.chmod(0o600)
        self.moodle.password_login = "link" not in secrets
        run = scene.command("login", "--provider", "moodle", "--secrets-from", file, "--set", "endpoint=" + where["endpoint"])
        self.assertEqual(run.exit, 0, run)
