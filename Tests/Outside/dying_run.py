"""No host, plugin or catalog ends a run by force, and none makes later runs end so (issue 8, items 8 to 11)."""

import re
import resource
import signal
import time
import unicodedata

import media
from host import File
from stage import descendants
from wrong_file import Case


class HostileHeads(Case):
    """Item 8: a first header line that begins with a blank, and others on the same connection."""

    def night(self, lies, *arguments):
        table, videos, good = {}, [], {}
        for index, lie in enumerate(lies):
            table[f"bad{index}"] = self.host.at(f"/bad{index}", lie)
            table[f"good{index}"] = self.host.at(f"/good{index}", File(media.mp4(index, 20000)))
            good[f"good{index}"] = media.mp4(index, 20000)
            videos += [f"bad{index}", f"good{index}"]
        self.stage.urls(table)
        self.stage.write({"phys": videos})
        self.stage.sync("--retries", 2, "--max-wait", "2s", *arguments)
        for name, body in good.items():
            self.has(f" {name}.mp4", body)

    @staticmethod
    def folded(status_line, *more):
        body = media.mp4(3, 1000)

        def handler(x):
            lines = [status_line, *more, f"Content-Length: {len(body)}"]
            x.send(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        return handler

    def test_a_first_header_line_that_begins_with_a_blank_kills_nothing(self):
        lies = [self.folded("HTTP/1.1 200 OK", blank + "folded: x") for blank in (" ", "\t", "  ")] * 2
        self.night(lies, "--jobs", 1)

    def test_a_first_header_line_that_begins_with_a_blank_kills_nothing_with_many_at_once(self):
        lies = [self.folded("HTTP/1.1 200 OK", " x"), self.folded("HTTP/1.1 404 No", "\tx"),
                self.folded("HTTP/1.1 206 Part", " Content-Range: bytes 0-9/10")] * 4
        self.night(lies, "--jobs", 8)

    def test_blanks_in_a_redirects_head_kill_nothing(self):
        target = self.host.at("/target", File(media.mp4(5, 3000)))
        self.night([self.folded("HTTP/1.1 302 Found", " x", f"Location: {target}"),
                    self.folded("HTTP/1.1 302 Found", f"Location:", f" {target}")] * 3, "--jobs", 2)

    def test_blanks_in_informational_heads_kill_nothing(self):
        def handler(x):
            x.send(b"HTTP/1.1 100 Continue\r\n folded\r\n\r\nHTTP/1.1 103 Hints\r\n\tfolded\r\n\r\n")
            x.send(b"HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 4\r\n\r\nabcd")
        self.night([handler] * 6, "--jobs", 2)

    def test_blanks_in_the_trailers_of_a_chunked_body_kill_nothing(self):
        body = media.mp4(3, 1000)

        def handler(x):
            x.head(200, transfer_encoding="chunked", content_type="video/mp4")
            x.chunk(body)
            x.send(b"0\r\n folded\r\n\tfolded\r\nX: y\r\n\r\n")
        self.night([handler] * 6, "--jobs", 2)

    def test_heads_that_are_no_heads_kill_nothing(self):
        garbage = [
            b"\x00\x00\x00\x00", b"HTTP/1.1\r\n\r\n", b"HTTP/9.9 999 \r\n\r\n", b"ICY 200 OK\r\n\r\nabc", b"\r\n" * 50,
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc",
            b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 6000 + b"\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000 + b"\r\n\r\n"]

        def lie(data):
            def handler(x):
                x.send(data)
                return False
            return handler
        self.night([lie(data) for data in garbage])


class HugeSizes(Case):
    """Item 9."""

    def survives(self, videos, table, *arguments):
        self.stage.urls(table)
        self.stage.write([{"id": "phys", "subtitles": "all", "videos": videos}])
        for _ in range(2):
            self.stage.sync("--retries", 1, "--max-wait", "1s", *arguments)
            self.stage.sync("--dry-run")
            self.stage.command("status")
            self.stage.command("status", "--all", "--json")
            self.stage.command("retry", "--all")
        self.stage.command("verify")

    def promises(self, **head):
        def handler(x):
            x.head(head.get("status", 200), etag='"x"', content_type="video/mp4",
                   **{k: v for k, v in head.items() if k != "status"})
            x.send(media.mp4(1, 60000))
            x.host.closing.wait(1.5)
            return False
        return handler

    def test_two_hosts_that_promise_nine_exabytes_kill_nothing(self):
        lie = self.promises(content_length=9 * 10**18, accept_ranges="bytes")
        self.survives(["a", "b", "c"], {v: self.host.at(f"/{v}", lie) for v in "abc"})

    def test_a_total_of_nine_exabytes_in_a_content_range_kills_nothing(self):
        def handler(x):
            start = x.request.range_start
            if start is None:
                return self.promises(content_length=200000)(x)
            x.answer(206, b"x" * 1000, etag='"x"', content_range=f"bytes {start}-{start + 999}/{2**63 - 1}")
        self.survives(["a", "b"], {v: self.host.at(f"/{v}", handler) for v in "ab"})

    def test_catalog_sizes_whose_sum_overflows_kill_nothing(self):
        videos = [{"id": f"v{i}", "size": 2**53} for i in range(1025)]
        self.survives(videos, {})

    def test_plugins_that_promise_nine_exabytes_kill_nothing(self):
        url = self.host.at("/a", File(media.mp4(1, 1000)))
        self.survives(["a", "b", "c"], {v: {"url": url, "size": 2**63 - 1} for v in "abc"})
        self.assertEqual(self.stage.files(), {}, "nothing of that size has come")

    def test_subtitles_attachments_and_covers_of_nine_exabytes_kill_nothing(self):
        lie = self.promises(content_length=9 * 10**18)
        url, huge = self.host.at("/a", File(media.mp4(1, 1000))), [self.host.at(f"/s{i}", lie) for i in range(4)]
        self.survives(["a", "b"], {v: {
            "url": url, "cover": huge[0], "subtitles": [{"lang": "en", "url": huge[1]}],
            "attachments": [{"title": "x", "url": huge[2]}, {"title": "y", "url": huge[3]}]} for v in "ab"})

    def test_playlists_with_ranges_and_times_beyond_all_bounds_kill_nothing(self):
        top = 2**63 - 1
        texts = [
            f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n#EXT-X-BYTERANGE:{top}@{top}\ns.ts\n#EXTINF:4,\n"
            f"#EXT-X-BYTERANGE:{top}\ns.ts\n#EXT-X-ENDLIST\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + "#EXTINF:1e308,\ns.ts\n" * 20 + "#EXT-X-ENDLIST\n",
            f"#EXTM3U\n#EXT-X-TARGETDURATION:{top}\n#EXT-X-MEDIA-SEQUENCE:{top}\n"
            f"#EXT-X-DISCONTINUITY-SEQUENCE:{top}\n#EXTINF:4,\ns.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:4,\ns.ts\n#EXT-X-ENDLIST\n",
            f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH={top},RESOLUTION={top}x{top},FRAME-RATE=1e999\nv.m3u8\n"
            f"#EXT-X-STREAM-INF:BANDWIDTH={top},AVERAGE-BANDWIDTH={top}\nv.m3u8\n"]
        self.host.at("/s.ts", self.promises(content_length=9 * 10**18))
        table = {}
        for index, text in enumerate(texts):
            url = self.host.at(f"/p{index}.m3u8", File(text.encode(), kind="application/vnd.apple.mpegurl"))
            table[f"v{index}"] = {"url": url, "kind": "hls"}
        self.survives(list(table), table, "--ffmpeg", "none")


class Spellings(Case):
    """Item 10."""

    @staticmethod
    def spelled(form, course, chapter, video, title):
        def id(text):
            return unicodedata.normalize(form, text)
        return [{"id": id(course), "chapters": [{"id": id(chapter), "title": title, "videos": [
            {"id": id(video), "title": "intro"}, {"id": "plain"}]}]}]

    def same(self, course, chapter, video):
        self.stage.plugin("lectures", f'def answer(params): return {{"url": {self.host.url("/v")!r}}}')
        body = media.mp4(1, 30000)
        self.host.at("/v", File(body, etag='"1"'))
        for round, form in enumerate(("NFC", "NFD", "NFD", "NFC", "NFC")):
            self.stage.write(self.spelled(form, course, chapter, video, f"Kapitel {round // 2}"))
            self.stage.sync(exit=0)
            self.assertEqual(self.stage.command("status").exit, 0)
            self.has("intro", body)
            if round == 0:
                self.host.forget()
        self.assertEqual(self.host.asked(), [], "another spelling is no other video")
        self.assertEqual(len(self.stage.status()), 2)
        self.assertEqual(self.stage.command("verify").exit, 0)

    def test_a_chapter_spelled_in_another_way_under_another_title_is_the_same_chapter(self):
        self.same("phys", "Ölfläche", "intro")

    def test_a_course_spelled_in_another_way_is_the_same_course(self):
        self.same("Älteres", "one", "intro")

    def test_a_video_spelled_in_another_way_is_the_same_video(self):
        self.same("phys", "one", "Übung")

    def test_everything_spelled_in_another_way_is_the_same(self):
        self.same("Ångström", "Ölfläche", "Übung é")

    def test_two_chapters_whose_spellings_swap_stay_two(self):
        self.stage.plugin("lectures", f'def answer(params): return {{"url": {self.host.url("/")!r} + params["video"]["id"]}}')
        bodies = {v: media.mp4(v, 20000) for v in ("a", "b")}
        for video, body in bodies.items():
            self.host.at(f"/{video}", File(body))
        for round in range(4):
            titles = ("Eins", "Zwei") if round % 2 else ("Zwei", "Eins")
            form = "NFD" if round in (1, 2) else "NFC"
            self.stage.write([{"id": "phys", "chapters": [
                {"id": unicodedata.normalize(form, "Ö1"), "title": titles[0], "videos": ["a"]},
                {"id": unicodedata.normalize(form, "Ö2"), "title": titles[1], "videos": ["b"]}]}])
            self.stage.sync(exit=0)
            for video, body in bodies.items():
                self.has(f"{video}.mp4", body)
        self.assertEqual(len(self.host.asked()), 2)


LINGER = '''
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def answer(params):
    print(json.dumps({"id": request["id"], "result": {}}), flush=True)
    while True: time.sleep(1)
'''

NO_ID = '''
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def answer(params):
    print(json.dumps({"result": {}}), flush=True)
    while True: time.sleep(1)
'''


class LingeringPlugins(Case):
    """Item 11."""

    def breed(self, body, limits=(), **manifest):
        good = [f"good{i}" for i in range(12)]
        bodies = {video: media.mp4(video, 30000) for video in good}
        self.stage.urls({v: self.host.at(f"/{v}", File(bodies[v])) for v in good}, name="good")
        self.stage.plugin("bad", body, timeout=5, **manifest)
        self.stage.write([
            {"id": "bad", "provider": "bad", "videos": [f"bad{i}" for i in range(40)]},
            {"id": "good", "provider": "good", "videos": good}])
        running = self.stage.start_sync("--max-wait", "2s", "--retries", 2, limits=limits)
        most, deadline = 0, time.monotonic() + 60
        while running.process.poll() is None and time.monotonic() < deadline:
            most = max(most, len(descendants(running.process.pid)))
            time.sleep(0.1)
        run = running.end(1)
        self.assertGreaterEqual(run.exit, 0, run)
        self.assertIn(run.exit, (1, 69, 75), run)
        # Two plugins, a watchdog, and few that are on their way out.
        self.assertLessEqual(most, 12, "wrong answers breed processes")
        for video, body in bodies.items():
            self.has(f"{video}.mp4", body)

    def test_wrong_answers_of_a_plugin_that_lingers_breed_no_processes(self):
        self.breed(LINGER)

    def test_answers_without_an_id_of_a_plugin_that_lingers_breed_no_processes(self):
        self.breed(NO_ID)

    def test_wrong_answers_at_once_breed_no_processes(self):
        self.breed(LINGER, concurrency=8)

    def test_with_few_descriptors_another_providers_videos_arrive_and_the_run_ends(self):
        self.breed(LINGER, limits=[(resource.RLIMIT_NOFILE, 64)])

    def test_with_very_few_descriptors_the_run_ends_with_a_true_sentence(self):
        videos = [f"v{i}" for i in range(12)]
        self.stage.urls({v: self.host.at(f"/{v}", File(media.mp4(v, 30000))) for v in videos})
        self.stage.write({"phys": videos})
        for limit in (40, 32, 26, 20, 16):
            run = self.stage.sync("--jobs", 8, "--max-wait", "2s", "--retries", 2, limits=[(resource.RLIMIT_NOFILE, limit)])
            self.assertIsNone(re.search(r"errno|\bfstat\b", run.out + run.err), run)
            self.stage.command("retry", "--all")
        self.stage.sync(exit=0)
        for video in videos:
            self.has(f"{video}.mp4", media.mp4(video, 30000))
