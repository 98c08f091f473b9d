"""The provider `canvas` against a stand-in that answers as Canvas's source says."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request

import media
import stage
from asking import CANARY, ODD, Case, altered
from canvas_host import Canvas, comment_link, file_iframe, file_link, gone, iframe
from folders import fetch

NOW = 1795215600  # what the cases' requests say: 2026-11-20T23:00:00Z


class CanvasCase(Case):
    provider_name = "canvas"

    def canvas(self, **course):
        self.site = Canvas(self)
        self.token = self.site.user("anna")
        self.course = self.site.course("Optics &amp; <Light>", ["anna"], **course)
        self.login = self.credentials(self.token)
        return {"endpoint": self.site.base, "course": self.course.id}

    def credentials(self, token, **more):
        return {"hosts": {self.site.base: {"access_token": token, **more}}}

    def asked(self, since=0):
        return [a.path.removeprefix("/api/v1") for a in self.site.requests[since:]]

    def change(self, end, change):
        """Lets `change` alter the answers at paths that end so; returns what ends that."""
        return altered(self.site, lambda request, value: change(value) if request.path.split("?")[0].endswith(end) else value)

    def shown(self, listing):
        return [(c["title"], [v["id"] for v in c["videos"]]) for c in listing["chapters"]]


class Listings(CanvasCase):
    def test_modules_files_pages_and_links(self):
        where = self.canvas()
        course, odd = self.course, [name for name in ODD if "/" not in name]
        lectures = [course.file(f"{name}.mp4", media.mp4(name, 3000), created=1790000000) for name in odd]
        nameless = course.file("Dr. Smith's talk, part 1.2", media.mp4("n", 3000), kind="video/mp4")
        slides = course.file("slides.pdf", b"%PDF")
        talk = course.record("Talk", (media.mp4("t", 900), {"height": "360"}))
        uploaded = course.record("lecture.mp4", media.mp4("u", 900))
        upload = course.file("lecture.mp4", media.mp4("up", 3000), media=uploaded)
        plain = course.file("plain.mp3", b"ID3" + bytes(3000))
        page = course.page("Week 2", comment_link(talk) + iframe(uploaded) + file_link(slides) + file_link(plain)
                           + file_iframe(upload)
                           + '<iframe src="https://www.youtube.com/embed/abcdefghijk?feature=oembed"></iframe>'
                           + '<a href="https://www.example.org/">elsewhere</a><p>&amp; <video src="x.mp4">')
        first, second, third = course.module("1 &amp; <one>"), course.module("2"), course.module("empty")
        for file in [*lectures, nameless, slides]:
            first.file(file)
        first.header("Part").more["indent"] = 1
        second.page(page)
        second.link("A film", "https://player.vimeo.com/video/123456789")
        second.link("A text", "https://www.example.org/text")
        second.link("Again", f"{self.site.base}/courses/{course.id}/files/{lectures[0].id}?wrap=1&verifier={CANARY}")
        second.tool("Studio", "https://studio.example.org/lti/launch?media=1")
        second.tool("A talk", "https://opencast.example.org/play/86f53436-e196-4992-b7a5-c4b8ed2d51b0")
        third.link("Nothing", "not an address")
        last = [course.file(f"unused {number}.mp4", media.mp4(number, 3000)) for number in (10, 9)]
        lone = course.record("Alone", media.mp4("a", 900))
        provider = self.provider()
        listing = provider.list(where, credentials=self.login)
        self.assertEqual(listing["title"], "Optics &amp; <Light>")
        self.assertEqual(self.shown(listing), [
            ("1 &amp; <one>", [f"file-{f.id}" for f in [*lectures, nameless]]),
            ("2", [f"media-{talk.id}", f"media-{uploaded.id}", f"file-{plain.id}",
                   "www.youtube.com/embed/abcdefghijk?feature=oembed", "player.vimeo.com/video/123456789",
                   "86f53436-e196-4992-b7a5-c4b8ed2d51b0"])])
        self.assertEqual([v["title"] for v in listing["chapters"][0]["videos"]], [*odd, nameless.name])
        self.assertEqual([(v["title"], v.get("provider")) for v in listing["chapters"][1]["videos"]], [
            ("Talk", None), ("lecture", None), ("plain", None), ("Week 2", "yt-dlp"), ("A film", "yt-dlp"),
            ("A talk", "opencast")])
        self.assertEqual([(v["id"], v["title"]) for v in listing["videos"]], [
            (f"file-{last[1].id}", "unused 9"), (f"file-{last[0].id}", "unused 10"), (f"media-{lone.id}", "Alone")])
        for video, file in zip(listing["chapters"][0]["videos"], [*lectures, nameless], strict=True):
            got = provider.resolve(where, video, credentials=self.login)
            self.assertEqual(video["resolved"], got)
            self.assertNotIn("token", got)
            self.assertEqual((fetch(got), got["size"], got["title"]), (file.content, 3000, video["title"]))
        self.assertTrue(provider.page(where, known=listing["known"], credentials=self.login)["unchanged"])
        # Without what an answer in memory has, there is no secret in a listing.
        for video in listing["all"]:
            video.pop("resolved", None)
        for file in self.site.files.values():
            self.assertNotIn(file.uuid, json.dumps(listing))
        slides_too = provider.list({**where, "files": ["*.pdf", "plain.*"]}, credentials=self.login)
        self.assertEqual(self.shown(slides_too)[0], ("1 &amp; <one>", [f"file-{slides.id}"]))

    def test_many_of_everything_cost_few_requests(self):
        where = self.canvas()
        files = [self.course.file(f"file {n}.mp4", media.mp4(n, 300)) for n in range(250)]
        big = self.course.module("big")
        for file in files[:130]:
            big.file(file)
        names = []
        for number in range(105):
            talk = self.course.record(f"Talk {number}", media.mp4(number, 300))
            names.append(f"media-{talk.id}")
            self.course.module(f"Week {number}").page(self.course.page(f"Page {number}", iframe(talk)))
        provider = self.provider()
        for opaque in (True, False):
            self.site.opaque = opaque
            self.site.empty_page = not opaque
            since = len(self.site.requests)
            listing = provider.list(where, credentials=self.login)
            self.assertEqual(len(listing["ids"]), 355)
            self.assertEqual(self.shown(listing)[:2], [("big", [f"file-{f.id}" for f in files[:130]]), ("Week 0", names[:1])])
            self.assertEqual([v["title"] for v in listing["videos"]], [f"file {n}" for n in range(130, 250)])
            self.assertLessEqual(len(self.site.requests) - since, 12 if opaque else 18, self.asked(since))

    def test_a_course_that_hides_its_files_and_pages_one_by_one(self):
        where = self.canvas(files_tab=False)
        file = self.course.file("a.mp4", media.mp4("a", 3000))
        linked = self.course.file("linked.mp4", media.mp4("l", 3000))
        notes = self.course.file("notes.pdf", b"%PDF")
        talk = self.course.record("Talk", media.mp4("t", 900))
        embedded = self.course.file("embedded.mp4", media.mp4("e", 3000), media=talk)
        self.course.file("unused.mp4", media.mp4("u", 3000))
        module = self.course.module("1")
        module.file(file, "The first")
        module.page(self.course.page("Page", file_link(linked) + file_link(notes) + file_iframe(embedded) + iframe(talk)))
        provider = self.provider()
        for status in (403, 401):
            self.site.forbidden_status = status
            listing = provider.list(where, credentials=self.login)
            self.assertEqual([(v["id"], v["title"]) for v in listing["all"]], [
                (f"file-{file.id}", "The first"), (f"file-{linked.id}", "linked"), (f"file-{embedded.id}", "Page"),
                (f"media-{talk.id}", "Page")])
            contents = (file.content, linked.content, embedded.content, talk.sources[0][0])
            for video, content in zip(listing["all"], contents, strict=True):
                self.assertEqual(fetch(provider.resolve(where, video, credentials=self.login)), content)
        # An older server, whose list has no texts.
        self.without_bodies()
        self.assertEqual(provider.list(where, credentials=self.login)["ids"], listing["ids"])

    def without_bodies(self):
        paged = self.site.listed

        def listed(request, items, show, path=None):
            return paged(request, items, lambda one: {k: v for k, v in show(one).items() if k != "body"}, path)

        self.site.listed = listed

    def test_what_is_not_open_yet(self):
        where = self.canvas()
        soon, late = NOW + 86400, NOW + 172800
        self.site.clock = NOW - time.time()
        course = self.course
        names = ("dated", "locked", "over", "module", "hidden")
        files = {name: course.file(f"{name}.mp4", media.mp4(name, 3000)) for name in names}
        files["dated"].unlock_at, files["locked"].locked, files["over"].lock_at = soon, True, NOW - 60
        files["hidden"].hidden = True
        first, closed = course.module("open"), course.module("closed", unlock_at=late)
        steps = course.module("after the others", state="locked")
        for name in ("dated", "locked", "over", "hidden"):
            first.file(files[name])
        closed.file(files["module"])
        talk = course.record("Talk", media.mp4("t", 900))
        page = course.page("Page", iframe(talk))
        steps.file(course.file("step.mp4", media.mp4("step", 3000)))
        steps.page(page)
        provider = self.provider()
        listing = provider.list(where, credentials=self.login)
        dates = {v["title"]: v.get("available_at") for v in listing["all"]}
        self.assertEqual(dates, {"dated": "2026-11-21T23:00:00Z", "locked": None, "over": None, "hidden": None, "step": None,
                                 "module": "2026-11-22T23:00:00Z", "Talk": None})
        for video in listing["all"]:
            kind = {"over": "forbidden", "hidden": None, "Talk": None}.get(video["title"], "not_ready")
            if kind:
                error = self.refused(lambda: provider.resolve(where, video, credentials=self.login), kind)
                self.assertIn("locked", error.message)
                self.assertNotIn("<", error.message)
            else:
                self.assertTrue(fetch(provider.resolve(where, video, credentials=self.login)))
        self.site.clock += 86400 * 3
        again = provider.list(where, credentials=self.login)
        self.assertFalse([v for v in again["all"] if "available_at" in v])

    def test_courses(self):
        where = self.canvas()
        self.course.nickname = "My optics"
        self.site.course("Waves", ["anna"], starts=1790000000, ends=1796000000)
        self.site.course("Old", ["anna"], state="completed")
        closed = self.site.course("Closed", ["anna"], restricted=True)
        others = self.site.course("Others'", ["bob"])
        for number in range(120):
            self.site.course(f"Course {number}", ["anna"])
        provider = self.provider()
        question = {"parameters": {"endpoint": self.site.base}, "cursor": None}
        courses = provider.ask("courses", question, credentials=self.login)["courses"]
        self.assertEqual([c.get("title") for c in courses],
                         ["My optics", "Waves", "Old", None, *[f"Course {n}" for n in range(120)]])
        self.assertEqual(courses[0]["parameters"], {"course": where["course"]})
        self.assertEqual((courses[1]["begins"], courses[1]["ends"]), ("2026-09-21T14:13:20Z", "2026-11-30T00:53:20Z"))
        self.assertEqual(provider.list(where, credentials=self.login)["title"], "My optics")
        self.refused(lambda: provider.list({**where, "course": closed.id}, credentials=self.login), "not_ready")
        self.refused(lambda: provider.list({**where, "course": others.id}, credentials=self.login), "forbidden")
        self.refused(lambda: provider.ask("courses", question), "auth_required")
        # One that the server names, and says no more of.
        closed.restricted, closed.json = False, lambda *_: {"id": closed.id, "access_restricted_by_date": True}
        self.refused(lambda: provider.list({**where, "course": closed.id}, credentials=self.login), "not_ready")

    def test_odd_entries_are_no_end_of_a_course(self):
        where = self.canvas()
        files = [self.course.file(f"{number}.mp4", media.mp4(number, 900)) for number in range(3)]
        module = self.course.module("One")
        for file in files:
            module.file(file)
        talk = self.course.record("Talk", media.mp4("t", 900))
        page = self.course.page("Page", iframe(talk))
        module.page(page)
        provider = self.provider()

        def listed():
            return provider.list(where, credentials=self.login)

        def first(end, **change):
            return end, lambda value: [{**value[0], **change}, *value[1:]]

        def items(change):
            return "/modules", lambda value: [{**value[0], "items": change(value[0]["items"])}]

        whole = listed()
        for end, change in (
                ("/files", lambda value: [None, *value[1:]]), first("/files", id=None), first("/files", display_name=7),
                ("/media_objects", lambda value: [None]), first("/media_objects", media_id=None),
                ("/modules", lambda value: [*value, None]), first("/modules", id=None),
                items(lambda all: [None, *all[1:]]), items(lambda all: [{**all[0], "type": None}, *all[1:]]),
                items(lambda all: [{**all[0], "content_id": None}, *all[1:]]),
                items(lambda all: [*all[:3], {**all[3], "page_url": None}])):
            stop = self.change(end, change)
            self.refused(listed, "unavailable")
            stop()
        # The items of a module that aren't all in its answer are asked for.
        stop = self.change(*items(lambda all: all[:1]))
        self.assertEqual(listed()["chapters"], whole["chapters"])
        again = self.change("/items", lambda value: value[:3])
        self.refused(listed, "unavailable")
        again()
        stop()
        # So are the texts of pages.
        stop = self.change(*first("/pages", body=None))
        self.assertEqual(listed()["chapters"], whole["chapters"])
        again = self.change("/pages/page", lambda value: {k: v for k, v in value.items() if k != "body"})
        self.refused(listed, "unavailable")
        again()
        again = self.change("/pages/page", lambda value: {**value, "body": None})
        self.assertEqual([v["id"] for v in listed()["videos"]], [f"media-{talk.id}"], "an empty page")
        again()
        stop()
        stop, inner = self.change(*first("/pages", url="another")), self.site.answer
        for problem in (gone(), self.site.refuse()):
            self.site.answer = lambda request, problem=problem: (
                self.site.json(problem.value, problem.status) if request.path.endswith("/pages/page") else inner(request))
            if problem.status == 404:
                self.refused(listed, "unavailable")
            else:
                self.assertEqual([v["id"] for v in listed()["videos"]], [f"media-{talk.id}"], "a page that isn't for this user")
        self.site.answer = inner
        stop()
        stop = self.change("/courses", lambda value: [*value, None])
        question = {"parameters": {"endpoint": self.site.base}, "cursor": None}
        self.refused(lambda: provider.ask("courses", question, credentials=self.login), "unavailable")
        stop()

    def test_a_list_ends_where_the_server_says_so(self):
        where = self.canvas()
        for number in range(100):
            self.course.file(f"{number:03}.mp4", media.mp4(number, 300))
        provider, inner = self.provider(), self.site.answer
        links = ['<http://[broken>; rel="next"', '<http://x@/>; rel="next"', None]
        for count in (100, 101):
            for link in links:
                def answer(request, link=link):
                    found = inner(request)
                    if "/files?" in request.path and "page=book" not in request.path:
                        found.headers.pop("Link")
                        found.headers.update({"Link": link} if link else {})
                    return found

                self.site.answer = answer
                self.refused(lambda: provider.list(where, credentials=self.login), "unavailable")
                self.site.answer = inner
            self.assertEqual(len(provider.list(where, credentials=self.login)["ids"]), count)
            self.course.file("last.mp4", media.mp4("last", 300))

    def test_a_media_object_has_one_id(self):
        where = self.canvas()
        track = [("subtitles", "en", "WEBVTT\n")]
        played = self.course.record("lecture.mp4", media.mp4("small", 900), tracks=track)
        file = self.course.file("lecture.mp4", media.mp4("original", 3000), media=played)
        other = self.course.file("other.mp4", media.mp4("other", 3000), media=self.course.record("other.mp4", b"x" * 99))
        listed = self.course.file("listed.mp4", media.mp4("l", 3000), media=self.course.record("listed.mp4", b"l" * 99))
        module = self.course.module("One")
        module.page(self.course.page("Page", iframe(played)))
        module.file(listed)
        provider = self.provider()

        def listing():
            found = provider.list(where, credentials=self.login)
            self.assertEqual(self.shown(found), [("One", [f"media-{played.id}", f"file-{listed.id}"])])
            self.assertEqual(found["chapters"][0]["videos"][0]["title"], "lecture")
            return found

        whole = listing()
        video = whole["chapters"][0]["videos"][0]
        self.assertEqual((video["formerly"], video["parameters"]), (f"file-{file.id}", {"file": str(file.id)}))
        self.assertEqual([v["id"] for v in whole["videos"]], [f"file-{other.id}"])
        got = provider.resolve(where, video, credentials=self.login)
        self.assertEqual((fetch(got), got["subtitles"][0]["lang"]), (file.content, "en"))
        got = provider.resolve(where, video, quality=["360p"], credentials=self.login)
        self.assertEqual(fetch(got), played.sources[0][0])
        # Until the media service is done, a file doesn't say what its media object is.
        for entry in (None, "maybe"):
            stop = self.change("/files", lambda value: [{**f, "media_entry_id": entry} for f in value])
            self.assertEqual(listing()["ids"], whole["ids"])
            stop()
        # A file that is locked is in no list, or is in it as locked.
        file.locked = True
        missing = listing()["chapters"][0]["videos"][0]
        self.assertEqual(fetch(provider.resolve(where, missing, credentials=self.login)), played.sources[0][0])
        file.locked = False
        stop = self.change("/files", lambda value: [
            {**f, "locked_for_user": True, "url": ""} if f["id"] == file.id else f for f in value])
        locked = listing()
        self.assertEqual((locked["ids"], locked["chapters"][0]["videos"][0].get("parameters", {})), (whole["ids"], {}))
        stop()

    def test_addresses(self):
        self.canvas()
        file = self.course.file("a b.mp4", media.mp4("a", 3000))
        talk = self.course.record("Talk", media.mp4("t", 900))
        module = self.course.module("1")
        item, other = module.file(file), module.link("Link", "https://www.example.org/")
        provider = self.provider()

        def recognised(path, **more):
            return provider.ask("recognise", {"address": self.site.base + path}, **more)

        root, course = {"endpoint": self.site.base + "/"}, f"/courses/{self.course.id}"
        whole = {"course": {"title": "Optics &amp; <Light>", "parameters": {**root, "course": self.course.id}}}
        for path in ("", "/", "/modules", f"/modules#module_{module.id}", f"/modules/{module.id}", "/files", "/pages/some-page",
                     f"/modules/items/{other.id}"):
            self.assertEqual(recognised(course + path, credentials=self.login), whole, path)
        video = {"video": {"id": f"file-{file.id}", "title": "a b", "parameters": root}}
        for path in (f"{course}/files/{file.id}", f"{course}/files/{file.id}/download?verifier={CANARY}&wrap=1",
                     f"{course}/files?preview={file.id}", f"/files/{file.id}/preview", f"/files/1~{file.id}",
                     f"/media_attachments_iframe/{file.id}?type=video", f"{course}/modules/items/{item.id}",
                     f"{course}/assignments/9?module_item_id={item.id}"):
            self.assertEqual(recognised(path, credentials=self.login), video, path)
        for path in (f"/media_objects/{talk.id}", f"/media_objects_iframe/{talk.id}?type=video",
                     f"{course}/media_download?entryId={talk.id}"):
            self.assertEqual(recognised(path)["video"], {"id": f"media-{talk.id}", "title": "Talk", "parameters": root})
        whole["course"].pop("title")
        self.assertEqual(recognised(course), whole)
        self.refused(lambda: recognised(f"/files/{file.id}"), "auth_required")
        for path in ("/", "/about", "/courses/course-v1:a+b+c/", "/files/a.mp4", "/courses", "/courses/12a"):
            self.assertEqual(recognised(path, credentials=self.login), {}, path)
        self.refused(lambda: recognised("/courses/999999", credentials=self.login), "not_found")


class Videos(CanvasCase):
    def test_qualities_and_subtitles(self):
        where = self.canvas()
        sources = [(media.mp4(height, size), {"height": str(height), "bitrate": str(rate)})
                   for height, size, rate in ((720, 3000, 1500), (360, 900, 600), (1080, 5000, 4000))]
        sound = (b"ID3" + bytes(400), {"height": "0", "width": "0", "fileExt": "mp3", "content_type": "audio/mp3",
                                       "bitrate": "128"})
        srt = "1\n00:00:00,000 --> 00:00:01,000\nHi\n"
        tracks = [("subtitles", "en", srt), ("captions", "zh-Hans", "WEBVTT\n"), ("chapters", "de", "WEBVTT\n")]
        talk = self.course.record("Talk.mp4", *sources, sound, tracks=tracks)
        other = self.course.record("Other", *sources, tracks=tracks)
        original = media.mp4("original", 7000)
        upload = self.course.file("other.mov", original, media=other)
        provider = self.provider()
        listing = provider.list(where, credentials=self.login)
        self.assertEqual([v["id"] for v in listing["videos"]], [f"file-{upload.id}", f"media-{talk.id}"])
        self.assertFalse([v for v in listing["all"] if "resolved" in v or "size" in v])
        for authenticated in (False, True):
            self.site.authenticated_media = authenticated
            for name, sizes in (
                    (f"media-{talk.id}", {"best": 5000, "720p": 3000, "700p": 900, "worst": 900, "audio": 403, "2000k": 3000}),
                    (f"file-{upload.id}", {"best": 7000, "1080p": 5000, "720p": 3000, "worst": 900})):
                for quality, size in sizes.items():
                    got = provider.resolve(where, name, quality=[quality], credentials=self.login)
                    self.assertEqual(len(fetch(got)), size, (name, quality))
                    self.assertNotIn("token", got)
                    self.assertEqual({s["lang"]: s["text"] for s in got["subtitles"]}, {"en": srt, "zh-Hans": "WEBVTT\n"})
        self.assertEqual(provider.resolve(where, f"media-{talk.id}", credentials=self.login)["title"], "Talk")
        converting, silent = self.course.record("New", converting=True), self.course.record("Silent", silent=True)
        for record in (converting, silent):
            self.refused(lambda: provider.resolve(where, f"media-{record.id}", credentials=self.login), "not_ready")
        fresh = self.course.file("fresh.mp4", original, media=converting)
        waiting = self.course.file("waiting.mp4", original, entry="maybe")
        for file in (fresh, waiting):
            for quality in ("best", "720p"):
                got = provider.resolve(where, f"file-{file.id}", quality=[quality], credentials=self.login)
                self.assertEqual(fetch(got), original)

    def test_addresses_without_a_verifier_and_after_a_refusal(self):
        where = self.canvas()
        file = self.course.file("a.mp4", media.mp4("a", 3000))
        provider = self.provider()
        for storage in ("instfs", "s3"):
            self.site.storage = storage
            self.site.verifiers = False
            self.assertNotIn("resolved", provider.list(where, credentials=self.login)["videos"][0])
            got = provider.resolve(where, f"file-{file.id}", credentials=self.login)
            self.assertTrue(got["url"].startswith(self.site.storage_base))
            self.assertEqual(fetch(got), file.content)
            self.site.verifiers = True
            refusal = {"reason": "rejected", "status": 403, "bytes": 0, "server": self.site.storage_base}
            got = provider.resolve(where, f"file-{file.id}", credentials=self.login)
            self.assertTrue(got["url"].startswith(self.site.base))
            self.site.expire_files()
            again = provider.resolve(where, f"file-{file.id}", credentials=self.login, previous=refusal)
            self.assertTrue(again["url"].startswith(self.site.storage_base))
            self.assertEqual((fetch(got), fetch(again)), (file.content, file.content))
        self.assertFalse([a for a in self.site.requests if a.origin == "storage" and a.bearer])

    def test_a_media_object_that_wants_a_browser(self):
        where = self.canvas()
        talk = self.course.record("Talk", media.mp4("t", 900))
        provider, inner = self.provider(), self.site.answer
        for target in (self.site.base + "/login", "http://localhost:9/maintenance"):
            self.site.answer = lambda request, target=target: (
                self.site.to(target) if request.path.endswith("/info") else inner(request))
            self.refused(lambda: provider.resolve(where, f"media-{talk.id}", credentials=self.login), "not_ready")
        self.site.answer = inner
        self.assertEqual(fetch(provider.resolve(where, f"media-{talk.id}", credentials=self.login)), talk.sources[0][0])

    def test_what_is_not_there_or_not_allowed(self):
        where = self.canvas()
        file = self.course.file("a.mp4", media.mp4("a", 3000))
        self.course.module("1").file(file)
        hers = self.site.course("Bob's", ["bob"])
        his = hers.file("his.mp4", media.mp4("b", 3000))
        provider = self.provider()
        listing = provider.list(where, credentials=self.login)
        for video in ("", "a", "file-", "file-x", "file-1~", "media-..", "media-a/b", "file-999999", "media-m-none", "../1"):
            self.refused(lambda: provider.resolve(where, video, credentials=self.login), "not_found")
        for status in (403, 401):
            self.site.forbidden_status = status
            self.refused(lambda: provider.resolve(where, f"file-{his.id}", credentials=self.login), "forbidden")
            self.refused(lambda: provider.list({**where, "course": hers.id}, credentials=self.login), "forbidden")
        self.refused(lambda: provider.list({**where, "course": 999999}, credentials=self.login), "not_found")
        for course in (None, "..", "1/2", "a", ""):
            self.refused(lambda: provider.list({**where, "course": course}, credentials=self.login), "invalid_parameters")
        file.deleted = True
        self.refused(lambda: provider.resolve(where, listing["ids"][0], credentials=self.login), "not_found")
        for status in (403, 429):
            self.site.throttle_status, self.site.throttled = status, 1
            error = self.refused(lambda: provider.list(where, credentials=self.login), "rate_limited")
            self.assertEqual(error.data["server"], self.site.base)


class Logins(CanvasCase):
    def test_a_token(self):
        where = self.canvas()
        provider = self.provider()
        step = provider.ask("login", {"parameters": where, "secrets": {}})
        self.assertEqual(([q["name"] for q in step["ask"]], step["open"]), (["token"], self.site.base + "/profile/settings"))
        self.refused(lambda: provider.login(where, {"token": CANARY}), "auth_required")
        self.assertEqual(provider.login(where, {"token": self.token}), self.login)
        other = {"hosts": {"https://other.example.org": {"access_token": "x"}}}
        self.assertEqual(len(provider.login(where, {"token": self.token}, credentials=other)["hosts"]), 2)
        for end in (self.site.expire, self.site.revoke):
            end("anna")
            error = self.refused(lambda: provider.list(where, credentials=self.login), "auth_required")
            self.assertEqual(error.data["server"], self.site.base)
        self.assertNotIn("POST", [a.method for a in self.site.requests])

    def test_oauth(self):
        where = self.canvas()
        file = self.course.file("a.mp4", media.mp4("a", 3000))
        self.site.client("key", CANARY, "http://127.0.0.1/")
        self.site.consent = "anna"
        provider, parameters = self.provider(), {"endpoint": self.site.base, "client_id": "key"}

        def step(**more):
            return provider.ask("login", {"parameters": parameters, **more})

        self.assertEqual([q["name"] for q in step(secrets={})["ask"]], ["client_secret"])
        opened = step(secrets={"client_secret": CANARY})
        self.assertNotIn(CANARY, opened["open"])
        uri = "http://127.0.0.1:41999/"

        def back():
            page = opened["open"].replace("{redirect}", urllib.parse.quote(uri, safe=""))
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.build_opener(Stay).open(page)
            query = urllib.parse.urlsplit(caught.exception.headers["Location"]).query
            return {"uri": uri, "query": dict(urllib.parse.parse_qsl(query))}

        self.assertEqual(back()["query"]["state"], opened["redirect"])
        for secret in (CANARY, CANARY + " wrong"):
            redirect = back()
            if secret == CANARY:
                login = step(secrets={"client_secret": secret}, redirect=redirect)["credentials"]
                self.refused(lambda: step(secrets={"client_secret": secret}, redirect=redirect), "auth_required")
            else:
                self.refused(lambda: step(secrets={"client_secret": secret}, redirect=redirect), "auth_required")
        self.site.deny = True
        self.refused(lambda: step(secrets={"client_secret": CANARY}, redirect=back()), "auth_required")

        def renewals():
            return len([a for a in self.site.requests if a.method == "POST" and a.status == 200])

        # After an hour the token is renewed once, whatever the number of requests that find it out.
        self.site.buckets.clear()
        before = renewals()
        self.site.expire("anna")
        got = provider.list(where, credentials=login)
        fresh = got["credentials"]
        old, new = login["hosts"][self.site.base], fresh["hosts"][self.site.base]
        self.assertEqual((new["refresh_token"], new["client_secret"]), (old["refresh_token"], CANARY))
        for _ in range(3):
            self.assertEqual(fetch(provider.resolve(where, f"file-{file.id}", credentials=login)), file.content)
        self.assertEqual(renewals(), before + 1)
        self.assertNotIn("credentials", provider.resolve(where, f"file-{file.id}", credentials=fresh))
        # Also in the middle of a listing, and for media behind the server's own redirect.
        talk = self.course.record("Talk", media.mp4("t", 900))
        self.site.authenticated_media = True
        self.site.expire("anna")
        got = provider.resolve(where, f"media-{talk.id}", credentials=fresh)
        self.assertEqual(fetch(got), media.mp4("t", 900))
        self.assertEqual(renewals(), before + 2)
        self.site.revoke("anna")
        count = len(self.site.requests)
        self.refused(lambda: provider.list(where, credentials=got["credentials"]), "auth_required")
        self.assertEqual(len(self.site.requests), count + 2)


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Syncs(CanvasCase):
    def test_a_sync_that_breaks_off_and_whose_addresses_end_in_the_middle(self):
        for storage in ("instfs", "s3"):
            with self.subTest(storage):
                self.sync(storage)

    def sync(self, storage):
        where = self.canvas()
        self.site.storage, self.site.cdn, self.site.authenticated_media = storage, storage == "instfs", True
        contents = {name: media.mp4(name, 2_000_000) for name in ("broken", "expired", "talk", "odd & <name>")}
        files = {name: self.course.file(f"{name}.mp4", contents[name]) for name in ("broken", "expired", "odd & <name>")}
        track = "WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n"
        talk = self.course.record("talk", contents["talk"], tracks=[("subtitles", "en", track)])
        # Its secret was changed: the server sends whoever comes with the old one to its page to log in at.
        files["odd & <name>"].url = lambda: f"{self.site.base}/files/{files['odd & <name>'].id}/download?verifier=old"
        locked = self.course.file("later.mp4", media.mp4("later", 3000), locked=True)
        first, second = self.course.module("One"), self.course.module("Two")
        for file in [*files.values(), locked]:
            first.file(file)
        second.page(self.course.page("A page", iframe(talk)))
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "canvas", "parameters": where, "discover": True, "subtitles": "all"}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"token": self.token}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "canvas", "--secrets-from", secrets, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        self.site.break_after = {"broken.mp4": 700_000}
        self.site.expire_after = {"expired.mp4": 700_000, "download.mp4": 900_000}
        run = scene.sync()
        found = {path.rpartition("/")[2]: content for path, content in scene.files().items()}
        for name, content in contents.items():
            self.assertTrue(content in found.values(), (name, run))
        self.assertTrue([name for name in found if name.endswith(".en.vtt")], found.keys())
        self.assertEqual([(e["video"], e["error"]["kind"]) for e in run.of("download_not_ready") + run.of("download_failed")
                          if "error" in e and e["video"] != f"file-{locked.id}"], [], run)
        for end in ("broken.mp4", "expired.mp4", "download.mp4"):
            self.assertTrue([a for a in self.site.requests if a.path.endswith(end) and a.range], f"{end} goes on where it was")
        # A token goes nowhere but to Canvas, and nothing secret stays.
        self.assertFalse([a for a in self.site.requests if a.origin == "storage" and a.bearer])
        kept = b"".join(path.read_bytes() for path in [*scene.state.rglob("*"), *scene.library.rglob("*")]
                        if path.is_file() and "credentials" not in str(path)) + (run.out + run.err).encode()
        for secret in [self.token, *[file.uuid for file in self.site.files.values()]]:
            self.assertNotIn(secret.encode(), kept)
        before = len(self.site.requests)
        again = scene.sync()
        self.assertEqual([e for e in again.of("download_started") if e["video"] != f"file-{locked.id}"], [], again)
        self.assertLessEqual(len(self.site.requests) - before, 6, self.asked(before))

    def test_a_night_without_the_uploaded_file(self):
        where = self.canvas()
        played = self.course.record("lecture.mp4", media.mp4("small", 900))
        file = self.course.file("lecture.mp4", media.mp4("original", 3000), media=played)
        module = self.course.module("One")
        module.page(self.course.page("Page", iframe(played)))
        for number in range(12):
            module.file(self.course.file(f"{number:02}.mp4", media.mp4(number, 300)))
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "canvas", "parameters": where, "discover": True}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"token": self.token}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "canvas", "--secrets-from", secrets, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        scene.sync(exit=0)
        before = scene.files()
        self.assertIn(file.content, before.values())
        odd = [None, lambda f: {**f, "media_entry_id": None}, lambda f: {**f, "media_entry_id": "maybe"}]
        for change in odd:
            file.locked = change is None
            stop = self.change("/files", lambda value, change=change: list(map(change, value)) if change else value)
            run = scene.sync("--prune", exit=0)
            self.assertEqual((scene.files(), run.of("download_started")), (before, []), run)
            stop()
            file.locked = False
            run = scene.sync("--prune", exit=0)
            self.assertEqual((scene.files(), run.of("download_started")), (before, []), run)

    def log_in(self, scene):
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"token": self.token}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "canvas", "--secrets-from", secrets, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)

    def test_courses_of_and_a_revoked_token(self):
        where = self.canvas()
        content = media.mp4("a", 3000)
        self.course.module("One").file(self.course.file("a.mp4", content))
        other = self.site.course("Waves", ["anna"])
        other.file("b.mp4", media.mp4("b", 3000))
        self.site.course("Not open", ["anna"], restricted=True)
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([], courses_of=[{"provider": "canvas", "parameters": {"endpoint": where["endpoint"]}}])
        self.log_in(scene)
        run = scene.sync(exit=0)
        self.assertEqual(len([p for p in scene.files() if p.endswith(".mp4")]), 2, run)
        self.site.revoke("anna")
        self.assertEqual(scene.sync().exit, 77)

    def test_a_course_that_closes_by_its_dates_keeps_its_files(self):
        where = self.canvas()
        self.course.module("One").file(self.course.file("a.mp4", media.mp4("a", 3000)))
        waves = self.site.course("Waves", ["anna"])
        waves.file("b.mp4", media.mp4("b", 3000))
        later = self.site.course("Later", ["anna"], restricted=True)
        later.file("c.mp4", media.mp4("c", 3000))
        scene = stage.Stage()
        self.addCleanup(scene.close)
        source = {"provider": "canvas", "parameters": {"endpoint": where["endpoint"]}, "exclude": ["Later*"]}
        scene.write([], courses_of=[source])
        self.log_in(scene)
        run = scene.sync(exit=0)
        self.assertEqual(run.of("warning"), [], run)
        before = scene.files()
        self.assertEqual(len([p for p in before if p.endswith(".mp4")]), 2, run)
        self.assertTrue([p for p in before if "Waves" in p], before)
        # The course has no name then, and its page is refused.
        waves.restricted = True
        for _ in range(2):
            run = scene.sync("--prune", exit=0)
            self.assertEqual((scene.files(), run.of("warning"), run.of("download_moved")), (before, [], []), run)
        # Another catalog with the same courses and other parameters knows nothing of it, and deletes nothing either.
        scene.write([], courses_of=[{**source, "parameters": {**source["parameters"], "files": ["*.mp4"]}}])
        run = scene.sync("--prune", exit=0)
        self.assertEqual(scene.files(), before, run)
        # A course that the catalog itself names says what it waits for, as long as it was never listed.
        scene.write([{"id": "x", "provider": "canvas", "discover": True,
                      "parameters": {"endpoint": where["endpoint"], "course": later.id}}], courses_of=[source])
        run = scene.sync("--prune", exit=75)
        self.assertIn("doesn't open this course now", run.out)
        self.assertEqual(scene.files(), before, run)
        waves.restricted = False
        waves.file("d.mp4", media.mp4("d", 3000))
        run = scene.sync(exit=75)
        self.assertEqual(len(run.of("download_finished")), 1, run)
