"""The provider `opencast` against a stand-in that answers as Opencast's source says."""

import json
import urllib.request

import media
import stage
from asking import CANARY, ODD, Case, altered
from opencast_host import Opencast


def download(resolution, view=None):
    """What a host does with a resolution, or one of its views."""
    url = (view or resolution)["url"]
    request = urllib.request.Request(url)
    for token in resolution.get("tokens", []):
        if url.startswith((*token.get("origins", []), token.get("url_prefix", "-"))):
            request.add_header(token["name"], token.get("prefix", "") + token["value"])
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.read()


def views(resolution):
    return {resolution["role"]: download(resolution), **{s["role"]: download(resolution, s) for s in resolution.get("streams", [])}}


class OpencastCase(Case):
    provider_name = "opencast"

    def server(self, **more):
        self.oc = Opencast(self)
        self.oc.user("anna", CANARY)
        self.series = self.oc.series("Optics &amp; <Light>", **more)
        return {"endpoint": self.oc.base, "series": self.series.id}

    def credentials(self):
        return {"hosts": {self.oc.base: {"username": "anna", "password": CANARY}}}

    def lectures(self, **more):
        """Events of each kind, with what is to be found in them."""
        series, found = self.series, {}

        def event(title, number, **files):
            made = series.event(title, start=1790000000 + number * 86400, **more)
            for flavor, (content, fields) in files.items():
                made.track(flavor.replace("_", "/"), content, **fields)
            return made

        def film(text):
            return media.mp4(text, 3000)

        both = event("Two pictures", 1, presentation_delivery=(film("slides"), {"sound": False}), presenter_delivery=(film("face"), {}))
        both.track("presenter/delivery", media.mp4("small", 900), height=360)
        both.caption("de", b"WEBVTT\n")
        both.caption("en", b"WEBVTT \n", old=True)
        both.attachment("presenter/player+preview", b"\xff\xd8jpg", "p.jpg")
        found[both.id] = {"presenter": film("face"), "presentation": film("slides")}
        one = event("2024", 2, composite_delivery=(film("one"), {}))
        found[one.id] = {"combined": film("one")}
        mute = event("Sound with the slides", 3, presenter_delivery=(film("mute"), {"sound": False}), presentation_delivery=(film("loud"), {}))
        found[mute.id] = {"presentation": film("loud"), "presenter": film("mute")}
        for number, name in enumerate(ODD):
            found[event(name, 10 + number, presenter_delivery=(film(name), {})).id] = {"presenter": film(name)}
        self.both = both
        return found

    def test_series_and_the_pictures_of_their_events(self):
        for old in (False, True):
            with self.subTest(old=old):
                where = self.server()
                self.oc.old = old
                found = self.lectures()
                live = self.series.event("On air", start=1890000000)
                live.live()
                provider = self.provider()
                listing = provider.list(where)
                self.assertEqual(listing["title"], "Optics &amp; <Light>")
                self.assertEqual(listing["ids"], [*found, live.id])
                self.assertEqual([v["title"] for v in listing["videos"]][:3], ["Two pictures", "2024", "Sound with the slides"])
                self.assertEqual([v["title"] for v in listing["videos"]][3:-1], ODD)
                for video in listing["videos"][:-1]:
                    got = provider.resolve(where, video)
                    self.assertEqual(views(got), found[video["id"]], video)
                    self.assertEqual(views(video["resolved"]), found[video["id"]])
                got = provider.resolve(where, self.both.id, quality=["480p"])
                self.assertEqual(download(got), media.mp4("small", 900))
                self.assertEqual({s["lang"]: download(got, s) for s in got["subtitles"]}, {"de": b"WEBVTT\n", "en": b"WEBVTT \n"})
                self.assertEqual(download({}, {"url": got["cover"]}), b"\xff\xd8jpg")
                self.refused(lambda: provider.resolve(where, live.id), "not_ready")
                self.assertTrue(provider.page(where, known=listing["known"])["unchanged"])

    def test_more_than_a_page(self):
        where = self.server()
        for number in range(230):
            self.series.event(f"Lecture {number}", start=1790000000 + number).track("presenter/delivery", media.mp4(number, 100))
        provider = self.provider()
        self.assertEqual(len(set(provider.list(where)["ids"])), 230)
        self.oc.old = True
        self.assertEqual(len(set(provider.list(where)["ids"])), 230)

    def test_pages_that_do_not_belong_together(self):
        where = self.server()
        events = [self.series.event(f"Lecture {n}", start=1790000000 + n) for n in range(105)]
        for number, event in enumerate(events):
            event.modified += number
            event.track("presenter/delivery", media.mp4(number, 100))
        provider = self.provider()
        whole = provider.list(where)["ids"]

        def episodes(change):
            return lambda request, value: change(request, value) if request.place.endswith("episode.json") else value

        def edited(request, value):
            # A title is corrected after the first page: the event goes to the end.
            if request.form["offset"] == "0" and events[3].modified < 1760010000:
                events[3].modified += 20000
            return value

        end = altered(self.oc, episodes(edited))
        self.assertEqual(provider.list(where)["ids"], whole)
        end()

        def again(request, value):
            pages[request.form["offset"]] = value
            return pages["0"]

        pages = {}
        for change in (again, lambda request, value: {**value, "result": []} if request.form["offset"] == "100" else value,
                       lambda request, value: {**value, "result": []},
                       lambda request, value: {**value, "total": 104} if request.form["offset"] == "100" else value):
            end = altered(self.oc, episodes(change))
            self.assertIn("changed while it was listed", self.refused(lambda: provider.list(where), "unavailable").message)
            end()
        for odd in (None, "x", {}, {"mediapackage": {}}, {"dc": {"identifier": ["x"]}}):
            end = altered(self.oc, episodes(lambda request, value: {**value, "result": [odd, *value["result"][1:]]}))
            self.refused(lambda: provider.list(where), "unavailable")
            end()

    def test_a_server_that_does_not_heed_the_login(self):
        where = self.server()
        self.series.event("For all", start=1).track("presenter/delivery", media.mp4("all", 300))
        self.series.event("For some", start=2, read=("ROLE_USER",)).track("presenter/delivery", media.mp4("some", 300))
        provider, login = self.provider(), self.credentials()
        self.assertEqual(len(provider.list(where, credentials=login)["ids"]), 2)
        self.assertEqual([a.path for a in self.oc.requests].count("/info/me.json"), 1)
        self.oc.basic = False
        self.refused(lambda: provider.list(where, credentials=login), "auth_required")
        self.assertEqual(len(provider.list(where)["ids"]), 1)

    def test_what_is_not_for_all(self):
        where = self.server(read=("ROLE_USER",))
        found = self.lectures(read=("ROLE_USER",))
        provider = self.provider()
        error = self.refused(lambda: provider.list(where), "auth_required")
        self.assertIn("without a login", error.message)
        self.refused(lambda: provider.resolve(where, self.both.id), "auth_required")
        login = provider.login(where, {"username": "anna", "password": CANARY})
        self.assertEqual(login, self.credentials())
        listing = provider.list(where, credentials=login)
        self.assertEqual(listing["ids"], list(found))
        for video in listing["videos"][:3]:
            self.assertEqual(views(provider.resolve(where, video, credentials=login)), found[video["id"]])
        self.refused(lambda: provider.login(where, {"username": "anna", "password": "wrong"}), "auth_required")
        for video in ("nobody", "a/b", ".."):
            self.refused(lambda: provider.resolve(where, video, credentials=login), "not_found")
        self.both.vanished = True
        self.refused(lambda: provider.resolve(where, self.both.id, credentials=login), "not_found")

    def test_signed_addresses_that_end_in_a_sync(self):
        where = self.server()
        self.oc.signing = True
        big = media.mp4("face", 2_000_000)
        event = self.series.event("Lecture", start=1790000000)
        event.track("presenter/delivery", big)
        event.track("presentation/delivery", media.mp4("slides", 400_000), sound=False)
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "opencast", "parameters": where, "discover": True, "streams": "all"}])
        self.oc.expire_after = {"lecture.mp4": 700_000}
        run = scene.sync(exit=0)
        self.assertEqual({p.split("/")[-1]: c for p, c in scene.files().items()},
                         {"01 Lecture.mp4": big, "01 Lecture (presentation).mp4": media.mp4("slides", 400_000)}, run)
        self.assertTrue([a for a in self.oc.requests if a.path.endswith("lecture.mp4") and a.range], "it goes on where it was")
        self.assertTrue([r for r in run.of("resolved") if r["expires_at"]], run)
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])

    def test_a_session_of_a_browser_courses_and_addresses(self):
        where = self.server(read=("ROLE_USER",))
        self.lectures(read=("ROLE_USER",))
        other = self.oc.series("Other")
        self.series.event("For all", read=("ROLE_ANONYMOUS",), start=1).track("presenter/delivery", b"x" * 99)
        provider = self.provider()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(self.oc.base + "/j_spring_security_check", f"j_username=anna&j_password={CANARY}".encode())
        jar = next(h for h in opener.handlers if hasattr(h, "cookiejar")).cookiejar
        lines = "".join(f"127.0.0.1\tFALSE\t{c.path}\tFALSE\t0\t{c.name}\t{c.value}\n" for c in jar)
        login = provider.login({"endpoint": self.oc.base}, {"session": "# Netscape HTTP Cookie File\n" + lines})
        got = provider.resolve(where, self.both.id, credentials=login)
        self.assertEqual(views(got)["presenter"], media.mp4("face", 3000))
        courses = provider.ask("courses", {"parameters": {"endpoint": self.oc.base}, "cursor": None}, credentials=login)["courses"]
        self.assertEqual({c["title"]: c["parameters"] for c in courses}, {
            "Optics &amp; <Light>": {"series": self.series.id}, "Other": {"series": other.id}})

        def recognised(path):
            return provider.ask("recognise", {"address": self.oc.base + path}, credentials=login)

        root = {"endpoint": self.oc.base + "/"}
        for path in (f"/play/{self.both.id}", f"/paella7/ui/watch.html?id={self.both.id}&time=3m", f"/paella7/ui/watch.html#id={self.both.id}",
                     f"/engage/theodul/ui/core.html?id={self.both.id}"):
            self.assertEqual(recognised(path)["video"], {"id": self.both.id, "title": "Two pictures", "parameters": root})
        for path in (f"/engage/ui/index.html?epFrom={self.series.id}", f"/ltitools/index.html?subtool=series&series={self.series.id}",
                     f"/search/episode.json?sid={self.series.id}"):
            self.assertEqual(recognised(path)["course"], {"title": "Optics &amp; <Light>", "parameters": {**root, "series": self.series.id}})
        self.assertEqual(recognised("/admin-ui/index.html"), {})
        self.refused(lambda: recognised("/engage/ui/index.html?epFrom=nothing"), "not_found")
        self.oc.expire("anna")
        # One event and one series are still shown, and the others aren't gone.
        for ask in (lambda: provider.list(where, credentials=login),
                    lambda: provider.ask("courses", {"parameters": {"endpoint": self.oc.base}, "cursor": None}, credentials=login)):
            self.assertIn("has ended", self.refused(ask, "auth_required").message)
        self.refused(lambda: provider.login({"endpoint": self.oc.base}, {"session": "# Netscape HTTP Cookie File\n" + lines}), "auth_required")
        self.assertTrue(json.dumps(login))
