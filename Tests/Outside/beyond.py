"""Two things that are each right, and wrong together: variations on the items of issue 8 that nobody asked for by name."""

import hashlib
import os
import shutil
import signal
import time

import media
from host import File
from stage import Stage, wait_until
from wrong_file import DATE, Case, cut


class Sharing(Case):
    """Beyond item 1."""

    def physics_and_maths(self, physics, maths, extra=None):
        self.stage.urls({
            "physics/intro": {"url": self.host.at("/p", physics), **(extra or {})},
            "maths/intro": {"url": self.host.at("/m", maths), **(extra or {})}})
        self.stage.write({"physics": ["intro"], "maths": ["intro"]})

    def both(self, physics, maths):
        self.has("physics/", physics)
        self.has("maths/", maths)

    def test_an_equal_etag_of_another_size_is_no_proof(self):
        one, other = media.mp4(1, 50000), media.mp4(2, 60000)
        def ignores_conditions(body):
            return lambda x: x.answer(200, body, etag='"1"', content_type="video/mp4")
        self.physics_and_maths(ignores_conditions(one), ignores_conditions(other))
        self.stage.sync(exit=0)
        self.both(one, other)

    def test_an_equal_etag_without_a_size_is_no_proof(self):
        one, other = media.mp4(1, 50000), media.mp4(2, 50000)
        def ignores_conditions(body):
            def handler(x):
                x.head(200, etag='"1"', transfer_encoding="chunked", content_type="video/mp4")
                x.chunk(body)
                x.send(b"0\r\n\r\n")
            return handler
        self.physics_and_maths(ignores_conditions(one), ignores_conditions(other))
        self.stage.sync(exit=0)
        self.both(one, other)

    def test_a_second_course_whose_own_url_is_refused_gets_nothing(self):
        for status in (404, 500, 403):
            with self.subTest(status):
                one = media.mp4(1, 50000)
                self.physics_and_maths(File(one, etag='"1"'), lambda x: x.answer(status, b"no"))
                run = self.stage.sync("--retries", 1, "--max-wait", "1s")
                self.assertNotEqual(run.exit, 0)
                self.has("physics/", one)
                self.has_not("maths/")

    def test_a_page_at_the_second_courses_url_is_no_proof(self):
        one = media.mp4(1, 50000)
        page = b"<!DOCTYPE html><html><body>log in</body></html>"
        self.physics_and_maths(File(one, etag='"1"'), lambda x: x.answer(200, page, content_type="text/html", etag='"1"'))
        run = self.stage.sync("--retries", 1, "--max-wait", "1s")
        self.assertNotEqual(run.exit, 0)
        self.has_not("maths/")

    def test_a_finished_donor_that_was_changed_by_hand_is_never_copied(self):
        body = media.mp4(1, 50000)
        for keep_time in (False, True):
            with self.subTest(keep_time=keep_time):
                self.stage.close()
                self.stage = Stage()
                self.addCleanup(self.stage.close)
                self.physics_and_maths(File(body, etag='"1"'), File(body, etag='"1"'))
                self.stage.write({"physics": ["intro"]})
                self.stage.sync(exit=0)
                donor = next(self.stage.library.rglob("*.mp4"))
                times = donor.stat()
                donor.chmod(0o644)
                with open(donor, "r+b") as file:
                    file.seek(20000)
                    file.write(b"spoilt")
                if keep_time:
                    os.utime(donor, ns=(times.st_atime_ns, times.st_mtime_ns))
                self.stage.write({"physics": ["intro"], "maths": ["intro"]})
                self.stage.sync()
                for path, data in self.stage.files().items():
                    if path.startswith("maths"):
                        self.assertTrue(data == body, "the spoilt bytes were taken for those of another course")

    def test_a_finished_donor_whose_host_has_another_version_now_is_no_proof(self):
        old, new = media.mp4(1, 50000), media.mp4(2, 50000)
        self.physics_and_maths(File(old, etag='"old"'), File(new, etag='"new"'))
        self.stage.write({"physics": ["intro"]})
        self.stage.sync(exit=0)
        self.stage.write({"physics": ["intro"], "maths": ["intro"]})
        self.stage.sync(exit=0)
        self.both(old, new)

    def test_the_same_url_of_a_donor_that_finished_in_an_earlier_run_may_have_another_file_now(self):
        old, new = media.mp4(1, 50000), media.mp4(2, 50000)
        for etag in (None, '"1"'):
            with self.subTest(etag=etag):
                self.stage.close()
                self.stage = Stage()
                self.addCleanup(self.stage.close)
                self.stage.urls({"intro": self.host.at("/v", File(old, etag=etag))})
                self.stage.write({"physics": ["intro"]})
                self.stage.sync(exit=0)
                self.host.at("/v", File(new, etag='"2"' if etag else None))
                self.stage.write({"physics": ["intro"], "maths": ["intro"]})
                self.stage.sync(exit=0)
                self.has("maths/", new)

    def test_the_second_course_arrives_though_the_first_is_paused_in_the_middle(self):
        body = media.mp4(1, 300000)
        first = cut(File(body, etag='"1"'), 100000)
        self.stage.urls({"physics/intro": self.host.at("/p", first), "maths/intro": self.host.at("/m", File(body, etag='"1"'))})
        self.stage.write({"physics": ["intro"], "maths": ["intro"]})
        # With everything paused it would stay for a resume.
        running = self.stage.start_sync("--max-wait", "2s")
        wait_until(lambda: first.sent, 20)
        self.assertEqual(self.stage.command("pause", "physics").exit, 0)
        run = running.end(40)
        self.assertEqual(run.exit, 0, run)
        self.has("maths/", body)
        self.has_not("physics/")

    def test_the_second_course_arrives_though_the_first_fails(self):
        body = media.mp4(1, 300000)
        self.physics_and_maths(lambda x: x.answer(404, b"no"), File(body, etag='"1"'))
        self.stage.sync("--retries", 1, exit=1)
        self.has("maths/", body)

    def test_urls_that_are_good_for_one_request_only_serve_both_courses(self):
        bodies, used = {"physics": media.mp4(1, 50000), "maths": media.mp4(2, 50000)}, set()

        def once(x):
            ticket = x.request.path
            if ticket in used:
                return x.answer(410, b"used")
            used.add(ticket)
            course = ticket.split("course=")[1].split("&")[0]
            return File(bodies[course], etag=f'"{course}"')(x)

        self.host.at("/v", once)
        self.stage.plugin("lectures", f'''
def answer(params):
    return {{"url": {self.host.url("/v")!r} + "?course=" + params["course"]["id"] + "&t=" + str(time.time_ns()),
             "single_use": True}}
''')
        self.stage.write({"physics": ["intro"], "maths": ["intro"]})
        self.stage.sync(exit=0)
        self.both(bodies["physics"], bodies["maths"])

    def test_streams_of_the_same_id_in_two_courses_are_two(self):
        wholes = {}
        for course in ("physics", "maths"):
            names = []
            for index in range(3):
                names.append(f"{course}{index}.ts")
                self.host.at(f"/{course}/{course}{index}.ts", File(media.ts(f"{course}{index}", index * 4), kind="video/mp2t"))
            wholes[course] = b"".join(media.ts(f"{course}{i}", i * 4) for i in range(3))
            self.host.at(f"/{course}/p.m3u8", File(media.playlist(names), kind="application/vnd.apple.mpegurl"))
        self.stage.urls({
            f"{c}/intro": {"url": self.host.url(f"/{c}/p.m3u8"), "kind": "hls"} for c in ("physics", "maths")})
        for jobs in (1, 3):
            with self.subTest(jobs=jobs):
                self.stage.write({"physics": ["intro"], "maths": ["intro"]})
                self.stage.sync("--ffmpeg", "none", "--jobs", jobs, exit=0)
                self.both(wholes["physics"], wholes["maths"])

    def test_the_same_id_with_another_checksum_is_another_file(self):
        one, other = media.mp4(1, 50000), media.mp4(2, 50000)
        self.physics_and_maths(File(one, etag='"1"'), File(other, etag='"1"'))
        self.stage.write({
            "physics": [{"id": "intro", "sha256": hashlib.sha256(one).hexdigest()}],
            "maths": [{"id": "intro", "sha256": hashlib.sha256(other).hexdigest()}]})
        self.stage.sync(exit=0)
        self.both(one, other)

    def test_subtitles_of_the_same_id_are_each_courses_own(self):
        body = media.mp4(1, 50000)
        url = self.host.at("/v", File(body, etag='"1"'))
        texts = {c: f"WEBVTT\n\n00:00.000 --> 00:01.000\n{c}\n".encode() for c in ("physics", "maths")}
        self.stage.urls({f"{c}/intro": {"url": url, "subtitles": [
            {"lang": "en", "url": self.host.at(f"/{c}.vtt", File(text, kind="text/vtt"))}]} for c, text in texts.items()})
        self.stage.write([{"id": c, "subtitles": "all", "videos": ["intro"]} for c in texts])
        self.stage.sync(exit=0)
        files = self.stage.files()
        for course, text in texts.items():
            mine = [d for p, d in files.items() if p.startswith(course) and p.endswith(".vtt")]
            self.assertEqual(mine, [text], sorted(files))


class Splices(Case):
    """Beyond items 2 and 3."""

    def test_a_move_to_another_chapter_in_the_middle_of_a_download_splices_nothing(self):
        bodies = {c: media.mp4(c, 300000) for c in ("one", "two")}
        first = cut(File(bodies["one"], date=DATE), 120000)
        self.host.at("/one", first)
        self.host.at("/two", File(bodies["two"], date=DATE))
        self.stage.plugin("lectures", f'def answer(params): return {{"url": {self.host.url("/")!r} + params["chapter"]["id"]}}')
        self.stage.write([{"id": "phys", "chapters": [{"id": "one", "videos": ["intro"]}]}])
        self.stage.partial(lambda: first.sent)
        self.stage.write([{"id": "phys", "chapters": [{"id": "two", "videos": ["intro"]}]}])
        self.stage.sync(exit=0)
        self.has("intro", bodies["two"])

    def test_another_title_in_the_middle_of_a_download_splices_nothing(self):
        bodies = {c: media.mp4(c, 300000) for c in ("one", "two")}
        first = cut(File(bodies["one"], date=DATE), 120000)
        self.host.at("/one", first)
        self.host.at("/two", File(bodies["two"], date=DATE))
        self.stage.plugin("lectures", f'def answer(params): return {{"url": {self.host.url("/")!r} + params["video"]["title"]}}')
        self.stage.write({"phys": [{"id": "intro", "title": "one"}]})
        self.stage.partial(lambda: first.sent)
        self.stage.write({"phys": [{"id": "intro", "title": "two"}]})
        self.stage.sync(exit=0)
        self.assertTrue(bodies["two"] in self.stage.files().values(), "two files in one")

    def test_a_redirect_that_leads_elsewhere_after_a_cut_splices_nothing(self):
        bodies = {c: media.mp4(c, 300000) for c in ("one", "two")}
        self.host.at("/one", cut(File(bodies["one"], date=DATE), 120000))
        self.host.at("/two", File(bodies["two"], date=DATE))
        self.host.at("/v", lambda x: x.answer(302, location="/one" if x.earlier == 0 else "/two"))
        self.stage.urls({"intro": self.host.url("/v")})
        self.stage.write({"phys": ["intro"]})
        self.stage.partial(lambda: self.host.asked("/one"))
        self.stage.sync(exit=0)
        data = next(iter(self.stage.files().values()))
        self.assertTrue(data in bodies.values(), "two files in one")

    def test_a_finished_video_of_another_source_that_is_retried_and_killed_keeps_one_whole_file(self):
        one, two = media.mp4(1, 300000), media.mp4(2, 300000)
        self.stage.plugin("lectures", f'def answer(params): return {{"url": {self.host.url("/")!r} + params["video"]["parameters"]["w"]}}')
        self.host.at("/one", File(one, date=DATE))
        second = cut(File(two, date=DATE), 100000)
        self.host.at("/two", second)
        self.stage.write({"phys": [{"id": "intro", "parameters": {"w": "one"}}]})
        self.stage.sync(exit=0)
        self.stage.write({"phys": [{"id": "intro", "parameters": {"w": "two"}}]})
        self.stage.sync(exit=0)
        self.stage.command("retry", "phys")
        self.stage.partial(lambda: second.sent, by=signal.SIGKILL)
        self.has("intro", one)
        self.stage.sync(exit=0)
        self.has("intro", two)

    def test_another_container_or_quality_of_a_stream_in_the_middle_splices_nothing(self):
        names = [f"{q}{i}.ts" for q in "ab" for i in range(4)]
        for name in names:
            self.host.at(f"/{name}", File(media.ts(name, int(name[1]) * 4, 100), kind="video/mp2t", rate=60_000))
        for q in "ab":
            self.host.at(f"/{q}.m3u8", File(media.playlist([n for n in names if n[0] == q]), kind="application/vnd.apple.mpegurl"))
        master = ('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x480\na.m3u8\n'
                  '#EXT-X-STREAM-INF:BANDWIDTH=2000,RESOLUTION=1280x720\nb.m3u8\n')
        self.stage.urls({"intro": {"url": self.host.at("/m.m3u8", File(master.encode(), kind="application/vnd.apple.mpegurl")), "kind": "hls"}})
        self.stage.write({"phys": [{"id": "intro", "quality": "480p"}]})
        self.stage.partial(lambda: len(self.host.asked("/a2.ts")) > 0, "--ffmpeg", "none", "--segments-per-download", 1, least=1)
        self.stage.write({"phys": [{"id": "intro", "quality": "720p"}]})
        for name in names:
            self.host.at(f"/{name}", File(media.ts(name, int(name[1]) * 4, 100), kind="video/mp2t"))
        self.stage.sync("--ffmpeg", "none", exit=0)
        self.has("intro", b"".join(media.ts(n, int(n[1]) * 4, 100) for n in names if n[0] == "b"))

    def test_a_capped_206_of_a_file_that_grows_is_one_version(self):
        versions = [media.mp4(1, 200000), media.mp4(2, 260000)]

        def handler(x):
            body, tag = (versions[0], '"a"') if x.earlier < 2 else (versions[1], '"b"')
            start = x.request.range_start
            if start is None or x.request.headers.get("if-range") != tag:
                if x.earlier == 0:
                    x.head(200, transfer_encoding="chunked", etag=tag, content_type="video/mp4")
                    x.chunk(body[:80000])
                    return False
                return x.answer(200, body, etag=tag, content_type="video/mp4")
            if start >= len(body):
                return x.answer(416, content_range=f"bytes */{len(body)}", etag=tag)
            x.answer(206, body[start : start + 40000], etag=tag, content_range=f"bytes {start}-{min(start + 40000, len(body)) - 1}/*")

        self.stage.urls({"intro": self.host.at("/v", handler)})
        self.stage.write({"phys": ["intro"]})
        self.stage.sync("--max-wait", "30s", exit=0)
        self.has("intro", versions[1])


class Heads(Case):
    """Beyond item 8."""

    @staticmethod
    def folded(x):
        x.send(b"HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 3\r\n\r\nabc")

    def test_blanks_in_the_heads_of_playlists_segments_keys_and_sidecars_kill_nothing(self):
        bad = self.host.at("/bad", self.folded)
        texts = [
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + "#EXTINF:4,\n/bad\n" * 8 + "#EXT-X-ENDLIST\n",
            '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI="/bad"\n' + "#EXTINF:4,\n/bad\n" * 4 + "#EXT-X-ENDLIST\n",
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/bad\n"]
        good = media.mp4(1, 30000)
        url = self.host.at("/good", File(good))
        table = {"good": {"url": url, "cover": bad, "subtitles": [{"lang": "en", "url": bad}],
                          "attachments": [{"title": f"a{i}", "url": bad} for i in range(6)]}}
        for index, text in enumerate(texts):
            table[f"s{index}"] = {
                "url": self.host.at(f"/p{index}", File(text.encode(), kind="application/vnd.apple.mpegurl")), "kind": "hls"}
        table["p"] = {"url": bad, "kind": "hls"}
        self.stage.urls(table)
        self.stage.write([{"id": "phys", "subtitles": "all", "videos": list(table)}])
        for _ in range(2):
            self.stage.sync("--retries", 1, "--max-wait", "1s", "--ffmpeg", "none")
            self.has("good.mp4", good)


class Losses(Case):
    """Beyond items 14 and 15."""

    def course(self, count=12):
        self.bodies = {f"v{i}q": media.mp4(i, 5000) for i in range(count)}
        self.stage.urls({v: self.host.at(f"/{v}", File(b)) for v, b in self.bodies.items()})
        self.stage.write({"phys": list(self.bodies)})
        self.stage.sync(exit=0)
        self.host.forget()
        return next(p for p in self.stage.library.iterdir() if p.name.startswith("phys"))

    def test_other_titles_while_a_course_folder_is_away_lose_nothing(self):
        folder, away = self.course(), self.stage.folder / "away"
        folder.rename(away)
        self.stage.write({"phys": [{"id": v, "title": f"{v} renamed"} for v in reversed(self.bodies)]})
        self.assertEqual(self.stage.sync().exit, 73)
        self.assertEqual(self.host.asked(), [])
        if folder.exists():
            shutil.rmtree(folder)
        away.rename(folder)
        self.stage.sync(exit=0)
        self.assertEqual(self.host.asked(), [], "what is back is fetched anew")
        for video, body in self.bodies.items():
            self.has(video, body)

    def test_a_course_that_is_held_is_not_pruned_either(self):
        folder, away = self.course(), self.stage.folder / "away"
        folder.rename(away)
        self.stage.write({"phys": list(self.bodies)[:1]})
        self.stage.sync("--prune", "--max-delete", "100%")
        if folder.exists():
            shutil.rmtree(folder)
        away.rename(folder)
        self.stage.write({"phys": list(self.bodies)})
        self.host.forget()
        self.stage.sync()
        self.assertEqual(len([p for p in self.stage.files() if p.endswith(".mp4")]), 12)

    def test_a_library_that_becomes_a_dangling_link_rests_the_watch(self):
        self.course(3)
        running = self.stage.start_sync("--watch", "--every", "1s")
        running.wait_for(lambda events: any(e["event"] == "sync_resting" for e in events))
        elsewhere = self.stage.folder / "elsewhere"
        self.stage.library.rename(elsewhere)
        self.stage.library.symlink_to(self.stage.folder / "nowhere")
        running.wait_for(lambda events: [e["exit"] for e in events if e["event"] == "sync_resting"][-1] == 73)
        self.stage.library.unlink()
        elsewhere.rename(self.stage.library)
        running.wait_for(lambda events: [e["exit"] for e in events if e["event"] == "sync_resting"][-1] == 0)
        running.stop()
        self.assertFalse((self.stage.folder / "nowhere").exists())
        self.assertEqual(self.host.asked(), [])

    def test_a_library_that_goes_away_in_the_middle_of_a_download_gets_nothing_at_its_place(self):
        body = media.mp4(1, 2_000_000)
        self.stage.urls({"intro": self.host.at("/v", File(body, etag='"1"', rate=800_000))})
        self.stage.write({"phys": ["intro"]})
        running = self.stage.start_sync("--watch", "--every", "1s")
        running.wait_for(lambda events: any(e["event"] == "progress" and e["bytes"] > 0 for e in events))
        elsewhere = self.stage.folder / "elsewhere"
        self.stage.library.rename(elsewhere)
        running.wait_for(lambda events: any(e["event"] == "sync_resting" for e in events))
        self.assertFalse(self.stage.library.exists())
        elsewhere.rename(self.stage.library)
        running.wait_for(lambda events: [e["exit"] for e in events if e["event"] == "sync_resting"][-1] == 0)
        running.stop()
        self.has("intro", body)

    def test_a_live_stream_that_ends_while_a_sync_watches_is_downloaded_then(self):
        segments = {f"s{n}.ts": media.ts(n, 4 * n) for n in range(6)}
        for name, body in segments.items():
            self.host.at(f"/{name}", File(body, etag=f'"{name}"'))

        def told(count, end):
            text = media.playlist(list(segments)[:count], end=end).replace(
                b"#EXT-X-MEDIA-SEQUENCE", b"#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-MEDIA-SEQUENCE")
            self.host.at("/live.m3u8", File(text, kind="application/vnd.apple.mpegurl"))

        told(3, end=False)
        self.stage.urls({"intro": {"url": self.host.url("/live.m3u8"), "kind": "hls"}})
        self.stage.write({"phys": ["intro"]})
        running = self.stage.start_sync("--watch", "--every", "1s", "--ffmpeg", "none")
        running.wait_for(lambda events: len([e for e in events if e["event"] == "sync_resting"]) > 1)
        told(6, end=False)
        running.wait_for(lambda events: len([e for e in events if e["event"] == "sync_resting"]) > 3)
        self.assertEqual(self.stage.status()["phys", "intro"]["state"], "waiting")
        told(6, end=True)
        running.wait_for(lambda events: any(e["event"] == "download_finished" for e in events))
        self.assertEqual(running.stop().of("download_failed"), [])
        self.assertEqual(sorted(r.path for r in self.host.asked() if r.path.endswith(".ts")), [f"/{name}" for name in segments])
        self.has("intro", b"".join(segments.values()))


class Advice(Case):
    """What a command says helps."""

    def test_a_subtitle_that_verify_told_missing_comes_back_as_it_says(self):
        text = b"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n"
        self.stage.urls({"intro": {
            "url": self.host.at("/v", File(media.mp4(1, 30000), etag='"1"')),
            "subtitles": [{"lang": "en", "url": self.host.at("/s.vtt", File(text, kind="text/vtt"))}]}})
        self.stage.write([{"id": "phys", "subtitles": "all", "videos": ["intro"]}])
        self.stage.sync(exit=0)
        self.has(".en.vtt", text)
        next(self.stage.library.rglob("*.vtt")).unlink()
        told = self.stage.command("verify")
        self.assertEqual(told.exit, 1, told)
        self.assertIn("the next sync downloads it", told.out)
        self.assertNotIn("coursefetch retry", told.out)
        self.stage.sync(exit=0)
        self.has(".en.vtt", text)
        self.assertEqual(self.stage.command("verify").exit, 0)


class Stuck(Case):
    """Beyond items 16 and 19."""

    def test_two_poison_videos_that_hang_cost_themselves_only(self):
        videos = [f"v{i}q" for i in range(6)]
        bodies = {v: media.mp4(v, 10000) for v in videos}
        for video, body in bodies.items():
            self.host.at(f"/{video}", File(body))
        self.stage.plugin("lectures", f'''
def answer(params):
    if params["video"]["id"] in ("v1q", "v2q"): time.sleep(60)
    return {{"url": {self.host.url("/")!r} + params["video"]["id"]}}
''', timeout=1, concurrency=2)
        self.stage.write({"phys": videos})
        self.stage.sync("--max-wait", "3s", exit=(1, 69))
        for video in ("v0q", "v3q", "v4q", "v5q"):
            self.has(video, bodies[video])

    def test_every_range_unusable_and_every_whole_answer_cut_once_ends_with_the_whole_file(self):
        body = media.mp4(4, 300000)

        def handler(x):
            if x.request.range_start is not None:
                return x.answer(206, body[: x.request.range_start], content_type="video/mp4")
            if x.earlier in (0, 4):
                x.head(200, content_length=len(body), etag='"v"', content_type="video/mp4")
                x.send(body[:150000])
                return False
            return File(body, etag='"v"')(x)

        self.stage.urls({"intro": self.host.at("/v", handler)})
        self.stage.write({"phys": ["intro"]})
        for _ in range(6):
            if self.stage.sync("--max-wait", "4s", "--retries", 3).exit == 0:
                break
            self.stage.command("retry", "--all")
        self.has("intro", body)

    def test_an_unusable_range_of_a_file_with_a_checksum_ends_with_that_file(self):
        body = media.mp4(4, 300000)

        def handler(x):
            if x.earlier == 0:
                x.head(200, content_length=len(body), etag='"v"', content_type="video/mp4")
                x.send(body[:150000])
                return False
            if x.request.range_start is not None:
                return x.head(204)
            return File(body, etag='"w"')(x)

        self.stage.urls({"intro": self.host.at("/v", handler)})
        self.stage.write({"phys": [{"id": "intro", "sha256": hashlib.sha256(body).hexdigest()}]})
        for _ in range(4):
            if self.stage.sync("--max-wait", "4s", "--retries", 3).exit == 0:
                break
            self.stage.command("retry", "--all")
        self.has("intro", body)


class TwoAtOnce(Case):
    """Two syncs, and many kills."""

    def test_two_syncs_of_two_states_in_one_library_write_no_wrong_file(self):
        bodies = {f"v{i}q": media.mp4(i, 200000) for i in range(6)}
        self.stage.urls({v: self.host.at(f"/{v}", File(b, etag=f'"{v}"', rate=100_000)) for v, b in bodies.items()})
        self.stage.write({"phys": list(bodies)})
        first = self.stage.start_sync()
        first.wait_for(lambda events: any(e["event"] == "progress" for e in events))
        # A copy of the state, as on a second machine that shares the library.
        own, copied = self.stage.state, self.stage.folder / "copied"
        shutil.copytree(own, copied)
        self.stage.state = copied
        second = self.stage.start_sync()
        self.stage.state = own
        runs = [first.end(60), second.end(60)]
        for run in runs:
            self.assertGreaterEqual(run.exit, 0, run)
        for path, data in self.stage.files().items():
            self.assertIn(data, bodies.values(), path)
        self.stage.sync(exit=0)
        for video, body in bodies.items():
            self.has(video, body)

    def test_kills_in_quick_succession_with_one_id_in_three_courses_end_well(self):
        bodies = {c: media.mp4(c, 400000) for c in ("a", "b", "c")}
        self.stage.urls({f"{c}/intro": self.host.at(f"/{c}", File(b, etag=f'"{c}"', date=DATE, rate=500_000)) for c, b in bodies.items()})
        self.stage.write({c: ["intro"] for c in bodies})
        for delay in (0.2, 0.5, 0.9, 1.3, 0.4, 1.1):
            running = self.stage.start_sync("--jobs", 2)
            time.sleep(delay)
            running.stop(signal.SIGKILL)
            for path, data in self.stage.files().items():
                self.assertTrue(data == bodies[path[0]], path)
        self.stage.sync(exit=0)
        for course, body in bodies.items():
            self.has(f"{course}/", body)
        self.assertEqual(self.stage.command("verify").exit, 0)


class Attacked(Case):
    """What a reader who hadn't seen the code found from outside."""

    def test_a_file_whose_bytes_changed_under_its_old_time_is_not_shared_against_a_sha256(self):
        body = media.mp4(1, 50000)
        video = {"id": "v", "sha256": hashlib.sha256(body).hexdigest()}
        self.stage.urls({"v": self.host.at("/v", File(body, etag='"1"'))})
        self.stage.write({"one": [video]})
        self.stage.sync(exit=0)
        file = next(self.stage.library.rglob("*.mp4"))
        times = file.stat()
        file.chmod(0o644)
        with open(file, "r+b") as open_file:
            open_file.seek(20000)
            open_file.write(b"DAMAGED!")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.stage.write({"one": [video], "two": [video]})
        self.stage.sync(exit=0)
        self.has("two/", body)

    def test_nothing_is_pruned_while_its_replacement_is_not_there_or_paused(self):
        self.stage.urls({
            "old": self.host.at("/old", File(media.mp4(1, 50000))), "kept": self.host.at("/kept", File(media.mp4(2, 50000))),
            "new": {"refuse": {"kind": "not_ready"}}})
        self.stage.write({"c": ["old", "kept"]})
        self.stage.sync(exit=0)
        self.stage.write({"c": ["kept", "new"]})
        self.stage.sync("--prune", "--max-delete", "100%", "--max-wait", "1s")
        self.has("old.mp4", media.mp4(1, 50000))
        self.stage.command("pause", "c/*/new")
        self.stage.sync("--prune", "--max-delete", "100%", "--max-wait", "1s")
        self.has("old.mp4", media.mp4(1, 50000))
        self.stage.command("cancel", "c/*/new")
        self.stage.sync("--prune", "--max-delete", "100%", "--max-wait", "1s")
        self.has_not("old.mp4")

    def test_resolve_shows_a_token_nowhere_also_not_in_a_path(self):
        token = "S3CRETtoken"
        self.stage.urls({"v": {"url": f"http://127.0.0.1:1/tok/{token}/x.mp4", "token": {
            "value": token, "in": "header", "name": "X-T"}}})
        self.stage.write({"c": ["v"]})
        for how in ((), ("--json",), ("-v",)):
            run = self.stage.command("resolve", self.stage.catalog, "c", *how)
            self.assertIn("/tok/", run.out)
            self.assertNotIn(token, run.out + run.err)
