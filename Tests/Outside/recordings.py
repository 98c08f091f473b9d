"""Streams that are recorded while they are live: a playlist that grows, slides, lies, and goes."""

import json
import signal
import sqlite3
import threading
import time

import media
from wrong_file import Case
from host import File
from stage import wait_until

KIND = "application/vnd.apple.mpegurl"


class Lecture:
    """A live stream of short segments. What its playlist names is told by `show`; `air` does so as time goes by."""

    def __init__(self, host, path="/live", seconds=1):
        self.host, self.path, self.seconds = host, path, seconds
        self.bodies, self.shown, self.discontinuities = {}, range(0), set()

    @property
    def url(self):
        return self.host.url(f"{self.path}.m3u8")

    def segment(self, number):
        if number not in self.bodies:
            self.bodies[number] = media.ts(number, number * self.seconds)
            self.host.at(f"{self.path}-{number}.ts", File(self.bodies[number], etag=f'"{number}"', kind="video/mp2t"))
        return self.bodies[number]

    def text(self, numbers, end=False, kind=None, query=""):
        lines = ["#EXTM3U", f"#EXT-X-TARGETDURATION:{self.seconds}", f"#EXT-X-MEDIA-SEQUENCE:{numbers[0]}"]
        lines += [f"#EXT-X-PLAYLIST-TYPE:{kind}"] if kind else []
        for number in numbers:
            self.segment(number)
            lines += ["#EXT-X-DISCONTINUITY"] if number in self.discontinuities else []
            lines += [f"#EXTINF:{self.seconds}.0,", f"{self.path.rpartition('/')[2]}-{number}.ts{query}"]
        return ("\n".join(lines + (["#EXT-X-ENDLIST"] if end else [])) + "\n").encode()

    def show(self, numbers, end=False, **how):
        text = self.text(numbers, end, **how)
        self.shown = numbers
        self.host.at(f"{self.path}.m3u8", File(text, kind=KIND))

    def air(self, count, window, every=0.25, kind=None):
        """Shows `count` segments one after the other, the last `window` of them at a time; then the end mark."""
        def run():
            for number in range(1, count + 1):
                self.show(range(max(0, number - window), number), kind=kind)
                time.sleep(every)
            self.show(range(max(0, count - window), count), end=True, kind=kind)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def bytes(self, numbers):
        return b"".join(self.segment(number) for number in numbers)


class Recordings(Case):
    def setUp(self):
        super().setUp()
        self.lecture = Lecture(self.host)
        self.stage.urls({"intro": {"url": self.lecture.url, "kind": "hls"}})
        self.write()

    def write(self, **settings):
        self.stage.write([{"id": "phys", "videos": ["intro"], "live": "record", **settings}])

    def start(self, *options):
        return self.stage.start_sync("--ffmpeg", "none", *options)

    def asked_segments(self):
        return [int(r.path.partition("-")[2].partition(".")[0]) for r in self.host.asked() if ".ts" in r.path]

    def joined(self, count):
        """Waits until so many segments are in the partial, and the state knows it."""
        wait_until(lambda: any(joined >= count for joined in self.positions()), 30)

    def positions(self):
        """How many segments are joined of each video that has begun."""
        try:
            rows = self.stage.rows("stream")
        except (StopIteration, sqlite3.OperationalError):
            return []
        return [json.loads(stream)["tracks"][0]["next"] for (stream,) in rows if stream]

    def warnings(self, run):
        return [e["message"] for e in run.events if e["event"] == "warning"]

    def finished(self, run, numbers):
        self.assertEqual(run.exit, 0, run)
        self.assertEqual(run.of("download_failed"), [], run)
        self.has("intro", self.lecture.bytes(numbers))
        self.assertEqual(self.stage.partials(), [])
        self.assertEqual(self.stage.command("verify").exit, 0)
        asked = len(self.host.asked())
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.assertEqual(len(self.host.asked()), asked)

    def test_a_list_that_grows_is_appended_until_its_end_mark(self):
        airing = self.lecture.air(12, window=100, kind="EVENT")
        run = self.start().end()
        airing.join()
        self.assertEqual(self.warnings(run), [])
        self.assertEqual(sorted(self.asked_segments()), list(range(12)))
        self.finished(run, range(12))

    def test_a_list_that_slides_is_recorded_whole_while_a_sync_runs(self):
        self.lecture.show(range(0, 3))
        running = self.start()
        self.joined(3)
        airing = self.lecture.air(20, window=6)
        run = running.end()
        airing.join()
        self.assertEqual(self.warnings(run), [])
        self.finished(run, range(20))

    def test_without_the_key_a_live_stream_waits_as_before(self):
        self.write(live="wait")
        self.lecture.show(range(3))
        self.assertEqual(self.stage.sync("--ffmpeg", "none", exit=0).of("download_finished"), [])
        self.assertEqual(self.asked_segments(), [])
        self.assertEqual(self.stage.status()["phys", "intro"]["state"], "waiting")

    def test_what_passed_while_nobody_recorded_is_a_gap_that_is_told(self):
        for stop in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(stop=stop):
                self.lecture.show(range(5))
                running = self.start()
                self.joined(5)
                run = running.stop(stop)
                self.assertEqual(run.exit, 75 if stop == signal.SIGTERM else -9, run)
                self.lecture.show(range(9, 12))
                running = self.start()
                self.joined(9)
                self.lecture.show(range(9, 13), end=True)
                run = running.end()
                self.assertEqual(
                    self.warnings(run),
                    ["the recording has a gap after 5s: its host no longer had 4 segments"])
                self.assertEqual(sorted(self.asked_segments()), [*range(5), *range(9, 13)])
                self.finished(run, [*range(5), *range(9, 13)])
                self.stage.command("remove", "intro", "--yes")
                self.stage.close()
                self.setUp()

    def test_after_a_kill_it_continues_at_the_next_segment(self):
        self.lecture.show(range(4))
        running = self.start()
        self.joined(4)
        running.stop(signal.SIGKILL)
        self.lecture.show(range(2, 7), end=True)
        run = self.start().end()
        self.assertEqual(self.warnings(run), [])
        # One of those that are joined is compared with what the playlist names now.
        self.assertEqual(sorted(self.asked_segments()), [0, 1, 2, 3, 3, 4, 5, 6])
        self.finished(run, range(7))

    def test_the_whole_lecture_goes_before_a_recording_with_a_gap(self):
        self.lecture.show(range(5, 8))
        running = self.start()
        self.joined(3)
        running.stop()
        self.lecture.show(range(0, 20), end=True, kind="VOD")
        run = self.start().end()
        self.finished(run, range(20))

    def test_a_whole_lecture_that_its_host_has_thrown_away_replaces_nothing(self):
        self.lecture.show(range(5, 8))
        running = self.start()
        self.joined(3)
        running.stop()
        self.lecture.show(range(0, 10), end=True, kind="VOD")
        for number in range(5):
            self.host.at(f"/live-{number}.ts", lambda x: x.answer(404))
        run = self.start().end()
        self.finished(run, range(5, 10))

    def test_another_whole_lecture_replaces_nothing(self):
        self.lecture.show(range(100, 110))
        running = self.start()
        self.joined(10)
        running.stop()
        other = Lecture(self.host, "/other")
        self.host.at("/live.m3u8", File(other.text(range(40), end=True), kind=KIND))
        run = self.start().end()
        self.assertEqual(self.warnings(run), ["another stream has taken its place: the recording ends here"])
        self.finished(run, range(100, 110))

    def test_a_short_list_of_another_numbering_never_replaces_what_was_recorded(self):
        self.lecture.show(range(100, 110))
        running = self.start()
        self.joined(10)
        self.lecture.show(range(3), end=True)
        run = running.end()
        self.assertEqual(
            self.warnings(run), ["the live stream began anew: something may be missing after 10s"])
        self.finished(run, [*range(100, 110), *range(3)])

    def test_a_shorter_film_of_the_lecture_isnt_appended_to_the_recording(self):
        for between in (True, False):
            with self.subTest(between=between):
                self.lecture.show(range(100, 120))
                running = self.start()
                self.joined(20)
                if between:
                    running.stop()
                film = Lecture(self.host, "/film")
                self.host.at("/live.m3u8", File(film.text(range(15), end=True, kind="VOD"), kind=KIND))
                run = self.start().end() if between else running.end()
                self.assertEqual(self.warnings(run), ["another stream has taken its place: the recording ends here"])
                self.finished(run, range(100, 120))
                self.stage.close()
                self.setUp()

    def test_links_that_expire_are_asked_for_again_without_a_gap(self):
        valid = set()

        def guarded(body, kind):
            def handler(x):
                token = x.request.path.rpartition("=")[2]
                return File(body(token), kind=kind)(x) if token in valid else x.answer(403)
            return handler

        def show(numbers, end=False):
            self.host.at("/live.m3u8", guarded(lambda token: self.lecture.text(numbers, end=end, query=f"?t={token}"), KIND))
            for number in numbers:
                body = self.lecture.segment(number)
                self.host.at(f"/live-{number}.ts", guarded(lambda _, body=body: body, "video/mp2t"))

        def renew(token):
            valid.clear()
            valid.add(token)
            self.stage.urls({"intro": {"url": self.host.url(f"/live.m3u8?t={token}"), "kind": "hls"}})

        renew("t0")
        show(range(3))
        running = self.start()
        self.joined(3)
        for step, token in enumerate(["t1", "t2", "t3"]):
            renew(token)
            show(range(step, 4 + step))
            self.joined(4 + step)
        show(range(3, 7), end=True)
        run = running.end()
        self.assertEqual(self.warnings(run), [])
        self.assertEqual(len(set(map(str, self.asked_segments()))), 7)
        self.finished(run, range(7))

    def test_a_segment_that_its_host_never_gives_is_a_gap_that_is_told(self):
        self.lecture.show(range(3))
        running = self.start()
        self.joined(3)
        self.lecture.show(range(6))
        self.host.at("/live-4.ts", lambda x: x.answer(404))
        wait_until(lambda: any(joined >= 6 for joined in self.positions()), 60)
        self.lecture.show(range(7), end=True)
        run = running.end()
        self.assertEqual(
            self.warnings(run), ["the recording has a gap after 4s: its host no longer had 1 segment"])
        self.finished(run, [0, 1, 2, 3, 5, 6])

    def test_a_list_that_is_away_for_a_moment_ends_nothing(self):
        self.lecture.show(range(3))
        running = self.start()
        self.joined(3)
        for handler in (lambda x: x.answer(404), lambda x: x.answer(503), lambda x: x.answer(200, b"<html>", content_type="text/html")):
            self.host.at("/live.m3u8", handler)
            time.sleep(2)
        self.lecture.show(range(1, 6), end=True)
        run = running.end()
        self.assertEqual(self.warnings(run), [])
        self.finished(run, range(6))

    def age(self, seconds):
        """As if the last segment had come so long ago."""
        path = next(self.stage.state.rglob("state.sqlite"))
        with sqlite3.connect(path, timeout=10) as database:
            (stream,) = database.execute("SELECT stream FROM downloads").fetchone()
            record = json.loads(stream)
            record["recording"]["grownAt"] -= seconds
            database.execute("UPDATE downloads SET stream = ?", (json.dumps(record),))

    def begun(self):
        self.lecture.show(range(5))
        running = self.start()
        self.joined(5)
        running.stop()
        self.age(2 * 3600)

    def test_a_stream_that_is_gone_for_an_hour_leaves_what_was_recorded(self):
        self.begun()
        self.host.at("/live.m3u8", lambda x: x.answer(404))
        run = self.start().end(90)
        self.assertEqual(self.warnings(run), ["the stream is gone, without an end mark: the recording ends here"])
        self.finished(run, range(5))

    def test_another_lecture_at_the_same_address_isnt_appended(self):
        self.begun()
        other = Lecture(self.host, "/other")
        other.show(range(1000, 1005))
        self.host.at("/live.m3u8", File(other.text(range(2000, 2005)), kind=KIND))
        run = self.start().end()
        self.assertEqual(self.warnings(run), ["another stream has taken its place: the recording ends here"])
        self.finished(run, range(5))

    def test_a_stream_that_stands_still_for_an_hour_is_over(self):
        self.begun()
        run = self.start().end(90)
        self.assertEqual(
            self.warnings(run), ["the stream hasn't grown for an hour, and has no end mark: the recording ends here"])
        self.finished(run, range(5))

    def test_taking_the_key_out_ends_a_recording(self):
        self.lecture.show(range(5))
        running = self.start()
        self.joined(5)
        running.stop()
        self.write(live="wait")
        run = self.start().end()
        self.assertEqual(
            self.warnings(run), ["the catalog doesn't say live: record any more: the recording ends here"])
        self.finished(run, range(5))

    def test_a_stream_that_never_ends_stops_at_the_largest_size(self):
        self.lecture.show(range(5))
        self.write(max_size=len(self.lecture.bytes(range(5))))
        run = self.start().end()
        self.assertEqual(
            self.warnings(run),
            ["the recording is as large as --max-size, or max_size in the catalog, allows: the recording ends here"])
        self.finished(run, range(5))

    def test_two_videos_at_one_live_address_never_count_as_one_file(self):
        self.stage.write([{"id": "phys", "videos": ["intro"], "live": "record"}])
        self.lecture.show(range(3), end=True)
        self.start().end()
        self.stage.urls({name: {"url": self.lecture.url, "kind": "hls"} for name in ("intro", "second")})
        self.stage.write([{"id": "phys", "videos": ["intro", "second"], "live": "record"}])
        self.lecture.show(range(10, 12))
        running = self.start()
        self.joined(2)
        self.lecture.show(range(10, 13), end=True)
        self.assertEqual(running.end().exit, 0)
        self.has("second", self.lecture.bytes(range(10, 13)))
        self.has("intro", self.lecture.bytes(range(3)))


    def begin(self, count=5):
        self.lecture.show(range(count))
        running = self.start()
        self.joined(count)
        return running

    def restarted(self, numbers, end=False):
        """The encoder's next session: the same numbers and names, other bytes."""
        for number in range(10):
            body = self.lecture.bodies[number] = media.ts(1000 + number, 100 + number)
            self.host.at(f"/live-{number}.ts", File(body, etag=f'"new {number}"', kind="video/mp2t"))
        self.lecture.show(numbers, end=end)

    def test_an_encoder_that_starts_anew_with_the_same_names_begins_another_part(self):
        for stop in (None, signal.SIGKILL):
            with self.subTest(stop=stop):
                running = self.begin(5)
                first = self.lecture.bytes(range(5))
                if stop:
                    running.stop(stop)
                self.restarted(range(3))
                running = self.start() if stop else running
                self.joined(8)
                self.lecture.show(range(7), end=True)
                run = running.end()
                self.assertEqual(self.warnings(run), ["the live stream began anew: something may be missing after 5s"])
                self.assertEqual(run.exit, 0, run)
                self.has("intro", first + self.lecture.bytes(range(7)))
                self.stage.close()
                self.setUp()

    def test_a_cache_that_is_behind_adds_nothing(self):
        running = self.begin(8)
        for numbers in (range(2, 6), range(8), range(3, 7), range(4, 9), range(2, 8)):
            self.lecture.show(numbers)
            time.sleep(1.2)
        self.lecture.show(range(4, 10), end=True)
        run = running.end()
        self.assertEqual(self.warnings(run), [])
        self.finished(run, range(10))

    def test_segments_that_are_called_otherwise_each_time_come_once(self):
        asked = []

        def told(x):
            asked.append(x)
            first = max(0, min(len(asked) - 3, 9))
            lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
            for number in range(first, first + 4):
                body = self.lecture.segment(number)
                lines += ["#EXTINF:1.0,", self.host.at(f"/{len(asked)}-{number}.ts", File(body, kind="video/mp2t"))]
            File(("\n".join(lines + ["#EXT-X-ENDLIST"] * (first == 9)) + "\n").encode(), kind=KIND)(x)

        self.host.at("/live.m3u8", told)
        run = self.start().end()
        self.assertEqual(self.warnings(run), [])
        self.finished(run, range(13))

    def test_a_list_whose_last_line_is_cut_repeats_nothing(self):
        running = self.begin(4)
        for count in (5, 6, 7):
            self.lecture.show(range(count))
            text = self.lecture.text(range(count))
            self.host.at("/live.m3u8", File(text[:-4], kind=KIND))
            time.sleep(1.5)
            self.lecture.show(range(count))
            self.joined(count)
        self.lecture.show(range(7), end=True)
        run = running.end()
        self.assertEqual(self.warnings(run), [])
        self.finished(run, range(7))

    def test_a_segment_that_comes_after_its_name_isnt_left_out(self):
        running = self.begin(3)
        self.lecture.show(range(5))
        self.host.at("/live-3.ts", lambda x: x.answer(404))
        time.sleep(8)
        self.host.at("/live-3.ts", File(self.lecture.segment(3), kind="video/mp2t"))
        self.joined(5)
        self.lecture.show(range(6), end=True)
        run = running.end()
        self.assertEqual(self.warnings(run), [])
        self.finished(run, range(6))

    def test_a_segment_that_never_ends_delays_no_playlist(self):
        running = self.begin(3)
        self.lecture.show(range(6))
        slow = threading.Event()
        self.addCleanup(slow.set)

        def stalls(x):
            x.head(200, content_length=len(self.lecture.segment(3)), content_type="video/mp2t")
            x.send(b"G")
            slow.wait(60)

        self.host.at("/live-3.ts", stalls)
        time.sleep(2)
        self.lecture.show(range(5, 9))
        self.joined(9)
        self.lecture.show(range(5, 10), end=True)
        run = running.end()
        self.assertEqual(self.warnings(run), ["the recording has a gap after 3s: its host no longer had 1 segment"])
        self.finished(run, [0, 1, 2, *range(4, 10)])

    def test_an_end_mark_without_segments_is_an_end(self):
        for between in (True, False):
            with self.subTest(between=between):
                running = self.begin()
                if between:
                    running.stop()
                self.host.at("/live.m3u8", File(b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n", kind=KIND))
                run = self.start().end() if between else running.end()
                self.assertEqual(self.warnings(run), [])
                self.finished(run, range(5))
                self.stage.close()
                self.setUp()

    def test_lists_of_other_kinds_for_a_while_end_nothing(self):
        running = self.begin()
        protected = self.lecture.text(range(3, 6)).replace(
            b"#EXTINF", b'#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"\n#EXTINF', 1)
        for text in (b"", b"#EXTM3U\n", b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:-4\n#EXTINF:1,\nx.ts\n", protected):
            self.host.at("/live.m3u8", File(text, kind=KIND))
            time.sleep(1.5)
        self.lecture.show(range(3, 7), end=True)
        run = running.end(90)
        self.assertEqual(self.warnings(run), [])
        self.finished(run, range(7))

    def test_gaps_that_the_host_marks_are_told(self):
        running = self.begin()
        text = self.lecture.text(range(2, 8), end=True).replace(b"#EXTINF:1.0,\nlive-6", b"#EXT-X-GAP\n#EXTINF:1.0,\nlive-6")
        self.host.at("/live.m3u8", File(text, kind=KIND))
        run = running.end()
        self.assertEqual(self.warnings(run), ["the stream has 1 gap: its host marks these segments as missing"])
        self.finished(run, [0, 1, 2, 3, 4, 5, 7])

    def test_media_of_another_kind_end_the_recording(self):
        running = self.begin()
        self.lecture.show(range(6))
        self.host.at("/live-6.ts", File(media.webm(6, 5000), kind="video/webm"))
        self.lecture.bodies[6] = b""
        self.lecture.show(range(7), end=True)
        self.host.at("/live-6.ts", File(media.webm(6, 5000), kind="video/webm"))
        run = running.end()
        self.assertIn("they can't be joined: the recording ends here", self.warnings(run)[0])
        self.finished(run, range(6))

    def test_a_file_or_another_source_never_throws_a_recording_away(self):
        told = "the catalog or the provider names something else now: the recording ends here"
        other = self.host.at("/film.mp4", lambda x: x.answer(404))
        for change in (
                lambda: self.stage.urls({"intro": other}), lambda: self.write(quality="720p"), lambda: self.write(audio=["de"]),
                lambda: self.write(parameters={"a": "b"})):
            self.begin().stop()
            change()
            run = self.start().end()
            self.assertEqual(self.warnings(run), [told])
            self.assertEqual(run.exit, 0, run)
            self.has("intro", self.lecture.bytes(range(5)))
            self.assertEqual(self.stage.partials(), [])
            self.stage.close()
            self.setUp()

    def test_a_package_can_be_made_of_what_was_recorded_for_a_file(self):
        self.begin().stop()
        self.lecture.show(range(3, 7), end=True)
        run = self.start("--container", "package").end()
        self.assertEqual((run.exit, self.warnings(run)), (0, []), run)
        self.has("video.ts", self.lecture.bytes(range(7)))

    def test_a_provider_that_has_nothing_any_more_leaves_what_was_recorded(self):
        for kind in ("not_found", "gone", "forbidden", "not_ready"):
            with self.subTest(kind=kind):
                self.begun()
                self.stage.urls({"intro": {"refuse": {"kind": kind}}})
                run = self.start().end()
                self.assertEqual(self.warnings(run), ["the stream is gone, without an end mark: the recording ends here"])
                self.assertEqual(run.exit, 0, run)
                self.has("intro", self.lecture.bytes(range(5)))
                self.stage.close()
                self.setUp()
        self.begin().stop()
        self.stage.urls({"intro": {"refuse": {"kind": "gone"}}})
        self.write(live="wait")
        run = self.start().end()
        self.assertEqual(
            self.warnings(run), ["the catalog doesn't say live: record any more: the recording ends here"])
        self.has("intro", self.lecture.bytes(range(5)))

    def test_a_provider_that_cant_answer_ends_nothing(self):
        for kind in ("unavailable", "rate_limited", "auth_required"):
            with self.subTest(kind=kind):
                self.begun()
                self.stage.urls({"intro": {"refuse": {"kind": kind}}})
                run = self.start("--max-wait", "1s").end()
                self.assertNotEqual(run.exit, 0, run)
                self.assertEqual([w for w in self.warnings(run) if "recording" in w], [])
                self.stage.urls({"intro": {"url": self.lecture.url, "kind": "hls"}})
                self.lecture.show(range(3, 8), end=True)
                run = self.start("--retry-failed").end()
                self.assertEqual(self.warnings(run), [])
                self.finished(run, range(8))
                self.stage.close()
                self.setUp()

    def test_playlists_with_other_tracks_never_throw_a_recording_away(self):
        self.begin().stop()
        self.lecture.show(range(3, 7))
        sound = Lecture(self.host, "/sound")
        sound.show(range(3, 7))
        master = (
            '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="de",DEFAULT=YES,URI="sound.m3u8"\n'
            '#EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a"\nlive.m3u8\n')
        self.stage.urls({"intro": {"url": self.host.at("/master.m3u8", File(master.encode(), kind=KIND)), "kind": "hls"}})
        run = self.start().end()
        self.assertEqual(
            self.warnings(run), ["the catalog or the provider names something else now: the recording ends here"])
        self.assertEqual(run.exit, 0, run)
        self.has("intro", self.lecture.bytes(range(5)))
        self.assertEqual(self.stage.partials(), [])

    def test_one_lecture_in_two_courses_is_recorded_for_both_at_once(self):
        self.stage.write([{"id": course, "videos": ["intro"], "live": "record"} for course in ("phys", "math")])
        airing = self.lecture.air(12, window=4, every=0.5)
        run = self.start().end()
        airing.join()
        self.assertEqual((run.exit, self.warnings(run)), (0, []), run)
        self.assertEqual(list(self.stage.files().values()), [self.lecture.bytes(range(12))] * 2)


for _case in list(vars(Recordings).values()):
    if getattr(_case, "__name__", "").startswith("test_"):
        _case.seconds = 120
