"""The provider `peertube` against a stand-in that answers as PeerTube's source says."""

import json
import re
import subprocess

import media
import samples
import stage
from asking import CANARY, ODD, Case, altered
from folders import fetch
from peertube_host import PeerTube


def download(resolution):
    """What a host does with a resolution whose token is in the query."""
    url = resolution["url"]
    for token in resolution.get("tokens", []):
        if url.startswith(tuple(token["origins"])):
            url += ("&" if "?" in url else "?") + f"{token['name']}={token['value']}"
    return fetch({"url": url})


class PeerTubeCase(Case):
    provider_name = "peertube"

    def instance(self):
        self.site = PeerTube(self)
        self.site.user("anna", CANARY)
        self.channel = self.site.channel("optics", "Optics &amp; <Light>", "anna")
        return {"endpoint": self.site.base, "channel": "optics"}

    def credentials(self, provider, **secrets):
        return provider.login({"endpoint": self.site.base}, {"username": "anna", "password": CANARY, **secrets})

    def test_channels_accounts_and_playlists(self):
        where = self.instance()
        videos = [self.site.video(self.channel, name, web={720: media.mp4(name, 3000), 360: media.mp4(name + " low", 900)})
                  for name in ODD]
        videos[0].caption("en", "WEBVTT\n")
        videos[0].caption("zh-Hans", "WEBVTT \n")
        self.site.video(self.channel, "secret", web={720: b"no"}, privacy="private")
        self.site.video(self.channel, "later", web={720: b"no"}, state="to_transcode", wait=True)
        provider = self.provider()
        listing = provider.list(where)
        self.assertEqual((listing["title"], [v["title"] for v in listing["videos"]]), ("Optics &amp; <Light>", ODD))
        for video, name in zip(listing["all"], ODD, strict=True):
            got = provider.resolve(where, video)
            self.assertEqual((download(got), got["title"]), (media.mp4(name, 3000), name))
        for quality, size in (("best", 3000), ("720p", 3000), ("480p", 900), ("worst", 900), ("audio", 900)):
            self.assertEqual(len(download(provider.resolve(where, videos[0].short, quality=[quality]))), size, quality)
        captions = provider.resolve(where, videos[0].uuid)["subtitles"]
        self.assertEqual({c["lang"]: fetch(c) for c in captions}, {"en": b"WEBVTT\n", "zh-Hans": b"WEBVTT \n"})
        self.assertTrue(provider.page(where, known=listing["known"])["unchanged"])
        account = {"endpoint": self.site.base, "account": "anna"}
        self.assertEqual(provider.list(account)["ids"], listing["ids"])
        playlist = self.site.playlist("Chosen", "anna", channel=self.channel, videos=[videos[2], videos[0], videos[2]])
        gone = self.site.video(self.channel, "gone", web={720: b"gone"})
        playlist.add(gone)
        gone.delete()
        self.assertEqual(provider.list({"endpoint": self.site.base, "playlist": playlist.short})["ids"], [videos[2].uuid, videos[0].uuid])

    def test_more_than_a_page_and_what_vanishes(self):
        where = self.instance()
        videos = [self.site.video(self.channel, f"v{n}", web={240: media.mp4(n, 300)}) for n in range(205)]
        self.site.surplus = 3
        provider = self.provider()
        self.assertEqual(provider.list(where)["ids"], [v.uuid for v in videos])
        videos[7].gone = True
        self.refused(lambda: provider.resolve(where, videos[7].uuid), "not_found")
        for video in ("x" * 22, "a b", "..", "0", "../../users/me", ""):
            self.refused(lambda: provider.resolve(where, video), "not_found")
        for name in ("channel", "account", "playlist"):
            self.refused(lambda: provider.list({"endpoint": self.site.base, name: "nobody"}), "not_found")
        self.refused(lambda: provider.list({"endpoint": self.site.base}), "invalid_parameters")
        self.refused(lambda: provider.list({**where, "account": "anna"}), "invalid_parameters")

    def test_pages_that_do_not_belong_together(self):
        where = self.instance()
        videos = [self.site.video(self.channel, f"v{n}", web={240: media.mp4(n, 300)}) for n in range(205)]
        playlist = self.site.playlist("Chosen", "anna", channel=self.channel, videos=[*videos, *videos[:3]])
        playlist.elements[1]["video"] = None
        provider, nights = self.provider(), [0]

        def listed(change):
            """What is listed if a page is altered in the first reading, and in each."""
            found = []
            for times in (1, 9):
                nights[0] = times

                def now(request, value):
                    if request.place.endswith("/videos") and (new := change(request, value)) is not None and nights[0] > 0:
                        nights[0] -= 1
                        return new
                    return value

                end = altered(self.site, now)
                if times == 1:
                    found.append(provider.list(where)["ids"])
                else:
                    found.append(self.refused(lambda: provider.list(where), "unavailable").message)
                end()
            return found

        def page(start, **more):
            return lambda request, value: {**value, **more} if request.query["start"] == start else None

        whole = [v.uuid for v in videos]
        first = [{"id": v.id, "uuid": v.uuid, "name": v.name} for v in videos[:100]]
        for change in (page("100", data=[]), page("0", data=[]), page("100", data=first), page("100", total=204),
                       page("200", data=first[:5])):
            ids, message = listed(change)
            self.assertEqual(ids, whole)
            self.assertRegex(message, "changed while it was listed")
        # The owner deletes a video in between.
        inner, at = self.site.answer, "/api/v1/video-channels/optics/videos"

        def answer(request):
            found = inner(request)
            if request.place == at and request.query.get("start") == "0" and videos[3] in self.site.videos:
                self.site.videos.remove(videos[3])
            return found

        self.site.answer = answer
        self.assertEqual(provider.list(where)["ids"], [v.uuid for v in videos if v is not videos[3]])
        self.site.answer = inner
        where = {"endpoint": self.site.base, "playlist": playlist.short}
        self.assertEqual(len(provider.list(where)["ids"]), 205)
        for odd in (None, "x", [], {}, {**first[1], "id": None}):
            end = altered(self.site, lambda request, value: {**value, "data": [odd, *value["data"][1:]]}
                          if request.place.endswith("/videos") else value)
            self.refused(lambda: provider.list({"endpoint": self.site.base, "channel": "optics"}), "unavailable")
            self.refused(lambda: provider.list(where), "unavailable")
            end()
        end = altered(self.site, lambda request, value: {**value, "data": [{**e, "uuid": 7} for e in value["data"]]}
                      if request.place.endswith("/videos") else value)
        self.refused(lambda: provider.list({"endpoint": self.site.base, "channel": "optics"}), "unavailable")
        end()

    def test_videos_that_are_not_for_all(self):
        where = self.instance()
        private = {p: self.site.video(self.channel, p, web={720: media.mp4(p, 3000)}, privacy=p)
                   for p in ("unlisted", "internal", "private")}
        locked = self.site.video(self.channel, "locked", web={720: media.mp4("locked", 3000)}, privacy="password", passwords=["let me in"])
        provider = self.provider()
        for name, video in private.items():
            if name != "unlisted":
                self.refused(lambda: provider.resolve(where, video.uuid), "auth_required")
        login = self.credentials(provider)
        for name, video in private.items():
            got = provider.resolve(where, video.uuid, credentials=login)
            self.assertEqual(download(got), media.mp4(name, 3000))
            self.assertEqual("expires_at" in got, name != "unlisted")
        self.assertIn("log in with --set video=ID", self.refused(lambda: provider.resolve(where, locked.uuid), "forbidden").message)
        step = provider.ask("login", {"parameters": {"endpoint": self.site.base, "video": locked.uuid}, "secrets": {}}, credentials=login)
        self.assertEqual([q["name"] for q in step["ask"]], ["video_password"])
        both = provider.login({"endpoint": self.site.base, "video": locked.uuid}, {"video_password": "let me in"}, credentials=login)
        self.assertEqual(download(provider.resolve(where, locked.uuid, credentials=both)), media.mp4("locked", 3000))
        self.assertEqual(provider.resolve(where, private["private"].uuid, credentials=both)["title"], "private")
        # Whichever id was given, the listed one is known, too.
        short = provider.login({"endpoint": self.site.base, "video": locked.short}, {"video_password": "let me in"})
        self.assertEqual(download(provider.resolve(where, locked.uuid, credentials=short)), media.mp4("locked", 3000))
        for video, password, kind in ((locked.uuid, "wrong", "auth_required"), ("x" * 22, "let me in", "invalid_parameters")):
            self.refused(lambda: provider.login({"endpoint": self.site.base, "video": video}, {"video_password": password}), kind)
        locked.passwords[:] = ["changed"]
        self.refused(lambda: provider.resolve(where, locked.uuid, credentials=both), "forbidden")
        waiting = self.site.video(self.channel, "live", state="waiting_for_live", live=[])
        self.refused(lambda: provider.resolve(where, waiting.uuid), "not_ready")

    def test_two_factors_renewal_and_courses(self):
        where = self.instance()
        self.site.user("bob", "pass of bob", otp="JBSWY3DPEHPK3PXP")
        provider = self.provider()

        def login(**secrets):
            return provider.ask("login", {"parameters": {"endpoint": self.site.base}, "secrets": secrets})

        self.assertEqual([q["name"] for q in login()["ask"]], ["username", "password"])
        self.assertEqual([q["name"] for q in login(username="bob", password="pass of bob")["ask"]], ["otp"])
        self.refused(lambda: login(username="bob", password="pass of bob", otp="000000"), "auth_required")
        self.assertIn("credentials", login(username="bob", password="pass of bob", otp=self.site.code("bob")))
        self.refused(lambda: login(username="anna", password="wrong"), "auth_required")

        private = self.site.video(self.channel, "private", web={720: media.mp4("p", 3000)}, privacy="private")
        kept = self.credentials(provider)
        self.site.expire("anna")
        got = provider.resolve(where, private.uuid, credentials=kept)
        self.assertEqual(download(got), media.mp4("p", 3000))
        fresh = got["credentials"]
        self.assertNotEqual(fresh, kept)
        self.assertEqual(provider.resolve(where, private.uuid, credentials=fresh)["title"], "private")
        self.site.expire("anna", refresh=True)
        self.refused(lambda: provider.resolve(where, private.uuid, credentials=fresh), "auth_required")

        kept = self.credentials(provider)
        other = self.site.channel("maths", "Maths", "bob")
        self.site.subscribe("anna", other)
        self.site.playlist("Mine", "anna", privacy="private", videos=[private])
        self.site.expire("anna")
        courses = provider.ask("courses", {"parameters": {"endpoint": self.site.base}, "cursor": None}, credentials=kept)
        self.assertEqual([c["title"] for c in courses["courses"] if not c["title"].startswith("Main ")][-3:], [
            "Optics &amp; <Light>", "Maths", "Mine"])
        self.assertIn("credentials", courses)

    def test_addresses(self):
        self.instance()
        video = self.site.video(self.channel, "One", web={720: media.mp4("p", 300)})
        playlist = self.site.playlist("Chosen", "anna", channel=self.channel, videos=[video])
        provider = self.provider()

        def recognised(path):
            return provider.ask("recognise", {"address": self.site.base + path})

        root = {"endpoint": self.site.base + "/"}
        for path in (f"/w/{video.short}", f"/videos/watch/{video.uuid};threadId=4?start=3s", f"/videos/embed/{video.uuid}"):
            self.assertEqual(recognised(path)["video"], {"id": video.uuid, "title": "One", "parameters": root})
        for path in (f"/w/p/{playlist.short}", f"/videos/watch/playlist/{playlist.uuid}?playlistPosition=1"):
            self.assertEqual(recognised(path)["course"]["title"], "Chosen")
        for path, parameters in (("/c/optics/videos", {"channel": "optics"}), ("/video-channels/optics", {"channel": "optics"}),
                                 ("/a/anna", {"account": "anna"})):
            self.assertEqual(recognised(path)["course"]["parameters"], {**root, **parameters})
        self.assertEqual(recognised("/about/instance"), {})

    def test_a_private_file_and_a_private_stream_with_separate_sound_in_a_sync(self):
        where = self.instance()
        big = media.mp4("web", 2_000_000)
        file = self.site.video(self.channel, "A file", web={720: big}, privacy="internal")
        (picture, parts), (sound, sound_parts) = stream("picture"), stream("sound")
        split = self.site.video(self.channel, "A stream", hls={90: picture}, split=sound, privacy="internal")
        for one in split.hls:
            one.parts = lambda one=one: sound_parts if one.content == sound else parts
        split.rewrite()
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.write([{"id": "optics", "provider": "peertube", "parameters": where, "discover": True}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"username": "anna", "password": CANARY}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "peertube", "--secrets-from", secrets, "--set", "endpoint=" + self.site.base)
        self.assertEqual(run.exit, 0, run)
        # The instance forgets its tokens in the middle of the file.
        self.site.expire_after = {file.web[0].name: 700_000}
        run = scene.sync(exit=0)
        files = scene.files()
        self.assertEqual([c for p, c in files.items() if p.endswith("A file.mp4")], [big], run)
        self.assertTrue([a for a in self.site.requests if a.path.endswith(file.web[0].name) and a.range], "it goes on where it was")
        film = next(scene.library / p for p in files if p.endswith("A stream.mp4"))
        kinds = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", film],
                               capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(sorted(kinds), ["audio", "video"])
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])


def stream(kind):
    """A film of 16 s in one file as HLS has it, with the lengths of its head and of four segments."""
    def make(path):
        source = ["testsrc2=size=160x90:rate=5", "-c:v", "libx264", "-g", "20"] if kind == "picture" else ["sine", "-c:a", "aac"]
        path.mkdir()
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source[0], "-t", "16", *source[1:], "-f", "hls", "-hls_time", "4",
                        "-hls_segment_type", "fmp4", "-hls_flags", "single_file", "-hls_playlist_type", "vod",
                        "-hls_fmp4_init_filename", "film.mp4", path / "film.m3u8"], check=True)

    folder = samples.once(("peertube", kind), make)
    ranges = re.findall(r'BYTERANGE[:=]"?(\d+)@', (folder / "film.m3u8").read_text())
    parts = [int(length) for length in ranges]
    return next(folder.glob("*.m4s"), folder / "film.mp4").read_bytes(), parts[:1] + parts[1:4] + [sum(parts[4:])]
