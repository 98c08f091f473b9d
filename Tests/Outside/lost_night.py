"""One bad thing doesn't cost a night, or every night (issue 8, items 14 to 19 and 22)."""

import datetime
import resource
import shutil
import signal
import time

import media
from host import File
from stage import Stage, wait_until
from wrong_file import Case


class WatchedLibraries(Case):
    """Item 14."""

    def watching(self, count=3):
        self.bodies = {f"v{i}": media.mp4(i, 30000) for i in range(10)}
        self.stage.urls({v: self.host.at(f"/{v}", File(b)) for v, b in self.bodies.items()})
        self.stage.write({"phys": [f"v{i}" for i in range(count)]})
        running = self.stage.start_sync("--watch", "--every", "1s")
        running.wait_for(lambda events: sum(e["event"] == "download_finished" for e in events) == count)
        running.wait_for(lambda events: any(e["event"] == "sync_resting" for e in events))
        return running

    @staticmethod
    def rests(running):
        return [e for e in running.events if e["event"] == "sync_resting"]

    def missing(self, running):
        known = len(self.rests(running))
        running.wait_for(lambda events: [e["exit"] for e in events if e["event"] == "sync_resting"][known:].count(73) > 0)

    def back(self, running, count):
        running.wait_for(lambda events: sum(e["event"] == "download_finished" for e in events) >= count)
        wait_until(lambda: self.rests(running)[-1]["exit"] == 0, 20, lambda: self.rests(running)[-1])
        run = running.stop()
        self.assertIn(run.exit, (0, 75), run)
        for index in range(count):
            self.has(f"v{index}.mp4", self.bodies[f"v{index}"])
        self.assertEqual({row[0] for row in self.stage.rows("state")}, {"finished"})

    def test_a_library_renamed_by_hand_gets_nothing_more_and_goes_on_when_it_is_back(self):
        running = self.watching()
        elsewhere = self.stage.folder / "elsewhere"
        self.stage.library.rename(elsewhere)
        before = sorted(p.name for p in elsewhere.rglob("*.mp4"))
        self.stage.write({"phys": [f"v{i}" for i in range(5)]})
        self.missing(running)
        self.assertEqual(sorted(p.name for p in elsewhere.rglob("*.mp4")), before, "the old folder got another video")
        self.assertFalse(self.stage.library.exists(), "a library was made anew at its place")
        elsewhere.rename(self.stage.library)
        self.back(running, 5)

    def test_a_library_replaced_at_its_path_fails_nothing(self):
        running = self.watching()
        elsewhere = self.stage.folder / "elsewhere"
        self.stage.library.rename(elsewhere)
        self.stage.library.mkdir()
        self.missing(running)
        self.assertEqual({row[0] for row in self.stage.rows("state")}, {"finished"}, "a library is away, not its files")
        self.assertEqual(self.stage.files(), {}, "nothing is written to a folder that isn't the library")
        self.stage.library.rmdir()
        elsewhere.rename(self.stage.library)
        self.stage.write({"phys": [f"v{i}" for i in range(4)]})
        self.back(running, 4)

    def test_another_states_library_at_its_path_is_left_alone(self):
        running = self.watching()
        elsewhere, own = self.stage.folder / "elsewhere", self.stage.state
        self.stage.library.rename(elsewhere)
        self.stage.state = self.stage.folder / "other-state"
        self.stage.sync("--only", "phys/*/v0", exit=(0, 75))
        self.stage.state = own
        others = self.stage.files()
        self.stage.write({"phys": [f"v{i}" for i in range(4)]})
        self.missing(running)
        self.assertEqual(self.stage.files(), others)
        shutil.rmtree(self.stage.library)
        elsewhere.rename(self.stage.library)
        self.back(running, 4)


class MassLoss(Case):
    """Item 15."""

    def finished(self):
        self.bodies = {f"{c}{i}": media.mp4(f"{c}{i}", 5000) for c in "pm" for i in range(25)}
        self.stage.urls({v: self.host.at(f"/{v}", File(b)) for v, b in self.bodies.items()})
        self.courses = {"phys": [f"p{i}" for i in range(24)], "maths": [f"m{i}" for i in range(24)]}
        self.stage.write(self.courses)
        self.stage.sync(exit=0)
        self.assertEqual(len(self.stage.files()), 48)
        self.host.forget()

    def folder(self, course):
        found = [p for p in self.stage.library.iterdir() if p.name.startswith(course)]
        self.assertEqual(len(found), 1)
        return found[0]

    def asked(self, letter):
        return [r for r in self.host.asked() if r.path.startswith("/" + letter)]

    def held(self, run):
        self.assertEqual(run.exit, 73, run)
        self.assertEqual(self.asked("p"), [], "what is lost at once was fetched anew")

    def test_a_course_folder_that_is_gone_holds_its_course_and_others_go_on(self):
        self.finished()
        folder, away = self.folder("phys"), self.stage.folder / "away"
        folder.rename(away)
        self.courses = {"phys": [f"p{i}" for i in range(25)], "maths": [f"m{i}" for i in range(25)]}
        self.stage.write(self.courses)
        for _ in range(2):
            run = self.stage.sync()
            self.assertEqual(run.exit, 73, run)
            self.assertEqual([r.path for r in self.asked("p") if r.path != "/p24"], [], "the lost were fetched anew")
            self.has("m24.mp4", self.bodies["m24"])
        said = (run.out + run.err).lower()
        self.assertIn("verify", said, "the ways out are told")
        fresh = [p for p in self.stage.library.iterdir() if p.name.startswith("phys")]
        for path in fresh:
            shutil.rmtree(path)
        away.rename(folder)
        self.stage.sync(exit=0)
        self.assertEqual([r.path for r in self.asked("p") if r.path != "/p24"], [])
        self.assertEqual(len(self.stage.files()), 50)

    def test_a_course_folder_that_is_empty_as_a_mount_point_holds_its_course(self):
        self.finished()
        folder, away = self.folder("phys"), self.stage.folder / "away"
        folder.rename(away)
        folder.mkdir()
        self.held(self.stage.sync())
        self.held(self.stage.sync())
        self.assertEqual(list(folder.rglob("*.mp4")), [])
        folder.rmdir()
        away.rename(folder)
        self.stage.sync(exit=0)
        self.assertEqual(self.host.asked(), [])

    def test_one_file_of_many_that_is_gone_comes_back(self):
        self.finished()
        next(self.folder("phys").rglob("*p7*.mp4")).unlink()
        self.stage.sync(exit=0)
        self.has("p7.mp4", self.bodies["p7"])
        self.assertEqual([r.path for r in self.host.asked()], ["/p7"])

    def test_the_ways_out_that_are_told_fetch_what_is_missing_anew(self):
        for way in ("--refetch-lost", "--repair"):
            with self.subTest(way):
                self.stage.close()
                self.stage = Stage()
                self.addCleanup(self.stage.close)
                self.finished()
                shutil.rmtree(self.folder("phys"))
                run = self.stage.sync()
                self.held(run)
                self.assertIn(way, run.out)
                # Looking alone changes nothing.
                self.assertEqual(self.stage.command("verify").exit, 1)
                self.held(self.stage.sync())
                if way == "--repair":
                    self.assertEqual(self.stage.command("verify", "phys", "--repair").exit, 1)
                self.stage.sync(*([way] if way == "--refetch-lost" else []), exit=0)
                self.assertEqual(len(self.stage.files()), 48)

    def test_a_dry_run_says_that_the_course_is_held(self):
        self.finished()
        shutil.rmtree(self.folder("phys"))
        dry, run = self.stage.sync("--dry-run"), self.stage.sync()
        self.held(run)
        self.assertEqual(dry.exit, 73, dry)

    def test_killed_while_a_course_is_held_nothing_is_fetched_by_later_runs(self):
        self.finished()
        away = self.stage.folder / "away"
        self.folder("phys").rename(away)
        for delay in (0.2, 0.4, 0.6):
            running = self.stage.start_sync()
            time.sleep(delay)
            running.stop(signal.SIGKILL)
        self.held(self.stage.sync())


class Poison(Case):
    """Item 16."""

    def night(self, poison, more="", **manifest):
        videos = [f"v{i}" for i in range(10)]
        self.bodies = {v: media.mp4(v, 10000) for v in videos}
        for video, body in self.bodies.items():
            self.host.at(f"/{video}", File(body))
        self.stage.plugin("lectures", f'''
def answer(params):
    if params["video"]["id"] in {poison!r}: os._exit(9)
    {more}
    return {{"url": {self.host.url("/")!r} + params["video"]["id"]}}
''', **manifest)
        self.stage.write({"phys": videos})
        run = self.stage.sync("--max-wait", "3s")
        self.assertIn(run.exit, (1, 69), run)
        for video, body in self.bodies.items():
            if video not in poison:
                self.has(f"{video}.mp4", body)
        return run

    def test_two_neighbouring_poison_videos_cost_themselves_only(self):
        self.night(["v0", "v1"])

    def test_two_neighbouring_poison_videos_in_the_middle_cost_themselves_only(self):
        self.night(["v4", "v5"])

    def test_two_neighbouring_poison_videos_at_the_same_time_cost_themselves_only(self):
        self.night(["v0", "v1"], concurrency=4)

    def test_two_poison_videos_cost_themselves_only_in_every_night(self):
        self.night(["v0", "v1"])
        self.stage.command("retry", "--failed")
        self.bodies["v10"] = media.mp4("v10", 10000)
        self.host.at("/v10", File(self.bodies["v10"]))
        self.stage.write({"phys": [f"v{i}" for i in range(11)]})
        self.stage.sync("--max-wait", "3s")
        self.has("v10.mp4", self.bodies["v10"])

    def test_a_plugin_that_always_crashes_is_out_of_order_soon(self):
        self.stage.plugin("lectures", "def answer(params): os._exit(9)")
        self.stage.write({"phys": [f"v{i}" for i in range(60)]})
        run = self.stage.sync("--max-wait", "3s", exit=69)
        self.assertLess(len(self.stage.asked()), 30)
        self.assertEqual(self.stage.files(), {}, run)


class LongPatience(Case):
    """Item 17."""

    YEAR = 31536000

    def frozen(self):
        """Nothing that the state holds or a run tells lies more than a day (and a little) ahead."""
        bound = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=25)
        for row in self.stage.rows("*"):
            for value in row:
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    for scale in (1, 1000, 1_000_000):
                        # What can be a time at all: after 2020 and before 2100.
                        if 1577836800 < value / scale < 4102444800:
                            self.assertLess(value / scale, bound.timestamp(), row)
                if isinstance(value, str) and value[:2] == "20" and value[4:5] == "-" and value[10:11] in "T ":
                    self.assertLess(value[:10], (bound + datetime.timedelta(days=1)).strftime("%Y-%m-%d"), row)

    def told(self, run):
        bound = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=25)).strftime("%Y-%m-%dT%H:%M")
        for event in run.events:
            if event["event"] == "download_failed" and event.get("retry_at"):
                self.assertLess(event["retry_at"], bound, event)
        for entry in self.stage.status().values():
            for key, value in entry.items():
                if isinstance(value, str) and value.startswith("20") and "T" in value:
                    self.assertLess(value, bound, (key, entry))

    def waits(self, status):
        body = media.mp4(1, 20000)
        def busy(x):
            if x.earlier == 0:
                return x.answer(status, b"busy", retry_after=str(self.YEAR))
            return File(body)(x)
        self.stage.urls({"intro": self.host.at("/v", busy)})
        self.stage.write({"phys": ["intro"]})
        run = self.stage.sync("--max-wait", "1s", "--retries", 1)
        self.assertNotEqual(run.exit, 0)
        self.frozen()
        self.told(run)

    def test_a_retry_after_of_a_year_with_429_is_capped_at_a_day(self):
        self.waits(429)

    def test_a_retry_after_of_a_year_with_503_is_capped_at_a_day(self):
        self.waits(503)

    def refused(self, kind, seconds):
        self.stage.urls({"intro": {"refuse": {"kind": kind, "retry_after": seconds}}})
        self.stage.write({"phys": ["intro"]})
        run = self.stage.sync("--max-wait", "1s", "--retries", 1)
        self.frozen()
        self.told(run)

    def test_a_plugins_retry_after_of_a_year_is_capped_at_a_day(self):
        self.refused("not_ready", self.YEAR)

    def test_a_plugins_patience_of_a_year_is_capped_at_a_day(self):
        self.refused("rate_limited", self.YEAR)

    def test_a_retry_after_beyond_all_numbers_kills_nothing(self):
        for seconds in (2**63 - 1, 1e300, -1e300):
            self.refused("not_ready", seconds)
            self.stage.command("retry", "--all")


class LargeFiles(Case):
    """Item 18."""

    LIMIT = 6_000_000

    def test_a_file_beyond_the_file_systems_limit_fails_alone_and_says_why(self):
        videos = ["a", "large", "b", "c"]
        bodies = {v: media.mp4(v, 9_000_000 if v == "large" else 50_000) for v in videos}
        self.stage.urls({v: self.host.at(f"/{v}", File(b, etag='"x"')) for v, b in bodies.items()})
        self.stage.write({"phys": videos})
        for _ in range(2):
            run = self.stage.sync(
                "--jobs", 1, "--max-wait", "2s", "--retries", 2, limits=[(resource.RLIMIT_FSIZE, self.LIMIT)])
            self.assertEqual(run.exit, 1, run)
            for video in ("a", "b", "c"):
                self.has(f"{video}.mp4", bodies[video])
            self.has_not("large")
        self.assertEqual({v: s for v, s in self.stage.rows("video, state")}["large"], "failed")
        self.stage.command("retry", "--failed")
        self.stage.sync(exit=0)
        self.has("large.mp4", bodies["large"])


class UnusableRanges(Case):
    """Item 19."""

    def stuck(self, lie):
        body = media.mp4(4, 200000)

        def handler(x):
            if x.earlier == 0:
                x.head(200, content_length=len(body), etag='"v"', content_type="video/mp4", accept_ranges="bytes")
                x.send(body[:90000])
                return False
            if x.request.range_start is not None:
                return lie(x, x.request.range_start, body)
            return File(body, etag='"v"')(x)

        self.stage.urls({"intro": self.host.at("/v", handler)})
        self.stage.write({"phys": ["intro"]})
        for _ in range(4):
            run = self.stage.sync("--max-wait", "3s", "--retries", 3)
            if run.exit == 0:
                break
            self.stage.command("retry", "--all")
        self.has("intro", body)

    def test_a_206_with_two_content_ranges_is_started_over(self):
        self.stuck(lambda x, start, body: x.answer(
            206, body[start:], etag='"v"',
            content_range=[f"bytes {start}-{len(body) - 1}/{len(body)}", f"bytes 0-{len(body) - 1}/{len(body)}"]))

    def test_a_206_with_a_content_encoding_is_started_over(self):
        self.stuck(lambda x, start, body: x.answer(
            206, body[start:], etag='"v"', content_encoding="gzip",
            content_range=f"bytes {start}-{len(body) - 1}/{len(body)}"))

    def test_a_204_for_each_range_is_started_over(self):
        self.stuck(lambda x, start, body: x.head(204))

    def test_a_page_for_each_range_is_started_over(self):
        page = b"<!DOCTYPE html><html><body>Ranges are for members</body></html>"
        self.stuck(lambda x, start, body: x.answer(200, page, content_type="text/html"))

    def test_a_206_without_a_content_range_is_started_over(self):
        self.stuck(lambda x, start, body: x.answer(206, body[start:], etag='"v"', content_type="video/mp4"))

    def test_a_206_of_another_place_is_started_over(self):
        self.stuck(lambda x, start, body: x.answer(
            206, body[: len(body) - start], etag='"v"', content_range=f"bytes 0-{len(body) - start - 1}/{len(body)}"))


class LastWrites(Case):
    """Item 22."""

    def test_a_state_that_cannot_be_written_at_the_end_is_73_and_not_75(self):
        body = media.mp4(1, 300000)

        def handler(x):
            x.head(200, content_length=len(body), etag='"v"', content_type="video/mp4")
            x.send(body[:100000])
            handler.sent = True
            x.stall()
            return False

        handler.sent = False
        self.stage.urls({"intro": self.host.at("/v", handler)})
        self.stage.write({"phys": ["intro"]})
        running = self.stage.start_sync()
        wait_until(lambda: handler.sent, 20)
        wait_until(lambda: (self.stage.status()[("phys", "intro")].get("bytes") or 0) == 100000, 20)
        # From here on no write to a file succeeds.
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (0, 0))
        run = running.stop()
        self.assertEqual(run.exit, 73, run)

    def test_a_state_that_cannot_be_written_when_a_file_is_whole_is_73_and_not_0(self):
        body = media.mp4(1, 100000)

        def handler(x):
            if x.earlier:
                return File(body)(x)
            x.head(200, transfer_encoding="chunked", content_type="video/mp4")
            x.chunk(body)
            handler.sent = True
            x.host.go.wait(20)
            x.send(b"0\r\n\r\n")

        import threading
        self.host.go, handler.sent = threading.Event(), False
        self.stage.urls({"intro": self.host.at("/v", handler)})
        self.stage.write({"phys": ["intro"]})
        running = self.stage.start_sync()
        wait_until(lambda: handler.sent, 20)
        wait_until(lambda: (self.stage.status()[("phys", "intro")].get("bytes") or 0) == len(body), 20)
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (0, 0))
        self.host.go.set()
        run = running.end()
        self.assertEqual(run.exit, 73, run)
        self.stage.sync(exit=0)
        self.has("intro", body)
