"""The provider `openedx` against a stand-in that answers as Open edX's source says."""

import json

import media
import stage
from asking import CANARY, ODD, Case, altered
from folders import fetch
from openedx_host import DEFAULT_YOUTUBE, OpenEdX

KEY = "course-v1:Uni+OPT1+2026_T1"
SRT = "1\n00:00:00,000 --> 00:00:01,000\nHi\n"
LATER = "2030-01-01T00:00:00Z"


def netscape(value):
    return f"# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsessionid\t{value}\n"


class OpenEdXCase(Case):
    provider_name = "openedx"

    def where(self, users=("anna",), **more):
        self.site = OpenEdX(self)
        self.site.user("anna", CANARY)
        self.course = self.site.course(KEY, "Optics &amp; <Light>", users=users, **more)
        self.unit = self.course.chapter("Light").sequential("Waves").vertical("Unit 1")
        return {"endpoint": self.site.base, "course": KEY}

    def login(self, provider, **more):
        return provider.login({"endpoint": self.site.base, **more}, {"username": "anna", "password": CANARY})

    def courses(self, provider, login):
        return provider.ask("courses", {"parameters": {"endpoint": self.site.base}, "cursor": None}, credentials=login)["courses"]

    def asked(self, end, method="GET"):
        return [a for a in self.site.requests if a.path.endswith(end) and a.method == method]

    def test_a_course_in_the_order_in_which_it_is_read(self):
        where = self.where()
        videos = [self.unit.video(name, {"desktop_mp4": media.mp4(name, 3000)}, duration=12.5) for name in ODD]
        last = self.course.chapter("Matter")
        library = last.sequential("Atoms").vertical("A unit").add("library_content", "")
        nameless = library.video("", {"mobile_low": media.mp4("n", 300)})
        self.unit.add("problem", "Question")
        page = self.unit.html("Page", """<a href="/static/film one.mp4">a film</a> <a href="/static/notes.pdf">notes</a>
            <video><source src="https://files.example.org/a/more.webm?sig=c4n4ry"></video>
            <iframe src="https://www.youtube.com/embed/abcdefghijk"></iframe>
            <a href="https://www.youtube.com/embed/abcdefghijk">again</a>""")
        film = media.mp4("film", 2000)
        self.course.asset("film one.mp4", film)
        self.course.chapter("Nothing to see").sequential("Test")
        hidden = last.sequential("Hidden", hidden=True).vertical("h").video("h", {"mobile_low": b"h" * 300})
        future = last.sequential("Next year", start=LATER).vertical("f").video("f", {"mobile_low": b"f" * 300})
        paid = last.sequential("Paid", denied=("Feature-based Enrollments", "Upgrade &amp; see"))
        paid.vertical("p").video("p", {"mobile_low": b"p"})
        provider = self.provider()
        login = self.login(provider)
        listing = provider.list(where, credentials=login)
        self.assertEqual(listing["title"], "Optics &amp; <Light>")
        self.assertEqual([(c["title"], [v.get("title") for v in c["videos"]]) for c in listing["chapters"]], [
            ("Light / Waves", ODD), ("Matter / Atoms", ["A unit"])])
        self.assertEqual(listing["ids"], [v.id for v in videos] + [nameless.id])
        for video, name in zip(listing["all"], ODD, strict=False):
            got = provider.resolve(where, video, credentials=login)
            self.assertEqual((fetch(got), got["title"]), (media.mp4(name, 3000), name))
            self.assertEqual((got["duration"], video["size"]), (12.5, 3000))
            self.assertEqual(video["resolved"], got)
        before = len(self.site.requests)
        self.assertTrue(provider.page(where, known=listing["known"], credentials=login)["unchanged"])
        self.assertEqual(len(self.site.requests), before + 1)
        for block in (hidden, future):
            self.refused(lambda: provider.resolve(where, block.id, credentials=login), "not_ready")
        # The text of pages is there where the site says so.
        self.site.html_student_view_data = True
        light = provider.list(where, credentials=login)["chapters"][0]["videos"][len(ODD):]
        self.assertEqual([v["title"] for v in light], ["film one", "more", "Page"])
        more = light.pop(1)
        self.assertTrue(more["id"].startswith(page.id + "#files.example.org/a/more.webm?"), more["id"])
        self.assertNotIn(CANARY, more["id"])
        self.assertEqual(more["resolved"]["url"], "https://files.example.org/a/more.webm?sig=c4n4ry")
        self.assertEqual(light[1]["parameters"], {"endpoint": "https://www.youtube.com/embed/abcdefghijk"})
        self.assertEqual(light[1]["provider"], "yt-dlp")
        self.assertEqual(fetch(provider.resolve(where, light[0], credentials=login)), film)
        self.refused(lambda: provider.resolve(where, light[1]["id"], credentials=login), "not_found")
        page.html_data = ""
        self.refused(lambda: provider.resolve(where, light[0], credentials=login), "not_found")
        # What is below a section that is missing isn't there either, and a circle ends.
        self.course.children.append(self.unit.parent)
        self.unit.children.append(self.unit.parent.parent)
        self.refused(lambda: provider.list({**where, "course": "course-v1:Uni+No+1"}, credentials=login), "forbidden")

    def test_the_forms_of_a_video(self):
        where = self.where()
        files = {"mobile_low": media.mp4("l", 300), "desktop_mp4": media.mp4("d", 3000), "mobile_high": media.mp4("m", 900)}
        playlist = {"m.m3u8": media.playlist(["a.ts"]), "a.ts": media.ts("a")}
        full = self.unit.video("Full", {**files, "hls": playlist, "desktop_webm": b"w" * 99}, duration=10,
                               transcripts={"en": SRT, "zh_HANS": SRT + " "})
        phones = self.unit.video("Phones", {"mobile_low": files["mobile_low"], "hls": playlist})
        stream = self.unit.video("Stream", {"hls": playlist})
        webm = self.unit.video("Webm", {"desktop_webm": media.webm("w", 500)})
        typed = self.unit.video("Typed", sources=[media.mp4("t", 700), "https://old.example.org/t.ogv"], youtube="abcdefghijk")
        relative = self.unit.video("Relative", sources=[self.course.asset("r.mp4", media.mp4("r", 600))], data={
            "encoded_videos": {}, "all_sources": ["", None, 7, self.course.asset("r.mp4", media.mp4("r", 600))]})
        tube = self.unit.video("Tube", youtube="abcdefghijk")
        vimeo = self.unit.video("Vimeo", sources=["https://vimeo.com/12345"])
        provider = self.provider()
        login = self.login(provider)
        for quality, size in (("best", 3000), ("720p", 3000), ("700p", 900), ("540p", 900), ("360p", 300), ("worst", 300),
                              ("audio", 300), ("1k", 900), ("9k", 3000)):
            got = provider.resolve(where, full.id, quality=[quality], credentials=login)
            self.assertEqual((len(fetch(got)), got["size"]), (size, size), quality)
        self.assertEqual({s["lang"]: fetch(s).decode() for s in got["subtitles"]}, {"en": SRT, "zh-HANS": SRT + " "})
        for quality, kind in (("best", "hls"), ("720p", "hls"), ("360p", "file"), ("worst", "file")):
            got = provider.resolve(where, phones.id, quality=[quality], credentials=login)
            self.assertEqual(got["kind"], kind, quality)
        listed = {v["title"]: v for v in provider.list(where, credentials=login)["all"]}
        self.assertNotIn("size", listed["Full"])
        resolved = {t: v["resolved"] for t, v in listed.items() if "resolved" in v}
        self.assertEqual((resolved["Stream"]["kind"], "size" in resolved["Stream"], fetch(resolved["Stream"])), (
            "hls", False, media.playlist(["a.ts"])))
        self.assertEqual([len(fetch(resolved[t])) for t in ("Webm", "Typed", "Relative")], [500, 700, 600])
        self.assertEqual({t: v["parameters"]["endpoint"] for t, v in listed.items() if v.get("provider") == "yt-dlp"}, {
            "Tube": "https://www.youtube.com/watch?v=abcdefghijk", "Vimeo": "https://vimeo.com/12345"})
        self.assertFalse({stream.id, webm.id, typed.id, relative.id, tube.id, vimeo.id} - {v["id"] for v in listed.values()})

    def test_odd_data(self):
        where = self.where()
        odd = {"null": {"encoded_videos": None, "all_sources": None, "transcripts": None}, "list": {"encoded_videos": []},
               "text": {"encoded_videos": "x", "duration": "x"}, "empty": {"encoded_videos": {"mobile_low": {"url": ""}}},
               "no url": {"encoded_videos": {"mobile_low": {"url": None, "file_size": 1}, "hls": None}}}
        for title, data in odd.items():
            self.unit.video(title, data=data)
        self.unit.video("demonstration", youtube=DEFAULT_YOUTUBE)
        self.unit.video("unknown size", {"mobile_low": b"x" * 99}, sizes={"mobile_low": 0})
        for size in (1e300, -5, "12", 1.5):
            self.unit.video(f"size {size}", {"mobile_low": b"x" * 12}, sizes={"mobile_low": size}, duration=-1)
        web = self.unit.video("browser", {"mobile_low": b"x" * 99}, only_on_web=True)
        denied = self.unit.video("denied", {"mobile_low": b"x" * 99}, denied=("Gated", "<b>Pass</b> the test"))
        self.unit.video("long " * 300, {"mobile_low": b"x" * 99})
        provider = self.provider()
        login = self.login(provider)
        listed = {v["title"]: v for v in provider.list(where, credentials=login)["all"]}
        for title in (*odd, "demonstration"):
            self.assertNotIn("resolved", listed[title])
            self.refused(lambda: provider.resolve(where, listed[title], credentials=login), "not_ready")
        for title in ("unknown size", "size 1e+300", "size -5", "size 12", "size 1.5"):
            self.assertEqual(listed[title]["resolved"].get("size"), 12 if title == "size 12" else None, title)
        self.assertLessEqual(max(len(t) for t in listed), 1024)
        for block, text in ((web, "pages only"), (denied, "Pass the test")):
            self.assertIn(text, self.refused(lambda: provider.resolve(where, block.id, credentials=login), "forbidden").message)

    def test_odd_entries_are_no_end_of_a_course(self):
        where = self.where()
        blocks = [self.unit.video(f"Film {number}", {"mobile_low": b"x" * 99}) for number in range(3)]
        provider = self.provider()
        login = self.login(provider)
        empty = self.unit.parent.vertical("Empty")
        film, unit, section = blocks[1].id, self.unit.id, self.unit.parent.id
        for change in (
                lambda all: {name: block for name, block in all.items() if name != film}, lambda all: {**all, film: None},
                lambda all: {**all, film: {**all[film], "type": None}}, lambda all: {**all, unit: {**all[unit], "children": "x"}},
                lambda all: {**all, unit: {**all[unit], "children": None}},
                lambda all: {**all, unit: {**all[unit], "children": [film, None]}},
                lambda all: {**all, unit: {**all[unit], "children": [film]}},
                lambda all: {**all, unit: {k: v for k, v in all[unit].items() if k != "children"}},
                lambda all: {**all, section: {**all[section], "display_name": None}}):
            stop = altered(self.site, lambda request, value: {**value, "blocks": change(value["blocks"])}
                           if isinstance(value, dict) and "blocks" in value else value)
            self.refused(lambda: provider.list(where, credentials=login), "unavailable")
            stop()
        self.assertEqual(len(provider.list(where, credentials=login)["ids"]), 3)
        self.refused(lambda: provider.resolve(where, empty.id, credentials=login), "not_found")
        stop = altered(self.site, lambda request, value: [*value, {"course_details": {}}] if isinstance(value, list) else value)
        self.refused(lambda: self.courses(provider, login), "unavailable")
        stop()

    def test_links_with_the_same_last_name(self):
        where = self.where()
        self.site.html_student_view_data = True
        cdn = "https://cdn.example.org"
        places = ["/media/a/talk.mp4", "/media/b/talk.mp4", f"{cdn}/a/talk.mp4", f"{cdn}/talk.mp4", f"{cdn}/get.mp4?id=1",
                  f"{cdn}/get.mp4?id=2"]
        self.unit.html("Page", "".join(f'<a href="{place}">x</a>' for place in places + places))
        provider = self.provider()
        login = self.login(provider)
        videos = provider.list(where, credentials=login)["all"]
        addresses = [self.site.base + place if place[0] == "/" else place for place in places]
        self.assertEqual(([v["resolved"]["url"] for v in videos], len({v["id"] for v in videos})), (addresses, 6))
        for video, address in zip(videos, addresses, strict=True):
            self.assertEqual(provider.resolve(where, video, credentials=login)["url"], address)

    def test_a_night_with_an_address_on_another_host_alone(self):
        where = self.where()
        video = self.unit.video("Film", {"desktop_mp4": media.mp4("film", 3000)})
        provider = self.provider()
        login = self.login(provider)
        listed = provider.list(where, credentials=login)
        video.data = {"encoded_videos": {"youtube": {"url": "https://www.youtube.com/watch?v=abcdefghijk", "file_size": 0}}}
        handed = provider.list(where, credentials=login)
        self.assertEqual((handed["ids"], handed["all"][0]["provider"]), (listed["ids"], "yt-dlp"))

    def test_what_is_not_there_or_not_yet_or_not_for_this_user(self):
        where = self.where()
        video = self.unit.video("V", {"mobile_low": b"x" * 99})
        self.site.course("course-v1:Uni+B+1", "Not mine")
        self.site.course("course-v1:Uni+C+1", "Later", users=["anna"], start=LATER)
        self.site.course("course-v1:Uni+D+1", "Hidden", users=["anna"], hidden=True)
        empty = self.site.course("course-v1:Uni+E+1", "Empty", users=["anna"])
        provider = self.provider()
        login = self.login(provider)

        def refused(course, kind):
            return self.refused(lambda: provider.list({**where, "course": course}, credentials=login), kind).message

        for course in ("course-v1:Uni+B+1", "course-v1:Uni+X+1", "Uni/X/1"):
            self.assertIn("cannot be accessed", refused(course, "forbidden"))
        self.assertIn("before 2030-01-01", refused("course-v1:Uni+C+1", "not_ready"))
        refused("course-v1:Uni+D+1", "forbidden")
        for course in ("", "OPT1", "course-v1:Uni+OPT1", "course-v1:Uni OPT1 1", "../x/y", KEY + "&all_blocks=true", "a/b/c/d"):
            refused(course, "invalid_parameters")
        self.assertEqual(provider.list({**where, "course": empty.key}, credentials=login)["ids"], [])
        empty.chapter("Paid", denied=("Audit Expired", "Your access has ended"))
        self.assertIn("access has ended", refused(empty.key, "forbidden"))
        video.remove()
        self.refused(lambda: provider.resolve(where, video.id, credentials=login), "not_found")
        self.refused(lambda: provider.resolve(where, self.unit.id, credentials=login), "not_found")
        for odd in ("", "x", "..", "block-v1:x", "../../user/v1/me", video.id + "/..", video.id + "?x", "i4x://a/b/video/c d"):
            self.refused(lambda: provider.resolve(where, odd, credentials=login), "not_found" if "i4x" not in odd else None)
        self.course.leave("anna")
        self.refused(lambda: provider.resolve(where, self.unit.id, credentials=login), "forbidden")
        # To somebody who isn't logged in the site says 403, too.
        for ask in (lambda: provider.list(where), lambda: provider.resolve(where, self.unit.id),
                    lambda: self.courses(provider, None)):
            self.assertEqual(self.refused(ask, "auth_required").data["server"], self.site.base)

    def test_courses_that_are_open_to_all_and_courses_before_2015(self):
        where = self.where(public=True)
        open_to_all = self.unit.video("V", {"mobile_low": b"x" * 99})
        old = self.site.course("Uni/OLD/2013", "Old", users=["anna"])
        video = old.chapter("A").sequential("B").vertical("C").video("W", {"mobile_low": media.mp4("w", 99)})
        provider = self.provider()
        self.assertEqual(provider.list(where)["ids"], [open_to_all.id])
        self.assertEqual(provider.resolve(where, open_to_all.id)["size"], 99)
        login = self.login(provider)
        where["course"] = old.key
        self.assertEqual(provider.list(where, credentials=login)["ids"], [video.id])
        self.assertEqual(fetch(provider.resolve(where, video.id, credentials=login)), media.mp4("w", 99))
        self.refused(lambda: provider.resolve(where, video.id + "x", credentials=login), "not_found")
        self.refused(lambda: provider.resolve({"endpoint": self.site.base}, video.id, credentials=login), "not_found")

    def test_logins_and_one_refresh_for_several_requests(self):
        where = self.where()
        videos = [self.unit.video(f"V{n}", {"mobile_low": media.mp4(n, 99)}) for n in range(6)]
        provider = self.provider()
        here = {"endpoint": self.site.base}
        for name, password in (("anna", "wrong"), ("nobody", "x"), ("anna", ""), ("", CANARY)):
            self.refused(lambda: provider.login(here, {"username": name, "password": password}), "auth_required")
        self.assertIn("--set client", self.refused(lambda: self.login(provider, client="other"), "auth_required").message)
        self.site.password_login = False
        self.assertIn("session", self.refused(lambda: self.login(provider), "auth_required").message)
        self.site.password_login = True
        self.refused(lambda: provider.login({}, {"username": "anna", "password": CANARY}), "invalid_parameters")
        for change in ({}, {"says_expired": True}, {"jwt_disabled": True}):
            vars(self.site).update(change)
            login = provider.login(here, {"username": "anna@example.org", "password": CANARY})
            self.assertNotIn(CANARY, json.dumps(login))
            self.assertEqual(len(provider.list(where, credentials=login)["ids"]), 6)
            self.assertEqual(self.site.requests[-1].login, "Bearer" if self.site.jwt_disabled else "JWT")
            self.site.expire("anna") if change != {} else self.site.forget("anna")
            before = len(self.asked("/oauth2/access_token/", "POST"))
            answers = self.together(provider, where, videos, login)
            self.assertEqual([a["result"]["title"] for a in answers], [f"V{n}" for n in range(6)])
            self.assertEqual(len(self.asked("/oauth2/access_token/", "POST")), before + 1)
            fresh = answers[0]["result"]["credentials"]
            self.assertEqual(fresh["hosts"][self.site.base]["user"], "anna")
            self.assertEqual(provider.resolve(where, videos[0].id, credentials=fresh)["title"], "V0")
        # What the site refuses after it was renewed, it refuses; and a refresh token that is gone is no reason to go on asking.
        self.site.expire("anna", refresh=True)
        before = len(self.site.requests)
        error = self.refused(lambda: provider.list(where, credentials=fresh), "auth_required")
        self.assertEqual((error.data["server"], len(self.site.requests) - before), (self.site.base, 2))

    def together(self, provider, where, videos, login):
        """The answers to several requests at once, in the order of the requests."""
        for video in videos:
            provider.send("resolve", {
                "video": {"id": video.id, "title": "V", "parameters": where}, "course": {"id": "c", "title": "C"},
                "chapter": None, "quality": ["best"], "previous": None}, credentials=login)
        answers = []
        while len(answers) < len(videos):
            answer = json.loads(provider.process.stdout.readline())
            answers += [answer] if "id" in answer else []
        return sorted(answers, key=lambda a: a["id"])

    def test_a_session_of_a_browser(self):
        where = self.where()
        video = self.unit.video("V", {"mobile_low": media.mp4("v", 99)}, transcripts={"en": SRT})
        page = self.unit.html("Page", '<a href="/static/film.mp4">a film</a>')
        film = media.mp4("film", 2000)
        self.course.asset("film.mp4", film, locked=True)
        self.site.html_student_view_data = True
        provider = self.provider()
        self.refused(lambda: provider.login({"endpoint": self.site.base}, {"session": netscape("x" * 32)}), "auth_required")
        value = self.site.log_in("anna")
        other = {"https://other.example.org": {"access_token": "abcdefgh"}}
        login = provider.login({"endpoint": self.site.base}, {"session": netscape(value)}, credentials={
            "hosts": {**other, self.site.base: {"access_token": "old", "refresh_token": "old"}}})
        self.assertEqual(login["hosts"], {**other, self.site.base: {"session": netscape(value), "user": "anna"}})
        listing = provider.list(where, credentials=login)
        self.assertEqual(listing["ids"], [video.id, f"{page.id}#asset-v1:Uni+OPT1+2026_T1+type@asset+block@film.mp4"])
        self.assertEqual(["resolved" in v for v in listing["all"]], [True, False])
        got = provider.resolve(where, video.id, credentials=login)
        self.assertEqual((fetch(got), "tokens" in got), (media.mp4("v", 99), False))
        got = provider.resolve(where, listing["all"][1], credentials=login)
        token, = got["tokens"]
        self.assertEqual((token["name"], token["url_prefix"], token["value"]), (
            "Cookie", self.site.base + "/", f"sessionid={value}"))
        self.assertEqual(len(self.courses(provider, login)), 1)
        both = provider.login({"endpoint": self.site.base}, {
            "username": "anna", "password": CANARY, "session": netscape(value)})
        self.assertEqual(provider.resolve(where, listing["all"][1], credentials=both)["tokens"], [token])
        self.assertEqual(self.site.requests[-1].login, "JWT")
        self.site.sessions.clear()
        # Also where anybody may see the course: the rest of it isn't gone.
        for public in (False, True):
            self.course.public = public
            for ask in (lambda: provider.list(where, credentials=login), lambda: self.courses(provider, login),
                        lambda: provider.resolve(where, video.id, credentials=login)):
                self.assertEqual(self.refused(ask, "auth_required").data["server"], self.site.base)

    def test_your_courses(self):
        self.where()
        for number in range(30):
            self.site.course(f"course-v1:Uni+C{number}+1", f"Course {number}", users=["anna"], mobile=number % 2 == 0,
                             start=LATER, end="2031-01-01T00:00:00Z")
        self.site.course("course-v1:Uni+Other+1", "Not mine")
        # An app that the site has switched off, and courses that it doesn't show.
        self.site.mobile_api = False
        provider = self.provider()
        login = self.login(provider)
        courses = self.courses(provider, login)
        self.assertEqual([c["title"] for c in courses], ["Optics &amp; <Light>"] + [f"Course {n}" for n in range(30)])
        self.assertEqual(courses[1], {
            "id": "course-v1:Uni+C0+1", "title": "Course 0", "parameters": {"course": "course-v1:Uni+C0+1"},
            "begins": LATER, "ends": "2031-01-01T00:00:00Z"})

    def test_addresses(self):
        self.where()
        video = self.unit.video("V", {"mobile_low": b"x" * 99})
        old = self.site.course("Uni/OLD/2013", "Old")
        provider = self.provider()
        login = self.login(provider)

        def recognised(address, **more):
            return provider.ask("recognise", {"address": address}, **more)

        course = {"endpoint": self.site.base + "/", "course": KEY}
        found = video.addresses()
        for place in ("jump_to", "xblock", "public", "embed"):
            for address in (found[place], found[place].replace("@", "%40").replace("+", "%2B")):
                self.assertEqual(recognised(address, credentials=login)["video"], {
                    "id": video.id, "title": "V", "parameters": course})
                self.assertEqual(self.refused(lambda: recognised(address), "auth_required").data["server"], self.site.base)
        self.course.public = True
        self.assertEqual(recognised(found["jump_to"])["video"]["title"], "V")
        self.course.public = False
        self.assertEqual(provider.resolve(course, video.id, credentials=login)["size"], 99)
        about = f"{self.site.base}/courses/{KEY}"
        for address in (found["learning"], found["jump_to_id"], found["courseware"], about, about + "/about?x#y",
                        about.replace("+", "%2B"), f"{self.site.mfe}/course/{KEY}/home",
                        f"{about}/xblock/{self.unit.id}/handler/xmodule_handler/x"):
            self.assertEqual(recognised(address), {"course": {"title": "Optics &amp; <Light>", "parameters": course}}, address)
        port = self.site.base.rpartition(":")[2]
        for address in (f"learning.localhost:{port}/course/{KEY}/home", f"apps.localhost:{port}/learning/course/{KEY}"):
            self.assertEqual(recognised("http://" + address)["course"]["parameters"], {
                "endpoint": f"http://localhost:{port}/", "course": KEY})
        self.assertEqual(recognised(f"{self.site.base}/courses/{old.key}/info")["course"]["parameters"]["course"], old.key)
        before = len(self.site.requests)
        for path in ("/courses/1/modules/items/5", "/courses/42", "/", "/courses/a/b/c/d", "/courses/../x/y/info", "/dashboard"):
            self.assertEqual(recognised(self.site.base + path), {}, path)
        self.assertEqual(len(self.site.requests), before)
        self.site.html = True
        self.assertEqual(recognised(about), {})

    def test_a_sync_whose_media_break_off_and_whose_login_ends(self):
        where = self.where()
        big = media.mp4("big", 2_000_000)
        self.unit.video("Big", {"desktop_mp4": big}, transcripts={"en": SRT})
        parts = {f"s{n}.ts": media.ts(n, 4 * n) for n in range(4)}
        self.unit.video("Stream", {"hls": {"m.m3u8": media.playlist(list(parts)), **parts}})
        refused = self.unit.video("Refused", {"desktop_mp4": media.mp4("refused", 3000)}, name="refused")
        self.site.refuse("refused-used_desktop_mp4.mp4")
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "openedx", "parameters": where, "discover": True, "subtitles": "all"}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"username": "anna", "password": CANARY}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "openedx", "--secrets-from", secrets, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        self.site.expire("anna")
        self.site.break_after = {"_desktop_mp4.mp4": 700_000}
        run = scene.sync()
        files = scene.files()
        self.assertEqual([c for p, c in files.items() if p.endswith("Big.mp4")], [big], run)
        self.assertEqual([c for p, c in files.items() if p.endswith("Big.en.srt")], [SRT.encode()], (list(files), run))
        self.assertTrue([p for p in files if "Stream" in p], run)
        self.assertTrue([a for a in self.site.requests if a.origin == "cdn" and a.range], "it goes on where it was")
        self.assertEqual([e["video"] for e in run.of("download_failed")], [refused.id], run)
        # The login goes to the site's API only.
        self.assertEqual({a.login for a in self.site.requests if a.origin == "cdn"}, {""})
        self.assertEqual({a.login for a in self.site.requests if a.path.endswith("/transcript/download")}, {""})
        # The token was renewed once, and the new one was kept.
        self.assertEqual(len(self.asked("/oauth2/access_token/", "POST")), 2)
        refused.remove()
        before = len(self.site.requests)
        second = scene.sync(exit=0)
        self.assertEqual((second.of("download_started"), len(self.site.requests) - before), ([], 1), second)
        # What ends in the middle of a file costs another request for the address.
        self.unit.video("More", {"desktop_mp4": media.mp4("more", 2_000_000)}, name="more")
        self.site.expire_after = {"more-more_desktop_mp4.mp4": 700_000}
        run = scene.sync()
        self.assertIn("403", json.dumps(run.of("download_failed")), run)
        self.assertTrue([a for a in self.site.requests if "/v2/blocks/block-v1" in a.path and a.status == 200], "it asks anew")
        self.site.refused.clear()
        scene.command("retry", "--failed", "--now")
        scene.sync(exit=0)
        self.assertIn(media.mp4("more", 2_000_000), scene.files().values())
        self.site.expire("anna", refresh=True)
        run = scene.sync(exit=77)
        self.assertIn("refuses this login", run.err)

    def test_a_video_whose_files_are_missing_for_a_night_is_not_gone(self):
        where = self.where()
        films = [self.unit.video(f"Film {n}", {"desktop_mp4": media.mp4(n, 3000)}) for n in range(12)]
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "openedx", "parameters": where, "discover": True}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"username": "anna", "password": CANARY}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "openedx", "--secrets-from", secrets, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        scene.sync(exit=0)
        before, data = scene.files(), films[3].data
        films[3].data = {"encoded_videos": {"youtube": {"url": "https://www.youtube.com/watch?v=abcdefghijk", "file_size": 0}}}
        odd = scene.sync("--prune", exit=0)
        self.assertEqual((odd.of("download_gone"), odd.of("download_started"), scene.files()), ([], [], before), odd)
        films[3].data = data
        good = scene.sync("--prune", exit=0)
        self.assertEqual((good.of("download_started"), scene.files()), ([], before), good)

    def test_a_sync_with_the_session_of_a_browser(self):
        where = self.where()
        film, plain = media.mp4("film", 200_000), media.mp4("plain", 3000)
        self.unit.video("Plain", {"desktop_mp4": plain})
        self.unit.html("Page", '<a href="/static/film.mp4">a film</a>')
        self.course.asset("film.mp4", film, locked=True)
        self.site.html_student_view_data = True
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "openedx", "parameters": where, "discover": True}])
        cookies = scene.folder / "cookies.txt"
        cookies.write_text(netscape(self.site.log_in("anna")))
        cookies.chmod(0o600)
        run = scene.command("login", "--provider", "openedx", "--cookies", cookies, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        scene.sync(exit=0)
        self.assertEqual(sorted(map(len, scene.files().values())), [3000, 200_000])
        self.assertEqual({a.login for a in self.site.requests if a.origin == "cdn"}, {""})
        self.site.sessions.clear()
        scene.sync(exit=77)
        self.assertEqual(len(scene.files()), 2)
