"""The provider of Plugins/yt-dlp: against pages that are really served, and against a site that yt-dlp has an extractor for."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import stage
from pages import Pages, closed_port
from spoken import Plugin

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Plugins/yt-dlp"

# A site with pages of all kinds, as an extractor of yt-dlp tells of them. yt-dlp finds it on PYTHONPATH.
EXTRACTOR = '''
import re
from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.utils import ExtractorError, GeoRestrictedError, UserNotLive

class TrialIE(InfoExtractor):
    _VALID_URL = r"https?://127[.]0[.]0[.]1:\\d+/trial/(?P<id>[^/?#]+)"
    _NETRC_MACHINE = "trial"
    _TESTS = [{"url": "http://127.0.0.1:1/trial/a", "info_dict": {"id": "a", "ext": "mp4"}}]

    def _perform_login(self, username, password):
        self.to_screen("Logging in")
        self.login = username + "/" + password

    def _real_extract(self, url):
        id = self._match_id(url)
        page = self._download_json(url, id)
        if "raise" in page:
            kind = page["raise"]
            if kind == "geo":
                self.raise_geo_restricted(countries=["DE"])
            if kind == "login":
                self.raise_login_required()
            if kind == "live":
                raise UserNotLive(video_id=id)
            if kind == "bug":
                self._search_regex("never", "", "player")
            raise ExtractorError(page["raise"], expected=True, video_id=id)
        if page.get("cookie"):
            self._set_cookie("127.0.0.1", "session", page["cookie"])
        if page.get("who"):
            page["title"] = self.login
        for format in page.get("formats", []):
            format["url"] = re.sub("^/", re.match("https?://[^/]+/", url)[0], format["url"])
        if page.get("live_status") == "is_upcoming" and not page.get("formats"):
            self.raise_no_formats("This live event will begin shortly", expected=True)
        return {"id": id, "title": id, **page}

class TrialListIE(InfoExtractor):
    _VALID_URL = r"https?://127[.]0[.]0[.]1:\\d+/trial-list/(?P<id>[^/?#]+)"
    _TESTS = [{"url": "http://127.0.0.1:1/trial-list/a", "info_dict": {"id": "a"}, "playlist_count": 1}]

    def _real_extract(self, url):
        id = self._match_id(url)
        page = self._download_json(url, id)
        base = re.match("https?://[^/]+/", url)[0]
        def entries():
            for one in page["entries"]:
                one = dict(one, url=base + one["path"])
                yield {"_type": "url", "ie_key": "TrialList" if "trial-list" in one["path"] else "Trial", **one}
        return {"_type": "playlist", "id": id, "title": page.get("title"), "entries": entries()}
'''


def film(path, *, sound=True, picture="64x36", seconds=1):
    """A real file, made by ffmpeg."""
    inputs = ["-f", "lavfi", "-i", f"testsrc=size={picture}:rate=10:duration={seconds}"] if picture else []
    if sound:
        inputs += ["-f", "lavfi", "-i", f"sine=frequency=440:duration={seconds}"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *inputs, "-shortest", "-pix_fmt", "yuv420p", str(path)]
                   if picture else ["ffmpeg", "-v", "error", "-y", *inputs, str(path)], check=True)
    return path.read_bytes()


def stream(folder):
    """A master playlist with two heights; path to bytes."""
    master = ["#EXTM3U"]
    for height in (36, 72):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc=size={height * 16 // 9}x{height}:rate=10:duration=4",
             "-f", "lavfi", "-i", "sine=duration=4", "-shortest", "-pix_fmt", "yuv420p", "-g", "10", "-f", "hls", "-hls_time",
             "1", "-hls_playlist_type", "vod", str(folder / f"{height}.m3u8")], check=True)
        master += [f"#EXT-X-STREAM-INF:BANDWIDTH={height * 10000},RESOLUTION={height * 16 // 9}x{height},"
                   f'CODECS="avc1.42e00a,mp4a.40.2"', f"{height}.m3u8"]
    (folder / "master.m3u8").write_text("\n".join(master) + "\n")
    return {f"/hls/{path.name}": (200, {"Content-Type": "application/vnd.apple.mpegurl" if path.suffix == ".m3u8" else "video/mp2t"},
                                  path.read_bytes()) for path in folder.iterdir()}


VIDEO = {"Content-Type": "video/mp4", "Accept-Ranges": "bytes", "ETag": '"1"'}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-yt-dlp-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.site = Pages()
        self.addCleanup(self.site.stop)
        self.origin = self.site.origin

    def plugin(self, **environment):
        package = self.folder / "yt_dlp_plugins/extractor"
        package.mkdir(parents=True, exist_ok=True)
        (package / "trial.py").write_text(EXTRACTOR)
        plugin = Plugin(["-B", str(FOLDER / "provider.py")], PYTHONPATH=str(self.folder), **{"NO_PROXY": "127.0.0.1", **environment})
        self.addCleanup(plugin.stop)
        return plugin

    def page(self, path, **page):
        """A page of the site with an extractor."""
        self.site.pages[path] = 200, {"Content-Type": "application/json"}, json.dumps(page)
        return self.origin + path

    def html(self, path, body, head=""):
        self.site.pages[path] = f"<!DOCTYPE html><html><head><title>{path}</title>{head}</head><body>{body}</body></html>"
        return self.origin + path

    def formats(self, *wanted):
        table = {
            "360": {"format_id": "360", "url": "/360.mp4", "height": 360, "vcodec": "h264", "acodec": "aac", "tbr": 500, "ext": "mp4"},
            "720": {"format_id": "720", "url": "/720.mp4", "height": 720, "vcodec": "h264", "acodec": "aac", "tbr": 1500,
                    "ext": "mp4", "filesize": 77},
            "1080 silent": {"format_id": "s", "url": "/1080.mp4", "height": 1080, "vcodec": "h264", "acodec": "none", "ext": "mp4"},
            "sound": {"format_id": "a", "url": "/a.m4a", "vcodec": "none", "acodec": "aac", "abr": 128, "ext": "m4a",
                      "filesize_approx": 9},
            "hls 1080": {"format_id": "h", "url": "/h1080.m3u8", "manifest_url": self.origin + "/master.m3u8?expire=1800000000",
                         "protocol": "m3u8_native", "height": 1080, "vcodec": "h264", "acodec": "none", "ext": "mp4"},
            "hls 720": {"format_id": "h7", "url": "/h720.m3u8", "manifest_url": self.origin + "/master.m3u8?expire=1800000000",
                        "protocol": "m3u8_native", "height": 720, "vcodec": "h264", "acodec": "aac", "tbr": 1500, "ext": "mp4"},
            "dash": {"format_id": "d", "url": "/d.mpd", "protocol": "http_dash_segments", "height": 720, "vcodec": "h264",
                     "acodec": "aac", "ext": "mp4", "fragments": [{"url": "http://127.0.0.1/1"}]},
            "mpd": {"format_id": "m", "url": self.origin + "/m.mpd", "manifest_url": self.origin + "/m.mpd?expire=1800000000",
                    "protocol": "http_dash_segments", "height": 1080, "vcodec": "h264", "acodec": "none", "ext": "mp4",
                    "fragments": [{"url": "http://127.0.0.1/1"}]},
            "mpd sound": {"format_id": "ma", "url": self.origin + "/m.mpd", "manifest_url": self.origin + "/m.mpd?expire=1800000000",
                          "protocol": "http_dash_segments", "vcodec": "none", "acodec": "aac", "abr": 64, "ext": "m4a",
                          "fragments": [{"url": "http://127.0.0.1/1"}]},
            "drm": {"format_id": "x", "url": "/x.mp4", "height": 720, "has_drm": True, "ext": "mp4"},
        }
        return [table[one] for one in wanted]


class ResolveTests(Case):
    def test_a_direct_file_and_a_page_with_one_video(self):
        self.site.pages["/talk.mp4"] = 200, VIDEO, b"x" * 1000
        page = self.html("/watch", '<video><source src="/talk.mp4?expires=1800000000&sig=1" type="video/mp4"></video>')
        plugin = self.plugin()
        found = plugin.resolve(endpoint=self.origin + "/talk.mp4")["result"]
        self.assertEqual((found["url"], found["kind"], found["extension"]), (self.origin + "/talk.mp4", "file", "mp4"))
        found = plugin.resolve(endpoint=page)["result"]
        self.assertEqual(found["url"], self.origin + "/talk.mp4?expires=1800000000&sig=1")
        self.assertEqual(found["expires_at"], "2027-01-15T08:00:00Z")
        self.assertEqual(found["headers"]["Referer"], page)
        self.assertFalse({"Accept-Encoding", "Host", "Cookie"} & set(found["headers"]))

    def test_a_stream_is_answered_by_its_master_playlist(self):
        self.site.pages.update(stream(self.folder))
        page = self.html("/stream", '<video><source src="/hls/master.m3u8" type="application/x-mpegURL"></video>')
        for wanted in (["best"], ["36p"], ["audio"]):
            plugin = self.plugin()
            plugin.further = {"quality": wanted}
            found = plugin.resolve(endpoint=page)["result"]
            self.assertEqual((found["url"], found["kind"]), (self.origin + "/hls/master.m3u8", "hls"))
            self.assertNotIn("extension", found)

    def test_the_quality_chooses_the_format(self):
        page = self.page("/trial/v", formats=self.formats("360", "720", "1080 silent", "sound", "dash"))
        plugin = self.plugin()
        for wanted, path in [([], "/1080.mp4"), (["best"], "/1080.mp4"), (["worst"], "/360.mp4"), (["audio"], "/a.m4a"),
                             (["720p"], "/720.mp4"), (["719p"], "/360.mp4"), (["144p"], "/360.mp4"), (["600k"], "/360.mp4"),
                             (["100p", "audio"], "/a.m4a"), (["1000p", "worst"], "/720.mp4"), (["2500k"], "/720.mp4")]:
            plugin.further = {"quality": wanted}
            found = plugin.resolve(endpoint=page)["result"]
            self.assertEqual(found["url"], self.origin + path, wanted)
            self.assertEqual([t["url"] for t in found.get("tracks", [])], [self.origin + "/a.m4a"] if "1080" in path else [])
            self.assertEqual(found.get("size"), 77 if path == "/720.mp4" else None)

    def test_a_stream_is_taken_where_it_is_better_and_a_file_where_it_is_as_good(self):
        plugin = self.plugin()
        for names, url in [(("360", "hls 1080", "sound"), "/master.m3u8?expire=1800000000"), (("hls 720", "720"), "/720.mp4"),
                           (("sound",), "/a.m4a")]:
            found = plugin.resolve(endpoint=self.page("/trial/v", formats=self.formats(*names)))["result"]
            self.assertEqual(found["url"], self.origin + url)
        self.assertNotIn("size", found)

    def test_a_presentation_is_answered_by_its_own_address(self):
        plugin, mpd = self.plugin(), "/m.mpd?expire=1800000000"
        for names, wanted, path, kind in [
            (("mpd", "mpd sound"), ["best"], mpd, "dash"), (("mpd", "mpd sound"), ["audio"], mpd, "dash"),
            (("720", "mpd", "mpd sound"), ["best"], mpd, "dash"), (("720", "mpd", "mpd sound"), ["720p"], "/720.mp4", "file"),
            (("sound", "mpd", "mpd sound"), ["audio"], "/a.m4a", "file"),
        ]:
            plugin.further = {"quality": wanted}
            found = plugin.resolve(endpoint=self.page("/trial/v", formats=self.formats(*names)))["result"]
            self.assertEqual((found["url"], found["kind"]), (self.origin + path, kind), (names, wanted))
        self.assertNotIn("extension", plugin.resolve(endpoint=self.page("/trial/v", formats=self.formats("mpd")))["result"])

    def test_what_coursefetch_cannot_take_is_told(self):
        plugin = self.plugin()
        for names, kind, words in [(("1080 silent", "mpd sound"), "not_found", "different forms"),
                                   (("dash",), "not_found", "only http_dash_segments"), (("drm",), "drm", "encrypts")]:
            error = plugin.resolve(endpoint=self.page("/trial/v", formats=self.formats(*names)))["error"]
            self.assertEqual(error["data"]["kind"], kind)
            self.assertIn(words, error["message"])

    def test_separate_sound_comes_in_each_language(self):
        sound = self.formats("sound")[0]
        sounds = [dict(sound, format_id=f"{n}", url=f"/{n}.m4a", language=language, abr=abr, filesize=5)
                  for n, (language, abr) in enumerate([("de", 64), ("de", 128), ("en", 96), (None, 32)])]
        plugin = self.plugin()
        page = self.page("/trial/v", formats=[*sounds, *self.formats("360", "1080 silent")], cookie="s3")
        found = plugin.resolve(endpoint=page)["result"]
        self.assertEqual(found["url"], self.origin + "/1080.mp4")
        tracks = {t.get("lang"): t for t in found["tracks"]}
        self.assertEqual({k: t["url"].rsplit("/")[-1] for k, t in tracks.items()}, {"de": "1.m4a", "en": "2.m4a", None: "3.m4a"})
        self.assertEqual((tracks["de"]["headers"]["Cookie"], tracks["de"]["size"]), ("session=s3", 5))
        # At the same height the file with both.
        page = self.page("/trial/v", formats=self.formats("sound", "720") + [dict(self.formats("1080 silent")[0], height=720)])
        found = plugin.resolve(endpoint=page)["result"]
        self.assertEqual((found["url"], found.get("tracks")), (self.origin + "/720.mp4", None))
        # A film without any sound.
        found = plugin.resolve(endpoint=self.page("/trial/v", formats=self.formats("1080 silent")))["result"]
        self.assertEqual((found["url"], found.get("tracks")), (self.origin + "/1080.mp4", None))

    def test_cookies_subtitles_cover_and_duration_come_along(self):
        page = self.page(
            "/trial/v", formats=self.formats("720"), cookie="s3", duration=61.5, thumbnail=self.origin + "/c.jpg", subtitles={
                "en": [{"url": self.origin + "/en.srt", "ext": "srt"}, {"url": self.origin + "/en.vtt", "ext": "vtt"}],
                "de-AT": [{"url": self.origin + "/de.srt", "ext": "srt"}], "live_chat": [{"url": self.origin + "/c", "ext": "vtt"}],
                "fr": [{"url": self.origin + "/fr.m3u8", "ext": "vtt", "protocol": "m3u8_native"}]})
        found = self.plugin().resolve(endpoint=page)["result"]
        self.assertEqual(found["headers"]["Cookie"], "session=s3")
        self.assertEqual(found["subtitles"], [
            {"lang": "en", "url": self.origin + "/en.vtt"}, {"lang": "de-AT", "url": self.origin + "/de.srt"}])
        self.assertEqual((found["duration"], found["cover"]), (61.5, self.origin + "/c.jpg"))

    def test_the_login_the_cookies_file_and_the_settings_are_used(self):
        asked = []
        self.site.pages["/trial/v"] = lambda handler: asked.append(handler.headers) or json.dumps(
            {"who": True, "formats": self.formats("720")})
        cookies = self.folder / "cookies.txt"
        kept = "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tcanary-cookie\n"
        cookies.write_text(kept)
        plugin = self.plugin()
        plugin.ask(9, method="login", video=None, credentials={"sites": {"other.example": {"username": "a", "password": "b"}}},
                   secrets={"site": "http://127.0.0.1/", "username": "anna", "password": "canary-password"})
        credentials = plugin.answer()["result"]["credentials"]
        self.assertEqual(set(credentials["sites"]), {"127.0.0.1", "other.example"})
        plugin.further = {"credentials": credentials, "settings": {"user_agent": "coursefetch-test"}}
        found = plugin.resolve(endpoint=self.origin + "/trial/v", cookies_file=str(cookies))["result"]
        self.assertEqual((asked[0]["Cookie"], asked[0]["User-Agent"]), ("sid=canary-cookie", "coursefetch-test"))
        self.assertEqual((found["headers"]["Cookie"], found["headers"]["User-Agent"]), ("sid=canary-cookie", "coursefetch-test"))
        self.assertEqual(cookies.read_text(), kept)
        self.page("/trial/logins", who=True, formats=self.formats("720"))
        for _ in range(3):
            plugin.resolve(endpoint=self.origin + "/trial/logins", cookies_file=str(cookies))
        self.assertEqual(sum("Logging in" in line for line in plugin.logged), 1)
        # It goes to no other site, not even by a page of its own that leads there.
        plugin.further["credentials"] = {"sites": {"localhost": credentials["sites"]["127.0.0.1"], "0.0.1": {"username": "x"}}}
        self.site.pages["/leads"] = 302, {"Location": self.origin + "/trial/v"}, ""
        plugin.resolve(endpoint=self.origin.replace("127.0.0.1", "localhost") + "/leads", cookies_file=str(cookies))
        self.assertEqual(self.site.paths()[-3:], ["/leads", "/trial/v", "/trial/v"])
        self.assertEqual(sum("Logging in" in line for line in plugin.logged), 1)
        self.site.pages["/trial/v"] = json.dumps({"raise": "no canary-password, no canary-cookie, no anna"})
        error = plugin.resolve(endpoint=self.origin + "/trial/v", cookies_file=str(cookies))["error"]
        out, err = plugin.end()
        for canary in ("canary-password", "canary-cookie"):
            self.assertNotIn(canary, str(plugin.logged) + str(error) + str(out) + err)
        for wrong in ("/none", "/bin/sh", __file__, str(self.folder)):
            plugin = self.plugin()
            error = plugin.resolve(endpoint=self.origin + "/trial/v", cookies_file=wrong)["error"]
            self.assertEqual(error["data"], {"kind": "invalid_parameters", "parameter": "cookies_file"})
        # What is in the file isn't said.
        self.assertEqual(error["message"], "the cookies file can't be read: Is a directory")
        cookies.write_text(kept + "# x\nroot:canary-line:1\n")
        error = plugin.resolve(endpoint=self.origin + "/trial/v", cookies_file=str(cookies))["error"]
        self.assertEqual(error["message"], "the cookies file isn't in Netscape's format: see line 4")
        self.assertNotIn("canary", str(plugin.logged) + plugin.end()[1])

    def test_the_session_of_a_browser_is_used_and_another_one_added(self):
        asked = []
        self.site.pages["/trial/v"] = lambda handler: asked.append(handler.headers) or json.dumps(
            {"formats": self.formats("720")})
        kept = "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tcanary-{}\n"
        plugin, credentials = self.plugin(), {"sites": {"other.example": {"username": "a", "password": "b"}}}
        others = ".other.example\tTRUE\t/\tFALSE\t0\tsid\tcanary-other\n"
        for text in (kept.format("old") + others, kept.format("new")):
            plugin.ask(9, method="login", video=None, credentials=credentials, secrets={"cookies": text})
            credentials = plugin.answer()["result"]["credentials"]
        self.assertEqual(set(credentials["sites"]), {"other.example"})
        self.assertEqual(credentials["cookies"], kept.format("new") + others)
        plugin.ask(9, method="login", video=None, credentials=credentials,
                   secrets={"site": "third.example", "username": "anna", "password": "canary-password"})
        self.assertEqual(plugin.answer()["result"]["credentials"]["cookies"], credentials["cookies"])
        plugin.further = {"credentials": credentials}
        found = plugin.resolve(endpoint=self.origin + "/trial/v")["result"]
        self.assertEqual((asked[0]["Cookie"], found["headers"]["Cookie"]), ("sid=canary-new", "sid=canary-new"))
        plugin.resolve(endpoint=self.origin.replace("127.0.0.1", "localhost") + "/trial/v")
        # A file of the catalog counts before it.
        cookies = self.folder / "cookies.txt"
        cookies.write_text(kept.format("file"))
        plugin.resolve(endpoint=self.origin + "/trial/v", cookies_file=str(cookies))
        self.assertEqual({(h["Host"].partition(":")[0], h["Cookie"]) for h in asked}, {
            ("127.0.0.1", "sid=canary-new"), ("localhost", None), ("127.0.0.1", "sid=canary-file")})
        self.site.pages["/trial/v"] = json.dumps({"raise": "no canary-new, no canary-other"})
        error = plugin.resolve(endpoint=self.origin + "/trial/v")["error"]
        out, err = plugin.end()
        self.assertNotIn("canary", str(plugin.logged) + str(error) + str(out) + err)

    def test_a_proxy_and_a_ca_file_are_used(self):
        proxy = Pages({"http://media.example/talk.mp4": (200, VIDEO, b"x")})
        self.addCleanup(proxy.stop)
        plugin = self.plugin()
        plugin.further = {"settings": {"proxy": proxy.origin}}
        self.assertEqual(plugin.resolve(endpoint="http://media.example/talk.mp4")["result"]["extension"], "mp4")
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
        secure = Pages({"/talk.mp4": (200, VIDEO, b"x")}, certificate=(certificate, key))
        self.addCleanup(secure.stop)
        plugin = self.plugin()
        self.assertIn("isn't trusted", plugin.resolve(endpoint=secure.origin + "/talk.mp4")["error"]["message"])
        plugin = self.plugin()
        plugin.further = {"settings": {"ca_file": str(certificate)}}
        self.assertEqual(plugin.resolve(endpoint=secure.origin + "/talk.mp4")["result"]["extension"], "mp4")

    def test_what_the_site_says_becomes_an_error_of_its_kind(self):
        plugin = self.plugin()
        for said, kind in {
            "geo": "geo_blocked", "login": "auth_required", "live": "not_ready",
            "Private video. Sign in if you've been granted access to this video": "forbidden",
            "This video has been removed by the uploader": "gone", "Video unavailable": "not_found",
            "This video is DRM protected": "drm", "Join this channel to get access to members-only content": "forbidden",
            "The uploader has not made this video available in your country": "geo_blocked",
            "Too many requests": "rate_limited", "bug": "unavailable", "Premieres in 3 hours": "not_ready",
        }.items():
            error = plugin.resolve(endpoint=self.page("/trial/v", **{"raise": said}))["error"]
            self.assertEqual(error["data"]["kind"], kind, said)
            for noise in ("ERROR", "--cookies", "please report", "[Trial]"):
                self.assertNotIn(noise, error["message"])
        self.assertEqual(error["data"]["retry_after"], 3 * 3600)

    def test_a_video_that_has_not_begun_waits_until_it_does(self):
        plugin = self.plugin()
        begins = 1795215600 + 7200
        for page in ({"formats": self.formats("720")}, {}):
            error = plugin.resolve(endpoint=self.page("/trial/v", live_status="is_upcoming", release_timestamp=begins, **page))["error"]
            self.assertEqual(error["data"], {"kind": "not_ready", "retry_after": 7200})
        error = plugin.resolve(endpoint=self.page("/trial/v", live_status="is_live", formats=self.formats("720")))["error"]
        self.assertEqual(error["data"], {"kind": "not_ready"})

    def test_a_live_video_is_answered_by_its_playlist(self):
        page = self.page("/trial/v", live_status="is_live", formats=self.formats("720", "hls 720", "dash"))
        found = self.plugin().resolve(endpoint=page)["result"]
        self.assertEqual((found["url"], found["kind"]), (self.origin + "/master.m3u8?expire=1800000000", "hls"))

    def test_a_server_in_trouble(self):
        done = threading.Event()
        self.addCleanup(done.set)
        plugin = self.plugin()
        statuses = {401: "auth_required", 403: "forbidden", 404: "not_found", 410: "gone", 429: "rate_limited", 451: "geo_blocked",
                    500: "unavailable"}
        for status, kind in statuses.items():
            self.site.pages["/x"] = status, {"Retry-After": "120"}, "no"
            error = plugin.resolve(endpoint=self.origin + "/x?sig=canary")["error"]
            self.assertEqual(error["data"]["kind"], kind)
            self.assertEqual(error["data"].get("retry_after"), 120 if status in (429, 500) else None)
            self.assertRegex(error["message"], rf"^127\.0\.0\.1:\d+ answers {status}\b")
        self.html("/empty", "nothing")
        error = plugin.resolve(endpoint=self.origin + "/empty?sig=canary")["error"]
        self.assertEqual(error["message"], f"yt-dlp finds no video at {self.origin}/empty")
        self.assertEqual(error["data"], {"kind": "invalid_parameters", "parameter": "endpoint"})
        self.site.pages["/half"] = lambda handler: handler.raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<!doctype html><html>")
        self.assertIn("breaks its answer off", plugin.resolve(endpoint=self.origin + "/half")["error"]["message"])
        error = plugin.resolve(endpoint=f"http://127.0.0.1:{closed_port()}/x")["error"]
        self.assertEqual(error["data"]["kind"], "unavailable")
        self.assertRegex(error["message"], r"^there is no answer from 127\.0\.0\.1:\d+: Connection refused$")
        self.assertNotIn("canary", str(plugin.logged))

    def test_without_the_module_each_request_says_how_to_install_it(self):
        bare = Plugin(["-S", "-B", str(FOLDER / "provider.py")], PATH="/nowhere")
        self.addCleanup(bare.stop)
        for method in ("resolve", "list"):
            error = getattr(bare, method)(endpoint=self.origin)["error"]
            self.assertEqual(error["data"]["kind"], "unavailable")
            self.assertRegex(error["message"], "has no module yt_dlp; install it with: python3 -m pip install --upgrade yt-dlp")
        package = self.folder / "yt_dlp"
        package.mkdir()
        (package / "__init__.py").write_text("from . import version\n")
        (package / "version.py").write_text("__version__ = '2023.03.04'\n")
        old = Plugin(["-S", "-B", str(FOLDER / "provider.py")], PYTHONPATH=str(self.folder), PATH="/nowhere")
        self.addCleanup(old.stop)
        self.assertIn("is too old (2023.03.04; 2023.12.30 is needed)", old.resolve(endpoint=self.origin)["error"]["message"])

    def test_requests_at_the_same_time_do_not_disturb_each_other(self):
        together = threading.Barrier(4, timeout=20)
        for n in range(40):
            body = json.dumps({"formats": [{"url": f"/{n}.mp4", "ext": "mp4"}]})
            self.site.pages[f"/trial/{n}"] = lambda handler, n=n, body=body: n < 4 and together.wait() and "" or body
        plugin = self.plugin()
        for n in range(40):
            plugin.ask(n, video={"id": "v", "parameters": {"endpoint": f"{self.origin}/trial/{n}"}})
        answers = [plugin.answer() for _ in range(40)]
        self.assertEqual({a["id"]: a["result"]["url"] for a in answers}, {n: f"{self.origin}/{n}.mp4" for n in range(40)})

    def test_the_module_of_an_installed_program_is_found(self):
        self.site.pages["/talk.mp4"] = 200, VIDEO, b"x"
        # As pipx installs it: a program that names the Python of its environment.
        script = pathlib.Path(sys.prefix) / "bin"
        bare = shutil.which("python3", path="/usr/bin:/bin:/usr/local/bin") or sys.executable
        plugin = Plugin(["-S", "-B", str(FOLDER / "provider.py")], python=bare, PATH=f"{script}:/usr/bin:/bin")
        self.addCleanup(plugin.stop)
        self.assertEqual(plugin.resolve(endpoint=self.origin + "/talk.mp4")["result"]["kind"], "file")
        # As its makers hand it out: an archive.
        import yt_dlp
        archive = shutil.make_archive(
            str(self.folder / "archive"), "zip", pathlib.Path(yt_dlp.__file__).parents[1], "yt_dlp")
        (self.folder / "bin").mkdir()
        with open(self.folder / "bin/yt-dlp", "wb") as program:
            program.write(b"#!/usr/bin/env python3\n" + pathlib.Path(archive).read_bytes())
        (self.folder / "bin/yt-dlp").chmod(0o755)
        plugin = Plugin(["-S", "-B", str(FOLDER / "provider.py")], PATH=f"{self.folder}/bin:/usr/bin:/bin")
        self.addCleanup(plugin.stop)
        self.assertEqual(plugin.resolve(endpoint=self.origin + "/talk.mp4")["result"]["kind"], "file")


class ListTests(Case):
    def test_a_playlist_lists_its_videos_and_says_when_nothing_has_changed(self):
        entries = [
            {"path": "trial/one", "id": "one", "title": "One\ud83d", "duration": 61, "upload_date": "20261005", "description": "First"},
            {"path": "trial/two", "id": "two", "title": "Two", "timestamp": 1795215600},
            {"path": "trial/two", "id": "two", "title": "Two again"}, {"path": "trial/no", "id": "no", "title": "[Private video]"}]
        page = self.page("/trial-list/all", title="All", entries=entries)
        plugin = self.plugin()
        found = plugin.list(endpoint=page)["result"]
        known = found.pop("known")
        self.assertEqual(found, {"title": "All", "videos": [
            {"id": "one", "title": "One", "published_at": "2026-10-05T00:00:00Z", "duration": 61, "description": "First",
             "parameters": {"url": self.origin + "/trial/one"}},
            {"id": "two", "title": "Two", "published_at": "2026-11-20T23:00:00Z", "parameters": {"url": self.origin + "/trial/two"}}]})
        self.assertEqual(plugin.list(endpoint=page, known=known)["result"], {"unchanged": True, "known": known})
        self.page("/trial-list/all", title="All", entries=entries[:1])
        again = plugin.list(endpoint=page, known=known)["result"]
        self.assertEqual(len(again["videos"]), 1)
        self.assertNotEqual(again["known"], known)
        self.assertEqual(self.site.paths(), ["/trial-list/all"] * 3)
        self.page("/trial/two", formats=self.formats("720"))
        self.page("/trial-list/all", title="All", entries=entries)
        for parameters in ({"url": self.origin + "/trial/two"}, {}):
            self.assertEqual(plugin.resolve("two", endpoint=page, **parameters)["result"]["url"], self.origin + "/720.mp4")
        self.assertEqual(plugin.resolve("three", endpoint=page)["error"]["data"]["kind"], "not_found")

    def test_playlists_in_a_channel_are_its_chapters(self):
        self.page("/trial-list/a", title="Autumn", entries=[{"path": "trial/x", "id": "x", "title": "X"}])
        self.page("/trial-list/b", title="Winter", entries=[{"path": "trial/y", "id": "y"}, {"path": "trial/x", "id": "x"}])
        page = self.page("/trial-list/channel", title="C", entries=[
            {"path": "trial-list/a", "id": "a"}, {"path": "trial-list/b", "id": "b"}, {"path": "trial/z", "id": "z"}])
        found = self.plugin().list(endpoint=page)["result"]
        self.assertEqual([(c["id"], c["title"], [v["id"] for v in c["videos"]]) for c in found["chapters"]],
                         [("a", "Autumn", ["x"]), ("b", "Winter", ["y"])])
        self.assertEqual([v["id"] for v in found["videos"]], ["z"])

    def test_a_long_playlist_comes_in_pages(self):
        entries = [{"path": f"trial/{n}", "id": str(n), "title": "T" * 500 + str(n)} for n in range(2500)]
        page = self.page("/trial-list/long", title="Long", entries=entries)
        plugin = self.plugin()
        ids, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            if pages == 2:
                # The process that began it is gone.
                plugin.stop()
                plugin = self.plugin()
            found = plugin.list(endpoint=page, cursor=cursor)["result"]
            ids += [video["id"] for video in found["videos"]]
            cursor, pages = found.get("next"), pages + 1
        self.assertEqual(ids, [str(n) for n in range(2500)])
        self.assertGreater(pages, 2)
        self.page("/trial-list/long", title="Long", entries=entries[1:])
        error = plugin.list(endpoint=page, cursor="0" * 64 + ":1")["error"]
        self.assertEqual(error["data"]["kind"], "unavailable")

    def test_a_podcast_feed(self):
        self.site.pages["/feed.xml"] = 200, {"Content-Type": "application/rss+xml"}, f"""<?xml version="1.0"?>
            <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Talks</title>
            <item><title>First</title><guid>urn:1</guid><pubDate>Fri, 20 Nov 2026 23:00:00 GMT</pubDate>
            <itunes:duration>1:01</itunes:duration><enclosure url="{self.origin}/1.mp4" type="video/mp4"/></item>
            <item><title>Second</title><enclosure url="{self.origin}/2.mp4" type="video/mp4"/></item>
            <item><title>Signed</title><guid>urn:3</guid><enclosure url="{self.origin}/3.mp4?sig=canary" type="video/mp4"/></item>
            </channel></rss>"""
        plugin = self.plugin()
        found = plugin.list(endpoint=self.origin + "/feed.xml")["result"]
        self.assertNotIn("canary", str(found))
        self.assertEqual(found["videos"], [
            {"id": "urn:1", "title": "First", "published_at": "2026-11-20T23:00:00Z", "duration": 61,
             "parameters": {"url": self.origin + "/1.mp4"}},
            {"id": self.origin + "/2.mp4", "title": "Second", "parameters": {"url": self.origin + "/2.mp4"}},
            {"id": "urn:3", "title": "Signed", "parameters": {}}])
        for n in "123":
            self.site.pages[f"/{n}.mp4"] = 200, VIDEO, b"x"
        for video, path in zip(found["videos"], ("/1.mp4", "/2.mp4", "/3.mp4?sig=canary")):
            answer = plugin.resolve(video["id"], endpoint=self.origin + "/feed.xml", **video["parameters"])
            self.assertEqual(answer["result"]["url"], self.origin + path)

    def test_videos_without_pages_of_their_own_are_found_again_on_their_page(self):
        body = "".join(f'<video src="/media/{name}.mp4?sig={name}1"></video>' for name in "abc")
        page = self.html("/several", body)
        plugin = self.plugin()
        found = plugin.list(endpoint=page)["result"]
        self.assertEqual([(v["id"], v["parameters"]) for v in found["videos"]],
                         [(f"{self.origin}/media/{name}.mp4", {}) for name in "abc"])
        # Another signature, and another order.
        self.html("/several", '<video src="/media/new.mp4?sig=x"></video>' + body.replace("1\"", "2\""))
        answer = plugin.resolve(f"{self.origin}/media/b.mp4", endpoint=page)
        self.assertEqual(answer["result"]["url"], self.origin + "/media/b.mp4?sig=b2")

    def test_a_page_with_one_video_is_a_course_of_one(self):
        page = self.html("/watch", '<video src="/talk.mp4"></video>')
        videos = self.plugin().list(endpoint=page)["result"]["videos"]
        self.assertEqual([(v["title"], v["parameters"]) for v in videos], [("/watch", {})])

    def test_an_address_of_a_known_site_needs_no_request_and_another_page_a_video(self):
        plugin = self.plugin()
        known, empty = self.origin + "/trial-list/a", self.html("/empty", "<a href='x.html'>x</a>")
        video = self.html("/watch", '<video src="/talk.mp4"></video>')
        for address, expected in (
                (known, {"course": {"parameters": {"endpoint": known}}}), (video, {"course": {"parameters": {"endpoint": video}}}),
                (empty, {}), (self.origin + "/gone", {}), ("coursefetch:nothing", {}), ("ftp://h/a", {})):
            plugin.ask(3, method="recognise", video=None, address=address)
            self.assertEqual(plugin.answer()["result"], expected, address)
        self.assertNotIn("/trial-list/a", self.site.paths())

    def test_a_list_has_no_errors_of_videos(self):
        plugin = self.plugin()
        for said, kind in {"This video is DRM protected": "forbidden", "Premieres in 2 hours": "unavailable",
                           "login": "auth_required"}.items():
            page = self.page("/trial/v", **{"raise": said})
            self.assertEqual(plugin.list(endpoint=page)["error"]["data"]["kind"], kind)


class FixtureTests(Case):
    def test_the_fixtures_list_and_resolve(self):
        for file in (FOLDER / "fixtures").glob("*.http"):
            request, _, response = file.read_text().partition("\n\n")
            head, _, body = response.partition("\n\n")
            status, *headers = head.splitlines()
            body = body.replace("https://media.example.org", self.origin)
            self.site.pages[request.split()[1]] = int(status.split()[1]), dict(h.split(": ", 1) for h in headers), body
        plugin, page = self.plugin(), self.origin + "/talks/"
        found = plugin.list(endpoint=page)["result"]
        self.assertEqual(found["title"], "Talks of the autumn")
        answers = [plugin.resolve(v["id"], endpoint=page, **v["parameters"])["result"] for v in found["videos"]]
        self.assertEqual([(a["url"].removeprefix(self.origin), a["kind"]) for a in answers], [
            ("/media/opening.mp4?expires=1795248000&md5=iCmZ1bPlzQHVg4gN0GG1bw", "file"), ("/media/closing/master.m3u8", "hls")])
        self.assertEqual(answers[0]["expires_at"], "2026-11-21T08:00:00Z")
        self.assertEqual(answers[0]["subtitles"], [{"lang": "en", "url": self.origin + "/media/opening.en.vtt"}])


class SyncTests(Case):
    """With coursefetch itself."""

    def place(self):
        place = stage.Stage()
        self.addCleanup(place.close)
        shutil.copytree(FOLDER, place.plugins / "yt-dlp")
        shutil.copy(FOLDER.parents[1] / "contrib/python/coursefetch_provider.py", place.plugins / "yt-dlp")
        return place

    def test_a_link_that_expires_in_the_middle_of_a_file_is_asked_for_again(self):
        talk, signatures = film(self.folder / "talk.mp4", seconds=5), []

        def watch(_):
            signatures.append(f"sig={len(signatures)}")
            return f'<!doctype html><html><video src="/talk.mp4?{signatures[-1]}"></video></html>'

        def file(handler):
            if handler.path != f"/talk.mp4?{signatures[-1]}" or len(signatures) == 1 and handler.headers["Range"]:
                return 410, {}, "expired"
            if len(signatures) == 1:
                handler.raw(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nAccept-Ranges: bytes\r\nETag: \"1\"\r\n"
                            + f"Content-Length: {len(talk)}\r\n\r\n".encode() + talk[:len(talk) // 2])
                return None
            return 200, VIDEO, talk

        self.site.pages.update({"/watch": watch, "/talk.mp4": file})
        place = self.place()
        place.write([{"id": "c", "videos": [{"id": "v", "parameters": {"endpoint": self.origin + "/watch"}}]}], provider="yt-dlp")
        place.sync(exit=0)
        self.assertEqual(list(place.files().values()), [talk])
        self.assertEqual(len(signatures), 2)
        self.assertEqual(self.site.asked[-1].headers["Range"], f"bytes={len(talk) // 2}-")

    def test_the_best_picture_and_sound_become_one_file(self):
        def served(name, **what):
            self.site.pages[f"/{name}"] = 200, VIDEO, film(self.folder / name, **what)
            return f"/{name}"

        formats = [
            {"format_id": "both", "url": served("both.mp4", picture="640x360"), "height": 360, "ext": "mp4"},
            *({"format_id": f"s{lang}", "url": served(f"{lang}.m4a", picture=None), "vcodec": "none", "acodec": "aac",
               "abr": abr, "ext": "m4a", "language": lang} for lang, abr in (("de", 96), ("en", 128))),
            *({"format_id": f"{height}", "url": served(f"{height}.mp4", picture=f"{height * 16 // 9}x{height}", sound=False),
               "height": height, "vcodec": "h264", "acodec": "none", "ext": "mp4"} for height in (720, 1080))]
        self.page("/trial/v", formats=formats)
        place = self.place()
        package = place.plugins / "yt-dlp/yt_dlp_plugins/extractor"
        package.mkdir(parents=True)
        (package / "trial.py").write_text(EXTRACTOR)
        cases = [("best", [], 1080, ["eng"]), ("720p", ["de"], 720, ["deu"]), ("1080p", ["de", "en"], 1080, ["deu", "eng"])]
        place.write([{"id": quality, "quality": quality, **({"audio": audio} if audio else {}), "videos": [
            {"id": "v", "parameters": {"endpoint": self.origin + "/trial/v"}}]} for quality, audio, _, _ in cases], provider="yt-dlp")
        place.sync(exit=0)
        for quality, _, height, languages in cases:
            path = next((place.library / quality).rglob("*.mp4"))
            found = json.loads(subprocess.run(
                ["ffprobe", "-v", "error", "-show_streams", "-of", "json", str(path)], check=True, capture_output=True).stdout)
            self.assertEqual(found["streams"][0]["height"], height, quality)
            self.assertEqual([s["tags"]["language"] for s in found["streams"][1:]], languages, quality)

    def test_a_login_is_kept_for_its_site(self):
        place = self.place()
        secrets = self.folder / "secrets"
        secrets.write_text("site: https://127.0.0.1/\nusername: anna\npassword: canary-password\n")
        secrets.chmod(0o600)
        run = place.command("login", "--provider", "yt-dlp", "--secrets-from", secrets)
        self.assertEqual(run.exit, 0, run)
        kept = json.loads(next(place.state.rglob("credentials.json")).read_text())
        self.assertIn("\"sites\": {\"127.0.0.1\"", json.dumps(kept))
        self.site.pages["/401"] = 401, {}, ""
        place.write([{"id": "c", "videos": [{"id": "v", "parameters": {"endpoint": self.origin + "/401"}}]}], provider="yt-dlp")
        run = place.sync("-vv", exit=77)
        self.assertNotIn("canary", run.out + run.err)
        self.assertIn("answers 401", run.out)

    def test_a_session_alone_logs_in_and_its_end_is_shown(self):
        place = self.place()
        cookies = self.folder / "cookies.txt"
        cookies.write_text("127.0.0.1\tFALSE\t/\tFALSE\t4102444800\tsid\tcanary-cookie\n")
        cookies.chmod(0o600)
        run = place.command("login", "--provider", "yt-dlp", "--cookies", cookies)
        self.assertEqual(run.exit, 0, run)
        self.assertIn("until 1 Jan 2100", run.out)
        self.assertNotIn("canary", run.out + run.err)
        asked = []
        self.site.pages["/watch"] = lambda handler: asked.append(handler.headers["Cookie"]) or (401, {}, "")
        place.write([{"id": "c", "videos": [{"id": "v", "parameters": {"endpoint": self.origin + "/watch"}}]}], provider="yt-dlp")
        place.sync("-vv", exit=77)
        self.assertEqual(set(asked), {"sid=canary-cookie"})

    def test_files_and_streams_of_pages_are_downloaded(self):
        talk = film(self.folder / "talk.mp4")
        media = self.folder / "hls"
        media.mkdir()
        self.site.pages.update({**stream(media), "/talk.mp4": (200, VIDEO, talk)})
        self.html("/watch", '<video src="/talk.mp4"></video>')
        self.html("/stream", '<video><source src="/hls/master.m3u8" type="application/x-mpegURL"></video>')
        self.html("/several", '<video src="/talk.mp4?sig=1"></video><video src="/other.mp4?sig=2"></video>')
        self.site.pages["/other.mp4"] = 200, VIDEO, film(self.folder / "other.mp4", seconds=2)
        place = self.place()
        place.write([
            {"id": "pages", "videos": [
                {"id": "watch", "title": "Watch", "parameters": {"endpoint": self.origin + "/watch"}},
                {"id": "stream", "title": "Stream", "parameters": {"endpoint": self.origin + "/stream"}}]},
            {"id": "several", "parameters": {"endpoint": self.origin + "/several"}, "videos": [
                {"id": self.origin + "/other.mp4", "title": "Other"}]}], provider="yt-dlp")
        place.sync(exit=0)
        files = {pathlib.Path(path).name: data for path, data in place.files().items()}
        self.assertEqual(files["01 Watch.mp4"], talk)
        self.assertEqual(files["01 Other.mp4"], (self.folder / "other.mp4").read_bytes())
        path = next(place.library.rglob("02 Stream.mp4"))
        probe = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=height,codec_type", "-of", "csv", str(path)],
                               check=True, capture_output=True, text=True).stdout
        self.assertIn("72", probe)
        self.assertIn("audio", probe)
        asked = len(self.site.asked)
        place.sync(exit=0)
        self.assertEqual(len(self.site.asked), asked)


if __name__ == "__main__":
    unittest.main()
