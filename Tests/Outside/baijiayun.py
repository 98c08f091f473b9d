"""The provider `baijiayun` against a stand-in that answers as documents of the vendor and several clients say."""

import hashlib
import json
import pathlib
import plistlib
import time

import media
import stage
from asking import CANARY, ODD, Case, altered
from baijiayun_host import BaijiaYun, sign
from folders import fetch

PARTNER = 70969736


class Account(Case):
    """An account with a key, in a stand-in."""

    provider_name = "baijiayun"

    def setUp(self):
        super().setUp()
        self.yun = BaijiaYun(self, PARTNER, CANARY)
        # What a provider signs with is the time of its requests.
        self.yun.clock = lambda: 1795215600
        self.where = {"endpoint": self.yun.base}
        self.key = {"hosts": {self.yun.base: {"partner_id": str(PARTNER), "partner_key": CANARY}}}

    def tearDown(self):
        for text in self.yun.raw:
            self.assertNotIn(CANARY, text)
        super().tearDown()

    def ask(self, provider, video="", **parameters):
        more = {name: parameters.pop(name) for name in ("quality", "previous", "credentials", "now") if name in parameters}
        return provider.resolve({**self.where, **parameters}, video, **{"credentials": self.key, **more})

    def listed(self, provider, **parameters):
        return provider.list({**self.where, **parameters}, credentials=self.key)

    def courses(self, provider, **parameters):
        asked = {"parameters": {**self.where, **parameters}, "cursor": None}
        return provider.ask("courses", asked, credentials=self.key)["courses"]

    def shown(self, path):
        """How often a function was asked."""
        return len([a for a in self.yun.requests if a.path.endswith(path)])


class BaijiaYunCase(Account):
    def test_the_signature_of_another_client(self):
        fields = {"expires_in": 0, "partner_id": PARTNER, "timestamp": 1534155197, "video_id": 12343768}
        self.assertEqual(sign(fields, "demo"), "9c57e2665a9373140ac137ba64e6ce9b")

    def test_categories_rooms_and_the_whole_account(self):
        optics = self.yun.category("Optics &amp; <Light>")
        lab = self.yun.category("Lab", optics)
        self.yun.category("Empty")
        videos = [self.yun.video(name, {"low": media.mp4(name, 300)}, category=optics) for name in ODD]
        inner = self.yun.video("inner.mp4", {"low": b"x" * 30}, category=lab)
        waiting = self.yun.video("waiting", status=20, category=optics)
        self.yun.video("failed", status=30, category=optics)
        self.yun.video("blocked", publish_status=2, category=optics)
        other = self.yun.video("other", {"low": b"x" * 30})
        room = 26112900000001
        sessions = [self.yun.playback(f"session {n}", {"low": b"x" * 30}, room, session_id=n) for n in (0, 201711281, 201711282)]
        sessions[2].status = 10
        single = self.yun.playback("single", {"low": b"x" * 30})
        provider = self.provider()
        for as_text in (False, True):
            self.yun.numbers_as_text = as_text
            listing = self.listed(provider, category=optics)
            self.assertEqual([v["title"] for v in listing["videos"]], [*ODD, "inner", "waiting"])
            self.assertEqual(listing["ids"], [str(v.id) for v in (*videos, inner, waiting)])
            again = provider.page({**self.where, "category": optics}, credentials=self.key, known=listing["known"])
            self.assertTrue(again["unchanged"])
            found = listing["videos"][1]
            self.assertEqual((found["published_at"], found["duration"]), ("2024-11-19T08:06:40Z", 2055))
            self.assertEqual(self.listed(provider, category=lab)["ids"], [str(inner.id)])
            self.assertEqual(self.listed(provider, all="videos")["ids"], [str(v.id) for v in (*videos, inner, waiting, other)])
            listing = self.listed(provider, classId=str(room))
            self.assertEqual(listing["ids"], [str(room), f"{room}_201711281", f"{room}_201711282"])
            self.assertEqual(listing["videos"][1]["parameters"], {"classId": str(room), "sessionId": "201711281"})
            self.assertEqual(listing["videos"][0]["published_at"],
                             time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(sessions[0].created)))
            self.assertEqual(self.listed(provider, all="playbacks")["ids"], [*listing["ids"], str(single.room_id)])
        self.assertEqual(self.listed(provider, category=optics + 2)["ids"], [])
        for found, video in zip(self.listed(provider, classId=room)["all"][:2], sessions):
            got = provider.resolve({**self.where, "classId": room}, found, credentials=self.key)
            self.assertEqual((fetch(got), got["title"]), (b"x" * 30, video.name))
        self.refused(lambda: self.ask(provider, f"{room}_201711282"), "not_ready")
        self.assertEqual(fetch(self.ask(provider, str(single.room_id), classId=single.room_id)), b"x" * 30)
        self.assertEqual([(c["title"], c["parameters"]) for c in self.courses(provider)], [
            ("Optics &amp; <Light>", {"category": optics}), ("Empty", {"category": optics + 2})])
        self.assertEqual([c["id"] for c in self.courses(provider, category=optics)], [str(lab)])
        self.refused(lambda: self.courses(provider, category=7), "not_found")
        self.refused(lambda: self.listed(provider, classId=123), "not_found")
        for wrong in ({}, {"category": optics, "all": "videos"}, {"classId": "x"}):
            self.refused(lambda: self.listed(provider, **wrong), "invalid_parameters")
        self.refused(lambda: provider.list({**self.where, "all": "videos"}), "auth_required")

    def test_pages_and_odd_answers(self):
        category = self.yun.category("Many")
        videos = [self.yun.video(f"v{n}", {"low": b"x"}, category=category) for n in range(230)]
        provider = self.provider()
        whole = [str(v.id) for v in videos]
        self.assertEqual(self.listed(provider, category=category)["ids"], whole)
        self.assertEqual(self.shown("getCategoryVideo"), 3)
        self.yun.total_more = 4
        self.assertEqual(self.listed(provider, category=category)["ids"], whole)
        self.yun.total_more = 0
        # One is deleted while the list is read.
        inner, at = self.yun.answer, "/openapi/video/getCategoryVideo"

        def answer(request):
            found = inner(request)
            if request.place == at and request.form.get("page") == "1":
                videos[200].deleted = True
            return found

        self.yun.answer = answer
        self.assertEqual(self.listed(provider, category=category)["ids"], [i for i in whole if i != str(videos[200].id)])
        self.yun.answer = inner
        self.assertEqual(self.listed(provider, category=category)["ids"], [i for i in whole if i != str(videos[200].id)])
        for number, change in enumerate((
                lambda data: {**data, "list": []}, lambda data: {**data, "list": None}, lambda data: {**data, "total": None},
                lambda data: {**data, "list": [{}, *data["list"][1:]]}, lambda data: {**data, "list": ["x", *data["list"][1:]]},
                lambda data: {**data, "list": data["list"][:3]}, lambda data: [], lambda data: None,
                lambda data: {**data, "total": 1e300}, lambda data: {**data, "list": [{"video_id": "0"}]})):
            with self.subTest(number):
                end = altered(self.yun, lambda request, value: {**value, "data": change(value["data"])}
                              if request.place == at else value)
                self.refused(lambda: self.listed(provider, category=category), "unavailable")
                end()
        end = altered(self.yun, lambda request, value: {**value, "data": {"list": [{"name": "no id"}]}})
        self.refused(lambda: self.courses(provider), "unavailable")
        end()

    def test_every_definition(self):
        sizes = {"low": 900, "high": 1500, "superHD": 2000, "720p": 2500, "1080p": 3000}
        video = self.yun.video("One", {d: media.mp4(d, size) for d, size in sizes.items()}, audio=b"ID3" + b"s" * 200,
                               subtitles={"中文": b"WEBVTT\n", "English": b"WEBVTT \n", "x": b"WEBVTT  \n"})
        provider = self.provider()
        for quality, size in ((["best"], 3000), (["1080p"], 3000), (["720p"], 2500), (["600p"], 2000), (["480p", "worst"], 1500),
                              (["worst"], 900), (["audio"], 203), (["240p"], 900)):
            got = self.ask(provider, str(video.id), quality=quality)
            self.assertEqual((len(fetch(got)), got["size"]), (size, size), quality)
        for definition, size in (("low", 900), ("superHD", 2000), ("superhigh", 2000), (["2k", "720p", "low"], 2500),
                                 ("audio", 203)):
            self.assertEqual(self.ask(provider, str(video.id), definition=definition)["size"], size, definition)
        got = self.ask(provider, str(video.id))
        self.assertEqual((got["title"], got["duration"], got["extension"], fetch({"url": got["cover"]})[:2]),
                         ("One", 2055, "mp4", b"\xff\xd8"))
        self.assertEqual({s["lang"]: fetch(s) for s in got["subtitles"]},
                         {"zh": b"WEBVTT\n", "en": b"WEBVTT \n", "und": b"WEBVTT  \n"})
        # The end that the address names, since it is ahead; six hours, less a little, if it isn't.
        self.yun.url_life = 1800
        self.assertEqual(self.ask(provider, str(video.id))["expires_at"], "2026-11-20T23:30:00Z")
        self.yun.url_life = 0
        self.assertEqual(self.ask(provider, str(video.id))["expires_at"], "2026-11-21T04:50:00Z")
        self.yun.url_life = 6 * 3600
        for name, value in (("callback", "jQuery_1"), ("schemeless", True), ("numbers_as_text", True)):
            setattr(self.yun, name, value)
            self.assertEqual(len(fetch(self.ask(provider, str(video.id)))), 3000, name)
        self.yun.callback, self.yun.schemeless = None, False
        # A CDN that has lost it, and one that wants another address.
        for status, place in ((404, 1), (403, 0), (None, 0)):
            previous = {"reason": "rejected", "status": status, "bytes": 9, "server": self.yun.media[0]} if status else None
            got = self.ask(provider, str(video.id), previous=previous)
            self.assertTrue(got["url"].startswith(self.yun.media[place]), status)
        stream = self.yun.video("Stream", hls={"720p": {"a.m3u8": media.playlist(["a.ts"]), "a.ts": media.ts("a")}})
        got = self.ask(provider, str(stream.id))
        self.assertEqual((got["kind"], fetch(got)[:7], "size" in got), ("hls", b"#EXTM3U", False))
        for odd in ({"low": {"cdn_list": [{"url": 7}]}}, {"low": {}}, {"low": "x"}, "x", [], None, {"low": {"cdn_list": None}}):
            end = altered(self.yun, lambda request, value: {**value, "data": {**value["data"], "play_info": odd}}
                          if "getPlayUrl" in request.place else value)
            self.refused(lambda: self.ask(provider, str(video.id)), "not_ready")
            end()

    def test_what_is_encrypted(self):
        provider = self.provider()
        for files in ({"encrypted": {"low": b"e" * 50}}, {"ev2": {"low": b"e" * 50}}):
            video = self.yun.video("Closed", **files)
            self.assertIn("encrypted only", self.refused(lambda: self.ask(provider, str(video.id)), "drm").message)
        playback = self.yun.playback("Closed", session_id=7, encrypted={"low": b"e" * 50})
        self.refused(lambda: self.ask(provider, f"{playback.room_id}_7"), "drm")
        # Only its players get it encrypted.
        video = self.yun.video("Half", {"low": media.mp4("low", 300), "720p": media.mp4("p", 500)})
        self.yun.always_encoded = True
        self.assertEqual(len(fetch(self.ask(provider, str(video.id)))), 500)
        self.assertEqual(len(fetch(self.ask(provider, str(video.id), quality=["worst"]))), 300)
        token = {"hosts": {self.yun.base: {"tokens": {f"vid {video.id}": self.yun.token_for(video)}}}}
        self.refused(lambda: self.ask(provider, str(video.id), credentials=token), "drm")

    def test_a_playback_with_what_belongs_to_it(self):
        others = [self.yun.video(f"camera {n}", {"low": media.mp4(f"low {n}", 100), "720p": media.mp4(n, 200 + n)})
                  for n in range(2)]
        playback = self.yun.playback("Class", {"720p": media.mp4("class", 3000)}, session_id=201711281, user_videos=others,
                                     signals={"all": b'{"a":1}', "chat": [b'{"b":1}', b'{"b":2}']})
        bare = self.yun.playback("Bare", {"720p": media.mp4("bare", 3000)})
        provider = self.provider()
        id = f"{playback.room_id}_201711281"
        for got in (self.ask(provider, id), self.ask(provider, "mine", classId=str(playback.room_id), sessionId="201711281"),
                    self.ask(provider, "mine", classId=playback.room_id, sessionId=201711281)):
            self.assertEqual((got["title"], fetch(got)), ("Class", media.mp4("class", 3000)))
            self.assertEqual([(s["role"], s["size"], fetch(s)) for s in got["streams"]], [
                ("webcam", 200, media.mp4(0, 200)), ("webcam 2", 201, media.mp4(1, 201))])
            self.assertEqual({a["title"]: fetch(a) for a in got["attachments"]},
                             {"all": b'{"a":1}', "chat 1": b'{"b":1}', "chat 2": b'{"b":2}'})
        got = self.ask(provider, str(bare.room_id), classId=str(bare.room_id), sessionId="0")
        self.assertEqual((got["title"], "streams" in got, "attachments" in got), ("Bare", False, False))
        video = self.yun.video("Mine", {"low": media.mp4("mine", 300)})
        self.assertEqual(self.ask(provider, "mine", vid=video.id)["title"], "Mine")
        self.assertEqual(self.ask(provider, str(video.id), vid=str(video.id), classId="26112900000000")["title"], "Mine")

    def test_what_the_codes_mean(self):
        video = self.yun.video("One", {"low": b"x" * 30})
        provider = self.provider()
        id = str(video.id)
        for change, kind in (({"lost": True}, "not_found"), ({"status": 20}, "not_ready"), ({"publish_status": 2}, "forbidden"),
                             ({"restricted": "https://example.org/"}, "forbidden"), ({"deleted": True}, "not_found")):
            before = {name: getattr(video, name) for name in change}
            vars(video).update(change)
            self.refused(lambda: self.ask(provider, id), kind)
            vars(video).update(before)
        for wrong in ("0", "x", "a b", "..", "1_", "_1", "1_2_3", "9" * 30, "😀", "１２"):
            self.refused(lambda: self.ask(provider, wrong), "not_found")
        playback = self.yun.playback("p", {"low": b"x"}, session_id=7)
        self.refused(lambda: self.ask(provider, "26112900000009_7"), "not_found")
        playback.deleted = True
        self.refused(lambda: self.ask(provider, f"{playback.room_id}_7"), "not_found")
        self.yun.limit = 0
        error = self.refused(lambda: self.ask(provider, id), "rate_limited")
        self.assertEqual((error.data["retry_after"], error.data["server"]), (10, self.yun.base))
        self.yun.limit = 200
        self.yun.permitted = False
        self.refused(lambda: self.ask(provider, id), "forbidden")
        self.yun.permitted = True
        self.refused(lambda: self.ask(provider, id, now="2026-11-21T01:00:00Z"), "unavailable")
        wrong = {"hosts": {self.yun.base: {"partner_id": str(PARTNER), "partner_key": "wrong"}}}
        error = self.refused(lambda: self.ask(provider, id, credentials=wrong), "auth_required")
        self.assertEqual(error.data["server"], self.yun.base)
        self.yun.codes["lost"] = (1, "<b>奇怪</b>的错误")
        video.lost = True
        self.assertIn("(1: 奇怪 的错误)", self.refused(lambda: self.ask(provider, id), "unavailable").message)

    def test_a_token_that_is_refused_is_asked_for_once_more(self):
        video = self.yun.video("One", {"low": b"x" * 30})
        provider = self.provider()
        inner, refusals = self.yun.vod, [1]

        def vod(form):
            if refusals[0]:
                refusals[0] -= 1
                self.yun.expire()
            return inner(form)

        self.yun.vod = vod
        self.assertEqual(self.ask(provider, str(video.id))["title"], "One")
        self.assertEqual(self.shown("getPlayerToken"), 2)
        refusals[0] = 9
        error = self.refused(lambda: self.ask(provider, str(video.id)), "auth_required")
        self.assertEqual((self.shown("getPlayerToken"), refusals[0], error.data["server"]), (4, 7, self.yun.base))

    def test_logins(self):
        provider = self.provider()
        step = provider.ask("login", {"parameters": self.where, "secrets": {}})
        self.assertEqual([(q["name"], q["secret"]) for q in step["ask"]], [("partner_id", False), ("partner_key", True)])
        secrets = {"partner_id": str(PARTNER), "partner_key": CANARY}
        self.assertEqual(provider.login(self.where, secrets), self.key)
        for wrong in ({"partner_key": "x"}, {"partner_id": "1"}):
            self.refused(lambda: provider.login(self.where, {**secrets, **wrong}), "auth_required")
        self.refused(lambda: provider.login({}, secrets), "invalid_parameters")
        known = {"hosts": {self.yun.base: {"tokens": {"vid 1": "t"}},
                           "https://other.example": {"partner_id": "1", "partner_key": "o"}}}
        both = provider.login(self.where, secrets, credentials=known)["hosts"]
        own = {**known["hosts"][self.yun.base], **self.key["hosts"][self.yun.base]}
        self.assertEqual(both, {**known["hosts"], self.yun.base: own})
        pasted = {"partner_id": f" {PARTNER}", "partner_key": CANARY + "\n"}
        self.assertEqual(provider.login(self.where, pasted, credentials=known)["hosts"], both)
        video = self.yun.video("One", {"low": b"x" * 30})
        page = f"{self.yun.base}/web/video/player?vid={video.id}&token={self.yun.token_for(video)}"
        by_page = {**self.where, "login": "page"}
        self.assertEqual([q["name"] for q in provider.ask("login", {"parameters": by_page, "secrets": {}})["ask"]], ["page"])
        kept = provider.login(by_page, {"page": page}, credentials={"hosts": both})
        self.assertEqual(set(kept["hosts"][self.yun.base]), {"tokens", "partner_id", "partner_key"})
        self.assertEqual(self.ask(provider, str(video.id), credentials=provider.login(by_page, {"page": page}))["title"], "One")
        for wrong, kind in ((page + "x", "auth_required"), ("x", "auth_required"),
                            (self.yun.base + "/web/video/player?vid=1", "auth_required"),
                            (page.replace(str(video.id), "7"), "auth_required"),
                            (page.replace("127.0.0.1", "localhost"), "invalid_parameters")):
            self.refused(lambda: provider.login(by_page, {"page": wrong}), kind)
        # A key is for its own server.
        other = BaijiaYun(self, PARTNER, CANARY)
        self.refused(lambda: provider.list({"endpoint": other.base, "all": "videos"}, credentials=self.key), "auth_required")
        self.assertEqual(other.requests, [])

    def test_addresses_with_tokens(self):
        video = self.yun.video("One", {"low": media.mp4("one", 300)})
        playback = self.yun.playback("Class", {"low": media.mp4("class", 300)}, session_id=201711281)
        plain = self.yun.playback("Plain", {"low": media.mp4("plain", 300)})
        provider = self.provider()

        def recognised(path, **more):
            return provider.ask("recognise", {"address": self.yun.base + path}, **more)

        root = {"endpoint": self.yun.base + "/"}
        kept = None
        for path, of, id, parameters in (
                (f"/web/video/player?vid={video.id}&token=TOKEN&player=bplayer", video, str(video.id), {}),
                (f"/m/video/player?token=TOKEN&vid={video.id}", video, str(video.id), {}),
                (f"/web/playback/index?classid={plain.room_id}&token=TOKEN&user_name=a", plain, str(plain.room_id),
                 {"classId": str(plain.room_id)}),
                (f"/web/playback/index?classid={playback.room_id}&session_id=201711281&token=TOKEN", playback,
                 f"{playback.room_id}_201711281", {"classId": str(playback.room_id), "sessionId": "201711281"})):
            token = self.yun.token_for(of)
            got = recognised(path.replace("TOKEN", token), credentials=kept)
            self.assertEqual(got["video"], {"id": id, "title": of.name, "parameters": {**root, **parameters}})
            kept = got["credentials"]
            self.assertEqual(self.ask(provider, id, credentials=kept, **parameters)["title"], of.name)
            # With the key no token is needed, and none is kept.
            got = recognised(path.replace("TOKEN", token), credentials=self.key)
            self.assertNotIn("credentials", got)
        self.assertEqual(len(kept["hosts"][self.yun.base]["tokens"]), 3)
        self.assertEqual(recognised(f"/web/video/player?vid={video.id}", credentials=kept)["video"]["title"], "One")
        self.refused(lambda: recognised(f"/web/video/player?vid={video.id}"), "auth_required")
        self.yun.expire()
        error = self.refused(lambda: self.ask(provider, str(video.id), credentials=kept), "auth_required")
        self.assertIn("open its page again", error.message)
        self.refused(lambda: recognised(f"/web/video/player?vid={video.id}&token=old"), "auth_required")
        for path in ("/", "/web/video/player", "/web/video/player?vid=x", "/web/playback/index?classid=", "/other?vid=1"):
            self.assertEqual(recognised(path), {})


class BaijiaYunSyncs(Account):
    """With the program, whose clock is the real one."""

    def setUp(self):
        super().setUp()
        self.yun.clock = time.time
        self.scene = stage.Stage()
        self.addCleanup(self.scene.close)

    def log_in(self):
        secrets = self.scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"partner_id": str(PARTNER), "partner_key": CANARY}))
        run = self.login_with(secrets)
        self.assertEqual(run.exit, 0, run)

    def login_with(self, secrets, *more):
        secrets.chmod(0o600)
        return self.scene.command("login", "--provider", "baijiayun", "--secrets-from", secrets,
                                  "--set", "endpoint=" + self.yun.base, *more)

    def media_requests(self):
        return [a for a in self.yun.requests if a.server != "api" and a.path.startswith("/00-x-upload/")]

    def test_an_address_that_expires_and_a_connection_that_breaks_in_a_sync(self):
        category = self.yun.category("Optics")
        bodies = {name: media.mp4(name, 2_000_000) for name in ("expires", "breaks")}
        videos = {name: self.yun.video(name, {"720p": body}, category=category, subtitles={"English": b"WEBVTT\n\n"})
                  for name, body in bodies.items()}
        self.yun.expire_after = {videos["expires"].paths["mp4", "720p"]: [700_000, 400_000]}
        self.yun.break_after = {videos["breaks"].paths["mp4", "720p"]: 600_000}
        camera = self.yun.video("camera", {"low": media.mp4("camera", 9000)})
        camera.deleted = True
        room = self.yun.playback("Class", {"720p": media.mp4("class", 50_000)}, session_id=7, user_videos=[camera],
                                 signals={"all": b'{"signals":[]}'})
        courses = [{"id": "optics", "provider": "baijiayun", "parameters": {**self.where, "category": category}, "discover": True,
                    "subtitles": "all"},
                   {"id": "room", "provider": "baijiayun", "parameters": {**self.where, "classId": room.room_id},
                    "discover": True, "streams": "all"}]
        self.scene.write(courses)
        self.assertNotEqual(self.scene.sync("--max-wait", "0").exit, 0)
        self.log_in()
        run = self.scene.sync(exit=0)
        files = self.scene.files()
        for name, body in bodies.items():
            self.assertEqual([c for p, c in files.items() if p.endswith(f"{name}.mp4")], [body], run)
            ranges = [a.range for a in self.media_requests() if a.path == videos[name].paths["mp4", "720p"]]
            self.assertTrue([r for r in ranges if r and not r.startswith("bytes=0-")], f"{name} goes on where it was: {ranges}")
        self.assertIn(b'{"signals":[]}', files.values())
        self.assertIn(media.mp4("camera", 9000), files.values())
        self.assertEqual(len([c for c in files.values() if c == b"WEBVTT\n\n"]), 2, files.keys())
        before = len(self.yun.requests)
        second = self.scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])
        self.assertEqual([a.path.rsplit("/", 1)[1] for a in self.yun.requests[before:]].count("getCategoryVideo"), 1)
        self.assertEqual(len(self.yun.requests), before + 2)
        # What the account deletes stays in the library.
        videos["breaks"].deleted = True
        self.scene.sync(exit=0)
        self.assertEqual(set(self.scene.files().values()), set(files.values()))

    def test_a_student_has_the_addresses_of_pages(self):
        names = ["One", "Two", "Three"]
        videos = [self.yun.video(n, {"720p": media.mp4(n, 50_000)}) for n in names]
        tokens = [self.yun.token_for(v) for v in videos]
        pages = [f"{self.yun.base}/web/video/player?vid={v.id}&token={t}" for v, t in zip(videos, tokens)]
        self.scene.catalog.write_text("version: 1\ncourses: []\n")

        def add(page):
            run = self.scene.command("add", page, "--catalog", self.scene.catalog)
            self.assertEqual(run.exit, 0, run)
            return run.out + run.err

        # Somebody without a state: nothing is kept before there is one.
        said = [add(pages[0])]
        run = self.scene.sync(exit=77)
        self.assertIn("--set login=page", run.err)
        secrets = self.scene.folder / "page.json"
        secrets.write_text(json.dumps({"page": pages[0]}))
        run = self.login_with(secrets, "--set", "login=page")
        self.assertEqual(run.exit, 0, run)
        said += [run.out + run.err, *(add(page) for page in pages[1:])]
        run = self.scene.sync(exit=0)
        files = [c for p, c in self.scene.files().items() if p.endswith(".mp4")]
        self.assertEqual(sorted(files), sorted(media.mp4(n, 50_000) for n in names))
        for text in (*said, run.out, run.err, self.scene.catalog.read_text()):
            for token in tokens:
                self.assertNotIn(token, text)

    def migrate(self, knows_server):
        """A store of the player, a catalog of it, and a sync of that."""
        old = pathlib.Path(self.folder) / "old"
        size = {"第一课": 700_000, "second": 4_000_000, "third": 700_000}
        done, begun, never = (self.yun.video(n, {"superHD": media.mp4(n, size[n]), "1080p": media.mp4(n + " hd", 900_000)})
                              for n in size)
        playback = self.yun.playback("Class", {"superHD": media.mp4("class", 300_000)}, session_id=201711281,
                                     signals={"all": b"{}"})
        whole = self.yun.playback("Whole", {"superHD": media.mp4("whole", 300_000)})
        parts = {"Cache/1.mp4": media.mp4("第一课", 700_000), "Temp/2.mp4": media.mp4("second", 4_000_000)[:3_000_000],
                 "Cache/4.mp4": media.mp4("class", 300_000), "Cache/4.sig": b"signals"}
        for name, content in parts.items():
            path = old / "PMDownload" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

        def record(number, name, state, **more):
            return {"definitionType": 2, "showFileName": name, "videoFileName": f"{number}.mp4", "state": state, **more}

        records = [record(1, "第一课", 3, vid=str(done.id), downloadFileType=1, totalLength=700_000),
                   record(2, "second", 1, vid=str(begun.id), downloadFileType=1, totalLength=4_000_000),
                   record(3, "third", 0, vid=never.id, downloadFileType=1),
                   record(4, "Class", 3, classId=str(playback.room_id), sessionId="201711281", downloadFileType=2,
                          signalFileName="4.sig"),
                   record(5, "Whole", 4, classId=str(whole.room_id), sessionId="0", downloadFileType=2, signalFileName="5.sig")]
        (old / "PMDownload/records.plist").write_bytes(plistlib.dumps(records, fmt=plistlib.FMT_BINARY))
        command = ["migrate", "baijiayun", old, "--write-catalog", self.scene.catalog, "--json", "--requeue"]
        run = self.scene.command(*command, *(["--endpoint", self.yun.base] if knows_server else []))
        self.assertEqual([e["result"] for e in run.of("record_migrated")], ["added"] * 5, run)
        text = self.scene.catalog.read_text()
        self.assertEqual(self.scene.command("check", self.scene.catalog).exit, 0, text)
        self.assertIn(f'parameters: {{endpoint: "{self.yun.base if knows_server else "https://unknown.invalid"}"}}', text)
        self.assertIn(f'parameters: {{definition: "superhigh", vid: "{done.id}"}}', text)
        self.scene.catalog.write_text(text.replace("https://unknown.invalid", self.yun.base))
        self.log_in()
        before = {p: hashlib.sha256(c).hexdigest() for p, c in self.scene.files().items()}
        run = self.scene.sync(exit=0)
        files = self.scene.files()
        for path, digest in before.items():
            self.assertEqual(hashlib.sha256(files[path]).hexdigest(), digest)
        for body in (*(media.mp4(n, size[n]) for n in size), media.mp4("class", 300_000),
                     media.mp4("whole", 300_000)):
            self.assertEqual(list(files.values()).count(body), 1, run)
        asked = [a for a in self.media_requests()]
        for video in (done, playback):
            self.assertEqual([a for a in asked if a.path in video.paths.values()], [], "what was there isn't downloaded")
        # Bytes of an unfinished file belong to the server that the catalog named.
        ranges = {a.range for a in asked if a.path in begun.paths.values()}
        self.assertEqual("bytes=3000000-" in ranges and None not in ranges, knows_server, asked)
        self.assertEqual(self.scene.sync(exit=0).of("download_started"), [])
        run = self.scene.command(*command)
        self.assertEqual(run.exit, 0, run)

    def test_a_store_of_the_player_becomes_a_catalog_and_only_what_is_missing_is_downloaded(self):
        self.migrate(knows_server=True)

    def test_a_catalog_of_a_store_whose_server_is_written_later(self):
        self.migrate(knows_server=False)
