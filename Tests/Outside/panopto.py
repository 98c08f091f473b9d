"""The provider `panopto` against a stand-in that answers as Panopto's API, its examples and its web player's clients say."""

import json
import subprocess
import time
import urllib.request

import media
import platforms
import samples
import stage
from asking import CANARY, ODD, Case, altered
from panopto_host import NOBODY, Panopto, Stream, guid

# Addresses of a session, of a folder, and of what is neither.
SESSIONS = (
    "/Panopto/Pages/Viewer.aspx?id={}", "/Panopto/Pages/Viewer.aspx?x=1&id={}&start=3#a", "/Panopto/Pages/Embed.aspx?id={}&v=1",
    "/panopto/pages/viewer.aspx?ID={}", "/Panopto/Pages/Viewer.aspx?pid=" + NOBODY + "&id={}",
    "/Panopto/Podcast/Download/{}.mp4?mediaTargetType=videoPodcast", "/Panopto/Podcast/Social/{}.mp4",
    "/Panopto/Podcast/Syndication/{}.mp4", "/Panopto/Podcast/Stream/{}.mp4",
    "/Panopto/Pages/Viewer/DeliveryInfo.aspx?deliveryId={}", "/Panopto/Pages/Transcription/GenerateSRT.ashx?id={}")
FOLDERS = (
    "/Panopto/Pages/Sessions/List.aspx#folderID=%22{}%22", '/Panopto/Pages/Sessions/List.aspx#folderID="{}"&view=1',
    "/Panopto/Pages/Sessions/List.aspx#folderID={}", "/Panopto/Pages/Sessions/List.aspx?folderID={}",
    "/Panopto/Pages/Sessions/List.aspx?embedded=1#folderID=%22{}%22",
    "/Panopto/Pages/EmbeddedList.aspx?embedded=1&folderID={}", "/Panopto/Podcast/Podcast.ashx?courseid={}&type=mp4")
OTHERS = (
    "/", "/Panopto/Pages/Home.aspx", "/Panopto/Pages/Viewer.aspx?pid={}", "/Panopto/Pages/Viewer.aspx?id=1",
    "/sessions/{0}/{0}.mp4", "/Panopto/Pages/Sessions/List.aspx#view=2")


def download(resolution, view=None):
    """What a host does with a resolution, one of its views, or one of its tracks."""
    request = urllib.request.Request((view or resolution)["url"])
    for token in resolution.get("tokens", []):
        if request.full_url.startswith(tuple(origin + "/" for origin in token["origins"])):
            request.add_header(token["name"], token["value"])
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.read()


class PanoptoCase(Case):
    provider_name = "panopto"

    def start(self, **more):
        self.site = Panopto(self, **more)
        self.site.person("anna", CANARY)
        self.top = self.site.folder("Optics &amp; <Light>", users=["anna"])
        return {"endpoint": self.site.base, "folder": self.top.id}

    def tokens(self, provider, **more):
        id, secret = self.site.client(**more)
        return provider.login({"endpoint": self.site.base}, {
            "client_id": id, "client_secret": secret, "username": "anna", "password": CANARY})

    def session(self):
        """The secret of a browser that is logged in."""
        pairs = [pair.split("=", 1) for pair in self.site.cookie("anna").split("; ")]
        return "# Netscape HTTP Cookie File\n" + "".join(f"127.0.0.1\tFALSE\t/\tFALSE\t0\t{n}\t{v}\n" for n, v in pairs)

    def browser(self, provider):
        return provider.login({"endpoint": self.site.base}, {"session": self.session()})

    def ways(self, provider):
        return {"tokens": self.tokens(provider), "browser": self.browser(provider)}

    def count(self, end):
        return len([a for a in self.site.requests if a.path.lower().endswith(end.lower())])

    def test_folders_and_those_in_them_in_both_ways(self):
        where = self.start(page_size=7)
        self.site.max_results = 10
        self.top.playlists.append("A playlist")
        first = [self.top.video(name, media.mp4(name, 300), started=1790000000 + n, duration=60.5, description="about " + name)
                 for n, name in enumerate(ODD)]
        early = self.top.video("early", media.mp4("early", 300), started=1780000000)
        weeks = {name: self.top.folder(name) for name in ("Week 10", "Week 2 &lt;", "empty")}
        inner = weeks["Week 2 &lt;"].folder("Labs")
        for folder in (*weeks.values(), inner):
            if folder.name != "empty":
                folder.video(f"in {folder.name}", media.mp4(folder.name, 300), started=1790000000)
        hidden = self.top.folder("hidden", users=["bob"])
        hidden.video("hidden", b"")
        provider = self.provider()
        listings = {}
        for way, login in self.ways(provider).items():
            with self.subTest(way):
                listing = provider.list(where, credentials=login)
                self.assertEqual((listing["title"], [v["title"] for v in listing["videos"]]), (self.top.name, ["early", *ODD]))
                self.assertEqual(listing["ids"][:19], [v.id for v in (early, *first)])
                self.assertEqual([(c["title"], [v["title"] for v in c["videos"]]) for c in listing["chapters"]], [
                    ("Week 2 &lt;", ["in Week 2 &lt;"]), ("Week 2 &lt; / Labs", ["in Labs"]), ("Week 10", ["in Week 10"])])
                self.assertEqual({k: listing["videos"][1][k] for k in ("description", "duration", "published_at")}, {
                    "description": "about " + ODD[0], "duration": 60.5, "published_at": "2026-09-21T14:13:20Z"})
                self.assertTrue(provider.page(where, known=listing["known"], credentials=login)["unchanged"])
                flat = provider.list({**where, "subfolders": False}, credentials=login)
                self.assertEqual((flat["ids"], flat["chapters"]), (listing["ids"][:19], []))
                listings[way] = {**listing, "credentials": None}
        self.assertEqual(listings["tokens"], listings["browser"])
        self.refused(lambda: provider.list({"endpoint": self.site.base}), "invalid_parameters")
        self.refused(lambda: provider.list({**where, "folder": "optics"}), "invalid_parameters")

    def test_a_folder_that_changes_between_its_pages(self):
        where = self.start()
        self.site.max_results = 10
        videos = [self.top.video(f"v{n}", media.mp4(n, 300), started=1790000000 + n) for n in range(15)]
        provider = self.provider()
        login = self.browser(provider)
        first = provider.list(where, credentials=login)["ids"]
        self.assertEqual(first, [v.id for v in videos])
        for rows in ([], [{"DeliveryID": first[0], "SessionName": "again"}]):
            for always in (False, True):
                readings = []

                def now(request, value):
                    if len(value.get("d", {}).get("Results") or []) == 5:
                        readings.append(1)
                        if always or len(readings) == 1:
                            value["d"]["Results"] = rows
                    return value

                end = altered(self.site, now)
                if always:
                    self.refused(lambda: provider.list(where, credentials=login), "unavailable")
                else:
                    self.assertEqual(provider.list(where, credentials=login)["ids"], first)
                end()

    def test_what_a_list_does_not_say_is_not_gone(self):
        where = self.start()
        for number in range(3):
            self.top.video(f"v{number}", media.mp4(number, 300), started=1790000000 + number)
        self.top.folder("Sub").video("in it", media.mp4("in it", 300))
        provider = self.provider()
        login = self.ways(provider)

        def lacking(name, part="Results"):
            """The first of a part without a field, or null."""
            def now(request, value):
                found = value.get("d", value) if isinstance(value, dict) else {"Results": value}
                if found.get(part):
                    found[part][0] = name and {n: v for n, v in found[part][0].items() if n != name}
                return value
            return now

        def folders(change):
            def now(request, value):
                if "Subfolders" in value.get("d", {}):
                    change(value["d"])
                return value
            return now

        odd = {"tokens": [lacking(None), lacking("Id")], "browser": [
            lacking(None), lacking("DeliveryID"), lacking("ID", "Subfolders"), lacking(None, "Subfolders"),
            folders(lambda found: found.update(Subfolders=None)), folders(lambda found: found.pop("Subfolders"))]}
        for way, changes in odd.items():
            for change in changes:
                end = altered(self.site, change)
                self.refused(lambda: provider.list(where, credentials=login[way]), "unavailable")
                end()
            end = altered(self.site, lacking("Id"))
            self.refused(lambda: self.courses(provider, login[way]), "unavailable")
            end()
        # A playlist has no id.
        playlist = {"DeliveryID": None, "SessionID": None, "SessionName": "A playlist"}
        end = altered(self.site, folders(lambda found: found.update(
            Results=[playlist, *found["Results"]], TotalNumber=found["TotalNumber"] + 1)))
        self.assertEqual(len(provider.list(where, credentials=login["browser"])["ids"]), 4)
        end()

    def test_sessions_that_do_not_agree_on_the_folders_name(self):
        where = self.start()
        for number in range(3):
            self.top.video(f"v{number}", media.mp4(number, 300), started=1790000000 + number)

        def other(request, value):
            found = value.get("d", value).get("Results")
            if found:
                found[0].update({"FolderName": "Other"} if "FolderName" in found[0] else {"FolderDetails": {"Name": "Other"}})
            return value

        provider = self.provider()
        for login in self.ways(provider).values():
            end = altered(self.site, other)
            self.assertEqual(provider.list(where, credentials=login)["title"], self.top.name)
            end()

    def test_a_folder_that_is_refused_for_a_night(self):
        where = self.start()
        week = self.top.folder("Week")
        sub = week.folder("Sub")
        video = sub.video("in it", media.mp4("in it", 300))
        provider = self.provider()
        login = self.tokens(provider)
        for folder in (week, sub):
            for folder.refused in (403, 404):
                error = self.refused(lambda: provider.list(where, credentials=login), "unavailable")
                self.assertEqual(error.data["server"], self.site.base)
            folder.refused = None
        self.assertEqual(provider.list(where, credentials=login)["ids"], [video.id])
        sub.gone = True
        self.assertEqual(provider.list(where, credentials=login)["ids"], [])

    def test_what_a_folder_without_sessions_is(self):
        where = self.start()
        self.top.folder("Empty")
        provider = self.provider()
        for login in self.ways(provider).values():
            listing = provider.list(where, credentials=login)
            self.assertEqual((listing["title"], listing["ids"]), (self.top.name, []))
            for folder in (guid(), self.site.folder("other", users=["bob"]).id):
                self.refused(lambda: provider.list({**where, "folder": folder}, credentials=login))
        self.refused(lambda: provider.list(where), "auth_required")

    def test_the_pictures_of_a_session(self):
        where = self.start()
        film = {name: media.mp4(name, 3000) for name in ("both", "face", "slides", "sound")}
        both = self.top.video("Both &", film["both"], [Stream("OBJECT", film["slides"]), Stream("DV", film["face"])])
        split = self.top.video("Split", None, [
            Stream("AUDIO", film["sound"]), Stream("OBJECT", film["slides"], sound=False),
            Stream("SCREEN", film["face"], sound=False)])
        mute = self.top.video("No address", None, [Stream("AUDIO", url=False), Stream("OBJECT", film["slides"])])
        twice = self.top.video("Twice", None, [
            Stream("DV", film["face"]), Stream("DV", film["slides"]), Stream("X Y"), Stream(None, b"x" * 99)])
        hls = self.top.video("HLS", Stream(segments=[media.ts("a")]), [Stream("SCREEN", segments=[media.ts("b")])])
        provider = self.provider()
        for login in self.ways(provider).values():
            def views(video):
                got = provider.resolve(where, video.id, credentials=login)
                self.assertNotIn("tokens", got)
                self.assertNotIn(self.site.base, json.dumps({**got, "credentials": None}))
                return got, {v["role"]: v for v in (got, *got.get("streams", []))}

            got, found = views(both)
            self.assertEqual((list(found), got["title"], got["duration"]), (
                ["combined", "presenter", "presentation"], "Both &", 60))
            self.assertEqual([download(got, v) for v in found.values()], [film["both"], film["face"], film["slides"]])
            got, found = views(split)
            self.assertEqual(list(found), ["presentation", "screen", "audio"])
            for view in list(found.values())[:2]:
                self.assertEqual([(t["kind"], download(got, t)) for t in view["tracks"]], [("audio", film["sound"])])
            self.assertNotIn("tracks", found["audio"])
            self.assertEqual(list(views(mute)[1]), ["presentation"])
            self.assertEqual(list(views(twice)[1]), ["presenter", "presenter-2", "other", "other-2"])
            got, found = views(hls)
            self.assertEqual({r: v.get("kind") for r, v in found.items()}, {"combined": "hls", "screen": "hls"})
            self.assertTrue(download(got).startswith(b"#EXTM3U"))

    def test_captions(self):
        where = self.start()
        lines = [(0, 1.5, "Hello <i>you</i>"), (2, 3, "two\nlines")]
        video = self.top.video("V", b"v" * 300, captions={1: lines, 4: lines[:1], 21: [], 77: lines[:1]})
        untold = self.top.video("W", b"w" * 300, captions={5: lines[:1]}, available_languages=False)
        plain = self.top.video("X", b"w" * 300)
        provider = self.provider()
        hello = "1\n00:00:00,000 --> 00:00:01,500\nHello <i>you</i>\n"
        for login in self.ways(provider).values():
            got = {s["lang"]: s["text"] for s in provider.resolve(where, video.id, credentials=login)["subtitles"]}
            self.assertEqual(got, {
                "en-GB": hello + "\n2\n00:00:02,000 --> 00:00:05,000\ntwo\nlines\n", "de-DE": hello, "und": hello})
            got = provider.resolve(where, untold.id, credentials=login)
            self.assertEqual([(s["lang"], s["text"]) for s in got["subtitles"]], [("und", hello)])
            self.assertNotIn("subtitles", provider.resolve(where, plain.id, credentials=login))
        video.captions = {n: [(i, 1, "x" * 2000) for i in range(60)] for n in range(22)}
        self.assertLess(len(provider.resolve(where, video.id, credentials=login)["subtitles"]), 5)

    def test_captions_that_can_not_be_read_for_a_night(self):
        where = self.start()
        video = self.top.video("V", b"v" * 300, captions={4: [(0, 1, "Hallo")]})
        provider = self.provider()
        inner = self.site.answer
        answers = {"unavailable": [self.site.page(500, "Error"), self.site.page(503, "Error"), self.site.page(200, "Error")],
                   "auth_required": [self.site.login_page(), self.site.page(401, "Error")],
                   None: [self.site.page(404, "Error"), self.site.page(403, "Error")]}
        for login in self.ways(provider).values():
            for kind, odd in answers.items():
                for answer in odd:
                    self.site.answer = lambda request: answer if "GenerateSRT" in request.path else inner(request)
                    if kind:
                        self.refused(lambda: provider.resolve(where, video.id, credentials=login), kind)
                    else:
                        self.assertNotIn("subtitles", provider.resolve(where, video.id, credentials=login))
            self.site.answer = inner
            self.assertIn("subtitles", provider.resolve(where, video.id, credentials=login))

    def test_pictures_that_are_not_there_yet(self):
        where = self.start()
        ended = 1790000060
        video = self.top.video("V", media.mp4("both", 3000), [Stream("DV", media.mp4("face", 3000))], started=ended - 60)
        alone = self.top.video("W", None, [Stream("DV", media.mp4("face", 3000))], started=ended - 60)

        def unfinished(request, value):
            if "Delivery" in value:
                value["Delivery"].update(IsViewerEncodeComplete=False)
                value["Delivery"].update({"Streams": []} if value["Delivery"]["PodcastStreams"] else {})
            return value

        provider = self.provider()
        login = self.browser(provider)

        def roles(video, after):
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ended + after))
            got = provider.resolve(where, video.id, credentials=login, now=now)
            return [got["role"], *(s["role"] for s in got.get("streams", []))]

        end = altered(self.site, unfinished)
        for after in (0, 86_399):
            self.refused(lambda: roles(video, after), "not_ready")
        self.assertEqual(roles(video, 86_400), ["combined"])
        self.refused(lambda: roles(alone, 86_400), "not_ready")
        end()
        self.assertEqual(roles(video, 0), ["combined", "presenter"])

    def test_logins(self):
        where = self.start()
        provider = self.provider()
        id, secret = self.site.client()

        def ask(state=None, **secrets):
            return provider.ask("login", {"parameters": {"endpoint": self.site.base}, "secrets": secrets, "state": state})

        self.assertEqual([q["name"] for q in ask()["ask"]], ["client_id", "client_secret"])
        self.assertEqual([q["name"] for q in ask(client_id=id, client_secret=secret)["ask"]], ["username", "password"])
        for wrong in ({"password": "wrong"}, {"username": "nobody"}, {"client_secret": "wrong"}, {"client_id": guid()}):
            given = {"client_id": id, "client_secret": secret, "username": "anna", "password": CANARY, **wrong}
            self.refused(lambda: ask(**given), "auth_required")
        for wrong in ({"client_id": id, "client_secret": "wrong"}, {"session": "# none\n"}):
            self.refused(lambda: ask(**wrong), "auth_required")
        login = ask(client_id=id, client_secret=secret, username="anna", password=CANARY)["credentials"]
        self.assertEqual(sorted(login["hosts"][self.site.base]), [
            "access_token", "client_id", "client_secret", "refresh_token", "token_type"])
        self.assertNotIn(CANARY, json.dumps(login))

        web, key = self.site.client(grants=("authorization_code",))
        step = ask(client_id=web, client_secret=key)
        self.assertEqual([q["name"] for q in step["ask"]], ["link"])
        opener = urllib.request.build_opener(Stays)
        page = opener.open(urllib.request.Request(step["open"], headers={"Cookie": self.site.cookie("anna")}))
        link = page.headers["Location"]
        self.assertTrue(link.startswith("http://localhost:9127/redirect?code="), link)
        given = {"client_id": web, "client_secret": key}
        for wrong in ("", "no address", link.replace("code=", "c="), link.replace("state=", "state=1")):
            self.refused(lambda: ask(step["state"], link=wrong, **given), "auth_required")
        both = ask(step["state"], link=link, **given)["credentials"]
        self.assertEqual(provider.list(where, credentials=both)["title"], self.top.name)
        self.refused(lambda: ask(step["state"], link=link, **given), "auth_required")
        # Another login takes the place of the one before, and those of other servers stay.
        kept = {"hosts": {**both["hosts"], "https://other.example.org": {"session": "x"}}}
        renewed = provider.login({"endpoint": self.site.base + "/"}, {"session": self.session()}, credentials=kept)["hosts"]
        self.assertEqual((sorted(renewed), list(renewed[self.site.base])), (sorted(kept["hosts"]), ["session"]))

    def test_one_refresh_for_several_requests(self):
        where = self.start()
        videos = [self.top.video(f"V{n}", media.mp4(n, 300)) for n in range(6)]
        provider = self.provider()
        login = self.tokens(provider)
        got = provider.resolve(where, videos[0].id, credentials=login)
        login = got["credentials"]
        self.assertIn(".ASPXAUTH=", login["hosts"][self.site.base]["cookie"])
        self.assertEqual(self.count("legacyLogin"), 1)
        provider.resolve(where, videos[1].id, credentials=login)
        self.assertEqual(self.count("legacyLogin"), 1)
        # Tokens and cookie end at the same time.
        self.site.expire()
        before = self.count("connect/token"), self.count("legacyLogin")
        answers = self.at_once(provider, [("resolve", {
            "video": {"id": v.id, "title": "V", "parameters": where}, "course": {"id": "c", "title": "C"}, "chapter": None,
            "quality": ["best"], "previous": None}) for v in videos] + [
            ("list", {"course": {"id": "c", "title": "C", "parameters": where}, "cursor": None, "known": None})], login)
        self.assertTrue(all("result" in a for a in answers), answers)
        # The token was refused once before it was renewed.
        self.assertEqual((self.count("connect/token"), self.count("legacyLogin")), (before[0] + 1, before[1] + 2))
        fresh = next(a["result"]["credentials"] for a in answers if "cookie" in str(a["result"].get("credentials")))
        newest = provider.page(where, credentials=fresh).get("credentials", fresh)
        self.assertNotEqual(*(some["hosts"][self.site.base]["refresh_token"] for some in (newest, login)))
        # A list with several requests, of which the first one renews the token.
        self.site.expire("access")
        before = len(self.site.requests)
        newest = provider.page(where, credentials=newest)["credentials"]
        self.assertEqual([a.status for a in self.site.requests[before:]].count(401), 1)
        before = self.count("connect/token"), self.count("legacyLogin") - 2
        # The cookie alone.
        self.site.expire("cookie")
        self.assertIn("url", provider.resolve(where, videos[0].id, credentials=newest))
        self.assertEqual(self.count("legacyLogin"), before[1] + 3)
        self.site.expire("access", "refresh", "cookie")
        self.refused(lambda: provider.resolve(where, videos[0].id, credentials=newest), "auth_required")
        self.refused(lambda: provider.page(where, credentials=newest), "auth_required")

    def at_once(self, provider, asks, login):
        """The answers to several requests that are under way together."""
        numbers = []
        for method, params in asks:
            provider.send(method, params, credentials=login)
            numbers.append(provider.number)
        found = {}
        while len(found) < len(numbers):
            line = provider.process.stdout.readline()
            provider.lines.append(line.decode())
            answer = json.loads(line)
            found[answer.get("id")] = answer
            found.pop(None, None)
        return [found[n] for n in numbers]

    def test_a_site_that_refuses_those_who_ask_for_cookies_often(self):
        where = self.start()
        video = self.top.video("V", media.mp4("v", 300))
        provider = self.provider()
        login = self.tokens(provider)
        for after in (None, 77):
            self.site.legacy_limit, self.site.legacy_retry_after = 0, after
            error = self.refused(lambda: provider.resolve(where, video.id, credentials=login), "rate_limited")
            self.assertEqual((error.data.get("retry_after"), error.data["server"]), (after, self.site.base))
        # A list needs no cookie.
        self.assertEqual(provider.list(where, credentials=login)["ids"], [video.id])

    def test_a_session_of_a_browser_that_ends(self):
        where = self.start()
        self.top.video("for all", media.mp4("all", 300), public=True)
        closed = self.top.video("for anna", media.mp4("anna", 300))
        self.top.public = True
        closed.users = ["anna"]
        provider = self.provider()
        self.site.csrf = True
        login = self.browser(provider)
        self.assertEqual(len(provider.list(where, credentials=login)["ids"]), 2)
        self.assertEqual(len(provider.list(where)["ids"]), 1)
        page = {"address": self.top.rest()["Urls"]["FolderUrl"]}
        asks = {"list": lambda: provider.page(where, credentials=login), "courses": lambda: self.courses(provider, login),
                "resolve": lambda: provider.resolve(where, closed.id, credentials=login),
                "recognise": lambda: provider.ask("recognise", page, credentials=login)}
        self.site.expire("cookie")
        for anonymous in ("public", "code", "page", 401):
            self.site.anonymous = anonymous
            for name, ask in asks.items():
                with self.subTest(f"{anonymous}: {name}"):
                    error = self.refused(ask, "auth_required")
                    self.assertEqual(error.data["server"], self.site.base)
            secrets = {"session": login["hosts"][self.site.base]["session"]}
            self.refused(lambda: provider.login({"endpoint": self.site.base}, secrets), "auth_required")
        self.site.anonymous = "error"
        self.assertIn("An error occurred. (7)", self.refused(asks["list"], "unavailable").message)
        # One whose cookies have ended by their own date.
        line = f"127.0.0.1\tFALSE\t/\tFALSE\t1700000000\t.ASPXAUTH\t{'A' * 40}\n"
        ended = {"hosts": {self.site.base: {"session": line}}}
        self.site.anonymous = "public"
        self.assertIn("has ended", self.refused(lambda: provider.page(where, credentials=ended), "auth_required").message)

    def courses(self, provider, login):
        return provider.ask("courses", {"parameters": {"endpoint": self.site.base}, "cursor": None}, credentials=login)["courses"]

    def test_courses(self):
        self.start(page_size=7)
        for number in range(30):
            self.site.folder(f"Course {number}", users=["anna"]).folder("inner")
        self.site.folder("other", users=["bob"])
        provider = self.provider()
        self.refused(lambda: self.courses(provider, None), "auth_required")
        for login in self.ways(provider).values():
            courses = self.courses(provider, login)
            self.assertEqual([c["title"] for c in courses], [*(f"Course {n}" for n in range(30)), self.top.name])
            self.assertEqual(courses[-1]["parameters"], {"folder": self.top.id})
        # All that the user sees is within a folder that they don't see.
        closed = self.site.folder("closed", users=["bob"])
        for folder in self.site.folders:
            folder.parent = folder.parent or (closed if folder is not closed else None)
        self.assertEqual(len(self.courses(provider, self.tokens(provider))), 31)

    def test_what_is_not_there_or_not_yet_or_not_allowed(self):
        where = self.start()
        made = {name: self.top.video(name, media.mp4(name, 300)) for name in ("gone", "restricted", "unready", "live")}
        made["gone"].gone = made["restricted"].restricted = made["live"].live = True
        made["unready"].ready = False
        provider = self.provider()
        for way, login in self.ways(provider).items():
            for name, kind in (("gone", "not_found"), ("restricted", "forbidden" if way == "tokens" else "not_found"),
                               ("unready", "not_ready"), ("live", "not_ready")):
                self.refused(lambda: provider.resolve(where, made[name].id, credentials=login), kind)
            for video in (guid(), NOBODY, "a", "..", "a/b", "", "é" * 36):
                self.refused(lambda: provider.resolve(where, video, credentials=login), "not_found")
        message = self.refused(lambda: provider.resolve(where, made["gone"].id, credentials=login), "not_found").message
        self.assertIn("isn't available", message)
        self.assertNotIn("<", message)
        self.refused(lambda: provider.resolve(where, made["gone"].id), "auth_required")
        made["live"].live = False
        self.assertIn("url", provider.resolve(where, made["live"].id.upper(), credentials=login))
        # What is there and what is not may change while it is read.
        sub = self.top.folder("Sub")
        sub.video("in it", b"x" * 99)
        sub.gone = True
        listing = provider.list(where, credentials=self.tokens(provider))
        self.assertEqual((len(listing["videos"]), listing["chapters"]), (4, []))

    def test_addresses(self):
        where = self.start()
        video = self.top.video("One & two", media.mp4("v", 300))
        provider = self.provider()
        root = {"endpoint": self.site.base + "/"}
        for login in self.ways(provider).values():
            def recognised(path):
                answer = provider.ask("recognise", {"address": self.site.base + path}, credentials=login)
                return {key: value for key, value in answer.items() if key != "credentials"}

            for path in SESSIONS:
                for id in (video.id, video.id.upper()):
                    self.assertEqual(recognised(path.format(id))["video"], {
                        "id": video.id, "title": "One & two", "parameters": root}, path)
            for path in FOLDERS:
                self.assertEqual(recognised(path.format(self.top.id))["course"], {
                    "title": self.top.name, "parameters": {**root, "folder": self.top.id}}, path)
            for path in OTHERS:
                self.assertEqual(recognised(path.format(video.id)), {}, path)
            self.refused(lambda: recognised(f"/Panopto/Pages/Viewer.aspx?id={guid()}"), "not_found")
        self.assertEqual(provider.resolve(where, video.id, credentials=login)["title"], "One & two")
        for path in (f"/Panopto/Pages/Viewer.aspx?id={video.id}", f"/Panopto/Pages/Sessions/List.aspx#folderID={self.top.id}"):
            self.refused(lambda: provider.ask("recognise", {"address": self.site.base + path}), "auth_required")

    def test_a_file_of_the_site_itself(self):
        where = self.start()
        self.site.podcast_streams = self.site.redirects = False
        video = self.top.video("V", media.mp4("v", 3000), [Stream("OBJECT", media.mp4("slides", 300))])
        provider = self.provider()
        login = self.tokens(provider)
        got = provider.resolve(where, video.id, credentials=login)
        self.assertEqual((got["role"], download(got)), ("combined", media.mp4("v", 3000)))
        self.assertEqual([t["origins"] for t in got["tokens"]], [[self.site.base]])
        login = got["credentials"]
        refusal = {"reason": "rejected", "status": 403, "bytes": 0, "server": self.site.base}
        # The cookie has ended: another one helps. It hasn't: nothing does.
        self.site.expire("cookie")
        again = provider.resolve(where, video.id, credentials=login, previous=refusal)
        self.assertEqual(download(again), media.mp4("v", 3000))
        asked = self.count("legacyLogin")
        self.refused(lambda: provider.resolve(where, video.id, credentials=again["credentials"], previous=refusal), "forbidden")
        self.assertEqual(self.count("legacyLogin"), asked)
        other = {**refusal, "server": self.site.cdn}
        self.assertIn("url", provider.resolve(where, video.id, credentials=again["credentials"], previous=other))
        video.downloadable = False
        self.assertEqual(provider.resolve(where, video.id, credentials=again["credentials"])["role"], "presentation")

    def test_trouble_in_the_way_of_a_browser(self):
        where = self.start()
        video = self.top.video("V", media.mp4("v", 300))
        proxy = platforms.Proxy(self)
        proxy.target, self.site.base = self.site.base.split("/")[2], proxy.url
        where = {**where, "endpoint": proxy.url}
        provider = self.provider()
        login = self.browser(provider)
        asks = {"list": lambda: provider.list(where, credentials=login),
                "resolve": lambda: provider.resolve(where, video.id, credentials=login),
                "courses": lambda: self.courses(provider, login)}
        self.assertEqual(asks["list"]()["ids"], [video.id])
        for trouble, (answer, kind, after) in platforms.TROUBLES.items():
            for method, ask in asks.items():
                with self.subTest(f"{trouble}: {method}"):
                    proxy.trouble = answer
                    error = self.refused(ask, kind)
                    self.assertIn(proxy.url[7:], error.message)
                    self.assertEqual(error.data.get("retry_after"), after)

    def test_a_sync_with_views_captions_and_addresses_that_end(self):
        where = self.start()
        self.site.signed = True
        big, face = media.mp4("big", 2_000_000), media.mp4("face", 1_500_000)
        one = self.top.video("One", big, [Stream("DV", face)], started=1790000000, captions={4: [(0, 1, "Hallo")]})
        parts = stream()
        two = self.top.video("Two", Stream(segments=parts), started=1790000001, duration=24)
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "panopto", "parameters": where, "discover": True, "streams": "all",
                      "subtitles": "all"}])
        id, secret = self.site.client()
        self.log_in(scene, {"client_id": id, "client_secret": secret, "username": "anna", "password": CANARY})
        # A connection breaks off, an address ends, and the recording is encoded again, in the middle of each.
        self.site.break_after = {one.podcast.path(): 900_000}
        self.site.expire_after = {one.streams[0].path(): 700_000, "00002.ts": 100}
        self.site.expire()
        run = scene.sync(exit=0)
        files = {p.split("/")[-1]: c for p, c in scene.files().items()}
        self.assertTrue((files["01 One.mp4"], files["01 One (presenter).mp4"]) == (big, face), run)
        self.assertIn(b"Hallo", files["01 One.de-DE.srt"], list(files))
        self.assertIn("02 Two.mp4", list(files), run)
        self.assertTrue([a for a in self.site.requests if a.range and a.path == one.podcast.path()], "it goes on where it was")
        self.assertEqual({a.credentials for a in self.site.requests if a.origin == "cdn"}, {()})
        self.assertEqual([a.status for a in self.site.requests if "legacy" in a.path].count(200), 1)
        before = len(self.site.requests)
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])
        self.assertLessEqual(len(self.site.requests) - before, 4)
        two.gone = True
        self.top.videos.remove(two)
        self.top.video("Three", media.mp4("three", 3000), started=1790000002)
        third = scene.sync(exit=0)
        self.assertEqual(len(third.of("download_gone")), 1, third)
        self.assertEqual(third.of("course_listed")[0]["added"], 1, third)

    def test_a_sync_with_a_browsers_session_and_one_of_the_sites_own_files(self):
        where = self.start()
        self.top.video("One", media.mp4("one", 30_000), started=1790000000)
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "panopto", "parameters": where, "discover": True}])
        run = scene.sync()
        self.assertEqual(run.exit, 77, run)
        line = scene.folder / "cookies"
        line.write_text("Cookie: " + self.site.cookie("anna"))
        line.chmod(0o600)
        run = scene.command("login", "--provider", "panopto", "--cookies", line, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        run = scene.sync(exit=0)
        self.assertEqual(list(scene.files().values()), [media.mp4("one", 30_000)], run)
        self.assertEqual({a.credentials for a in self.site.requests if a.origin == "cdn"}, {()})
        self.site.expire("cookie")
        run = scene.sync()
        self.assertEqual((run.exit, run.of("download_gone")), (77, []), run)
        # The site's own file, whose cookie ends in its middle.
        self.site.podcast_streams = self.site.redirects = False
        big = media.mp4("big", 2_000_000)
        video = self.top.video("Two", big, started=1790000001)
        id, secret = self.site.client()
        self.log_in(scene, {"client_id": id, "client_secret": secret, "username": "anna", "password": CANARY})
        self.site.expire_after = {f"{video.id}.mp4": 700_000}
        run = scene.sync(exit=0)
        self.assertTrue([c for p, c in scene.files().items() if p.endswith("02 Two.mp4")] == [big], run)
        asked = [a for a in self.site.requests if a.range and a.path.endswith(f"{video.id}.mp4")]
        self.assertTrue(asked, "it goes on where it was")

    def log_in(self, scene, secrets):
        file = scene.folder / "secrets.json"
        file.write_text(json.dumps(secrets))
        file.chmod(0o600)
        run = scene.command("login", "--provider", "panopto", "--secrets-from", file, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)


class Stays(urllib.request.HTTPRedirectHandler):
    """Returns a redirect as it is."""

    def redirect_request(self, *_):
        return None

    def http_error_302(self, request, file, *_):
        return file


def stream():
    """The segments of a film of 24 s, 6 s each."""
    def make(path):
        path.mkdir()
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=5", "-f", "lavfi", "-i", "sine",
                        "-t", "24", "-c:v", "libx264", "-g", "30", "-c:a", "aac", "-f", "hls", "-hls_time", "6",
                        "-hls_playlist_type", "vod", path / "film.m3u8"], check=True)

    folder = samples.once(("panopto", "film"), make)
    return [p.read_bytes() for p in sorted(folder.glob("*.ts"))]
