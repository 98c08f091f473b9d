"""Shards of a catalog: each has a state of its own, and all of them make the library that one sync makes."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import signal
import time
import unittest

import media
from host import File, Host
from stage import Stage, wait_until

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


def shard_of(course, count):
    """The shard that has a course: rendezvous hashing with FNV-1a and SplitMix64."""
    bits = (1 << 64) - 1
    key = 0xCBF29CE484222325
    for byte in course.encode():
        key = (key ^ byte) * 0x100000001B3 & bits

    def weight(shard):
        value = key + shard * 0x9E3779B97F4A7C15 & bits
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & bits
        value = (value ^ value >> 27) * 0x94D049BB133111EB & bits
        return value ^ value >> 31

    return max(range(1, count + 1), key=lambda shard: (weight(shard), -shard))


class Shards(unittest.TestCase):
    def setUp(self):
        self.host = Host()
        self.addCleanup(self.host.close)
        self.stage = self.scene()

    def scene(self):
        scene = Stage()
        self.addCleanup(scene.close)
        return scene

    def catalog(self, courses=12, videos=3, title=lambda course: f"Course {course}", **file):
        """Courses c0, c1, …; each video has bytes of its own."""
        table, written = {}, []
        for course in range(courses):
            entries = []
            for video in range(videos):
                path = f"/{course}/{video}.mp4"
                table[f"c{course}/v{video}"] = self.host.at(path, File(media.mp4(f"{course} {video}", 2000 + 100 * video), **file))
                entries.append({"id": f"v{video}", "title": f"Video {video}"})
            written.append({"id": f"c{course}", "title": title(course), "videos": entries})
        return table, written

    def sync_all(self, count, *arguments, exit=0):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(
                lambda index: self.stage.sync("--shard", f"{index + 1}/{count}", *arguments, exit=exit), range(count)))

    def test_shards_at_the_same_time_make_the_library_of_one_sync(self):
        table, courses = self.catalog()
        single = self.scene()
        for scene in (single, self.stage):
            scene.urls(table)
            scene.write(courses)
        single.sync(exit=0)
        sent = len(self.host.asked())
        runs = self.sync_all(3)
        self.assertEqual(self.stage.files(), single.files())
        self.assertEqual(len(self.host.asked()), 2 * sent, "each video is fetched once")
        finished = [len(run.of("download_finished")) for run in runs]
        self.assertEqual(sum(finished), 36)
        self.assertTrue(all(finished), f"each of three shards has some of twelve courses: {finished}")
        runs = self.sync_all(3)
        self.assertEqual(len(self.host.asked()), 2 * sent)
        self.assertEqual([run.of("download_finished") for run in runs], [[], [], []])
        # What a command tells of a shard is that shard's.
        told = [self.stage.status("--shard", f"{index}/3") for index in (1, 2, 3)]
        self.assertEqual(sum(map(len, told)), 36)
        self.assertEqual(len(set().union(*told)), 36)
        self.assertEqual(self.stage.command("verify", "--shard", "1/3").exit, 0)
        one = next(iter(told[1]))
        path = self.stage.command("path", "/".join(one), "--shard", "2/3")
        self.assertTrue(path.out.strip().endswith(".mp4"), path)
        self.assertEqual(self.stage.command("path", "/".join(one), "--shard", "1/3").exit, 64)

    def test_a_course_that_is_gone_is_pruned_by_its_shard_only(self):
        table, courses = self.catalog()
        self.stage.urls(table)
        self.stage.write(courses)
        self.sync_all(2)
        before = self.stage.files()
        self.stage.write(courses[1:])
        runs = self.sync_all(2, "--prune", "--max-delete", "10")
        self.assertEqual(sum(run.of("sync_finished")[0]["removed_now"] for run in runs), 3)
        self.assertEqual(self.stage.files(), {p: b for p, b in before.items() if not p.startswith("Course 0/")})

    def test_equal_titles_carry_their_ids_whatever_shard_comes_first(self):
        table, courses = self.catalog(title=lambda course: "Intro" if course % 2 else f"Part: {course // 4}")
        self.stage.urls(table)
        self.stage.write(courses)
        self.sync_all(4)
        folders = {path.split("/")[0] for path in self.stage.files()}
        self.assertEqual(len(folders), 12, folders)
        self.assertIn("Intro [c1]", folders)
        # One that becomes the only one of its name has it to itself, and moves.
        for course in courses:
            if course["title"] == "Intro" and course["id"] != "c1":
                course["title"] = "Intro " + course["id"]
        self.stage.write(courses)
        sent = len(self.host.asked())
        self.sync_all(4)
        folders = {path.split("/")[0] for path in self.stage.files()}
        self.assertIn("Intro", folders)
        self.assertEqual((len(folders), len(self.host.asked())), (12, sent))

    def test_a_library_is_divided_in_one_way(self):
        table, courses = self.catalog(courses=3, videos=1)
        self.stage.urls(table)
        self.stage.write(courses)
        self.sync_all(2)
        before = self.stage.files()
        run = self.stage.sync("--shard", "1/3", exit=73)
        self.assertIn("is the library of 2 shards (--shard I/2)", run.err + run.out)
        run = self.stage.sync(exit=73)
        self.assertIn("is the library of 2 shards", run.err + run.out)
        run = self.stage.command("library adopt")
        self.assertEqual(run.exit, 73, run)
        self.assertIn("is the library of shards; give one with --shard I/N", run.err)
        self.sync_all(2)
        self.assertEqual(self.stage.files(), before)
        other = self.scene()
        other.urls(table)
        other.write(courses)
        other.sync(exit=0)
        run = other.sync("--shard", "1/2", exit=73)
        self.assertIn("is the library of a state without shards", run.err + run.out)
        # Somebody else's shards aren't ours.
        stranger = self.scene()
        stranger.urls(table)
        stranger.write(courses)
        stranger.library = self.stage.library
        stranger.command("login", "--user", "bob")
        run = stranger.sync("--shard", "1/2", "--user", "bob", exit=73)
        self.assertIn("belongs to another state", run.err + run.out)

    def test_two_syncs_of_one_shard_are_one_and_two_shards_are_two(self):
        table, courses = self.catalog(rate=500)
        self.stage.urls(table)
        self.stage.write(courses)
        first = self.stage.start_sync("--shard", "1/2")
        first.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        run = self.stage.sync("--shard", "1/2", "--wait", "0s")
        self.assertEqual(run.exit, 75, run)
        second = self.stage.start_sync("--shard", "2/2")
        second.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        self.assertIsNone(first.process.poll())
        for running in (first, second):
            self.assertEqual(running.stop().exit, 75)

    def test_a_logout_stops_every_shard_and_a_login_lets_them_go_on(self):
        table, courses = self.catalog(rate=300)
        self.stage.urls(table)
        self.stage.write(courses)
        running = [self.stage.start_sync("--shard", f"{index}/2", "--jobs", "2") for index in (1, 2)]
        for run in running:
            run.wait_for(lambda events: any(e["event"] == "download_started" for e in events))
        began = time.monotonic()
        run = self.stage.command("logout")
        self.assertEqual(run.exit, 0, run)
        wait_until(lambda: all(run.process.poll() is not None for run in running), 10)
        self.assertLess(time.monotonic() - began, 8, "the transfers end at once; the rest is a busy machine's")
        for run in running:
            ended = run.end()
            self.assertEqual(ended.of("sync_finished")[0]["stop_reason"], "logout", ended)
        for shard in ("1/2", "2/2", "1/3"):
            self.assertEqual(self.stage.sync("--shard", shard).exit, 77)
        self.assertEqual(self.stage.command("login").exit, 0)
        for file in self.host.handlers.values():
            file.rate = None
        self.sync_all(2)
        self.assertEqual(len(self.stage.files()), 36)

    def test_logins_belong_to_the_user_and_every_shard_has_them(self):
        table, courses = self.catalog(courses=6, videos=1)
        self.stage.plugin("lectures", f"""
TABLE = {table!r}
def answer(params):
    if (params.get("credentials") or {{}}).get("token") != "t0ken": raise Refusal("auth_required")
    return {{"url": TABLE[params["course"]["id"] + "/" + params["video"]["id"]]}}
""", credentials=["token"])
        self.stage.write(courses)
        self.sync_all(2, exit=77)
        secrets = self.stage.folder / "secrets.json"
        secrets.write_text(json.dumps({"token": "t0ken"}))
        secrets.chmod(0o600)
        run = self.stage.command("login", "--provider", "lectures", "--secrets-from", secrets)
        self.assertEqual(run.exit, 0, run)
        self.assertIn("6 videos that waited for it", run.out)
        self.sync_all(2)
        self.assertEqual(len(self.stage.files()), 6)
        kept = [p for p in self.stage.state.rglob("credentials.json")]
        self.assertEqual([p.parent.parent.name for p in kept], ["users"], "one file for all shards")

    def test_a_killed_shard_leaves_the_others_alone_and_is_repaired(self):
        table, courses = self.catalog(rate=2000)
        self.stage.urls(table)
        self.stage.write(courses)
        first, second = [self.stage.start_sync("--shard", f"{index}/2") for index in (1, 2)]
        first.wait_for(lambda events: any(e["event"] == "download_finished" for e in events))
        first.stop(signal.SIGKILL)
        self.assertEqual(second.end().exit, 0)
        for file in self.host.handlers.values():
            file.rate = None
        self.sync_all(2)
        self.assertEqual(len(self.stage.files()), 36)
        self.assertEqual([p for p in self.stage.library.rglob(".coursefetch/**/*.part")], [])

    def test_a_state_that_was_lost_is_made_again_from_the_shards_own_list(self):
        table, courses = self.catalog()
        self.stage.urls(table)
        self.stage.write(courses)
        self.sync_all(2)
        before, sent = self.stage.files(), len(self.host.asked())
        lost = next(self.stage.state.rglob("2-of-2"))
        shutil.rmtree(lost)
        copies = self.stage.library / ".coursefetch/shards/2-of-2"
        for name in ("state.sqlite", "state.json"):
            (copies / name).unlink()
        run = self.stage.sync("--shard", "2/2", exit=73)
        self.assertIn("another state has the shard 2-of-2", run.out)
        self.assertRegex(run.out, "library adopt --rebuild .*--shard 2/2")
        run = self.stage.command("library adopt", "--rebuild", "--shard", "3/3")
        self.assertEqual(run.exit, 73, run)
        run = self.stage.command("library adopt", "--rebuild", "--shard", "2/2")
        self.assertEqual(run.exit, 0, run)
        self.sync_all(2)
        self.assertEqual((self.stage.files(), len(self.host.asked())), (before, sent))
        # The library moves with all shards.
        moved = self.stage.folder / "moved"
        self.stage.library.rename(moved)
        self.stage.library = moved
        for shard in ("1/2", "2/2"):
            self.assertEqual(self.stage.command("library move", moved, "--shard", shard).exit, 0)
        self.sync_all(2)
        self.assertEqual((self.stage.files(), len(self.host.asked())), (before, sent))

    def test_a_folder_of_another_shard_is_never_taken(self):
        """A course that is gone keeps its folder, and its shard isn't asked when another one gets a course of that title."""
        table, courses = self.catalog(courses=2, videos=1, title=lambda course: "Intro")
        self.stage.urls(table)
        old, new = courses
        self.stage.write([old])
        self.sync_all(2)
        # The same bytes under another id, in the other shard or in the same one.
        for number in range(6):
            self.stage.write([dict(old, id=f"new{number}")])
            self.stage.urls({**table, **{f"new{n}/v0": table["c0/v0"] for n in range(6)}})
            self.sync_all(2)
        folders = {path.split("/")[0] for path in self.stage.files()}
        self.assertEqual(folders, {"Intro", *(f"Intro [new{n}]" for n in range(6))})
        self.sync_all(2, "--prune", "--max-delete", "10")
        folders = {path.split("/")[0] for path in self.stage.files()}
        self.assertEqual(len(folders), 1, folders)
        self.sync_all(2)
        self.assertEqual({path.split("/")[0] for path in self.stage.files()}, {"Intro"})
        # Ids that are equal as parts of names.
        ids = ["https://moodle.university-of-somewhere.example/course/view.php?id=" + str(n) for n in range(8)]
        self.stage.write([dict(old, id=id) for id in ids])
        self.stage.urls({f"{id}/v0": table["c0/v0"] for id in ids})
        self.sync_all(2)
        self.assertEqual(len({path.split("/")[0] for path in self.stage.files()}), 9)

    def test_what_another_shard_has_is_no_mistake_and_a_shard_that_is_unknown_stops_only_what_needs_it(self):
        table, courses = self.catalog(courses=4, videos=1)
        self.stage.urls(table)
        self.stage.write(courses)
        runs = self.sync_all(2, "--only", "c1")
        self.assertEqual(sum(len(run.of("download_finished")) for run in runs), 1)
        self.stage.variables = {"COURSEFETCH_SHARD": "auto"}
        run = self.stage.sync(exit=64)
        self.assertIn("COURSEFETCH_SHARD", run.out + run.err)
        self.assertEqual(self.stage.command("status").exit, 64)
        for command in ("logout", "login", "doctor"):
            self.assertIn(self.stage.command(command).exit, (0, 1), command)
        self.stage.variables = {"COURSEFETCH_SHARD": "1/2", "COURSEFETCH_SHARDS": "7"}
        self.assertEqual(self.stage.sync().exit, 64)
        self.stage.variables = {"COURSEFETCH_SHARDS": "7"}
        self.sync_all(2)
        self.assertEqual(len(self.stage.files()), 4)

    def test_programs_get_the_paths_of_a_shards_partials(self):
        """ffmpeg, which converts a stream, and the hook that looks at each complete file."""
        settings = self.stage.folder / "home/.config/coursefetch/config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text("hooks:\n  after-download: test -s \"$(sed 's/.*\"path\":\"\\([^\"]*\\)\".*/\\1/')\"\n")
        self.stage.catalog = CHECKOUT / "catalogs/demo.yaml"
        runs = self.sync_all(2)
        self.assertEqual(sum(len(run.of("download_finished")) for run in runs), 9)
        self.assertEqual([run.of("warning") for run in runs], [[], []])
        names = [path for path in self.stage.files() if not path.endswith((".jpg", ".vtt", ".pdf"))]
        self.assertTrue(all(name.endswith(".mp4") for name in names), names)
        for shard in ("1-of-2", "2-of-2"):
            self.assertEqual(list((self.stage.library / ".coursefetch/shards" / shard / "partials").iterdir()), [])

    def test_courses_that_providers_list_are_divided_too(self):
        table, courses = self.catalog(videos=1)
        self.stage.plugin("lectures", f"""
TABLE = {table!r}
def answer(params): return {{"url": TABLE[params["course"]["id"] + "/" + params["video"]["id"]]}}
""", methods=["resolve", "list", "courses"])
        provider = self.stage.plugins / "lectures" / "provider"
        self.stage.replace(provider, provider.read_text().replace(
            'if request.get("method") != "resolve":', '''if request.get("method") == "courses":
        reply = {"result": {"courses": [{"id": f"c{n}", "title": "Seminar"} for n in range(12)]}}
    elif request.get("method") == "list":
        reply = {"result": {"title": "Seminar", "videos": [{"id": "v0", "title": "One"}]}}
    elif request.get("method") != "resolve":'''), 0o755)
        self.stage.write([], courses_of=[{"provider": "lectures"}])
        runs = self.sync_all(3)
        self.assertEqual(sum(len(run.of("download_finished")) for run in runs), 12)
        listed = [a for a in self.stage.asked() if a["method"] == "list"]
        self.assertEqual(len(listed), 12, "each course is listed by its own shard only")
        folders = {path.split("/")[0] for path in self.stage.files()}
        self.assertEqual(folders, {f"Seminar [c{n}]" for n in range(12)})
        self.assertTrue(all(run.of("warning") == [] for run in self.sync_all(3, "--prune")))
        self.assertEqual(len(self.stage.files()), 12)
        dry = self.stage.command("sync", self.stage.catalog, "--dry-run", "--list", "--json", "--shard", "2/3")
        self.assertEqual(dry.exit, 0, dry)

    def test_the_task_of_a_scheduler_is_a_shard(self):
        table, courses = self.catalog(videos=1)
        self.stage.urls(table)
        self.stage.write(courses)

        def slurm(task, first, last, count):
            return {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_MIN": first, "SLURM_ARRAY_TASK_MAX": last,
                    "SLURM_ARRAY_TASK_COUNT": count}

        def sync(variables, *arguments, exit):
            self.stage.variables = {name: str(value) for name, value in variables.items()}
            run = self.stage.sync("--shard", "auto", *arguments, exit=exit)
            self.stage.variables = {}
            return run

        total = sum(len(sync(slurm(task, 0, 1, 2), exit=0).of("download_finished")) for task in (0, 1))
        self.assertEqual(total, 12)
        for variables, arguments in (
                (slurm(2, 1, 2, 2), ()), ({"JOB_COMPLETION_INDEX": 1}, ("--shards", "2")), (slurm(1, 0, 0, 1), ())):
            if variables.get("SLURM_ARRAY_TASK_COUNT") == 1:
                continue
            self.assertEqual(sync(variables, *arguments, exit=0).of("download_finished"), [])
        for variables, arguments, said in (
                ({}, (), "needs a task array"), (slurm(3, 3, 7, 2), (), "say it with --shards"),
                (slurm(3, 3, 7, 2), ("--shards", "9"), "don't say whether"),
                ({"JOB_COMPLETION_INDEX": 0}, (), "say it with --shards"),
                ({"JOB_COMPLETION_INDEX": 2}, ("--shards", "2"), "isn't one of 2"),
                ({"SLURM_ARRAY_TASK_ID": "x"}, (), "SLURM_ARRAY_TASK_ID")):
            run = sync(variables, *arguments, exit=64)
            self.assertIn(said, run.err)
        for wrong in ("0/2", "3/2", "2", "1/2/3", "-1/2", "1/10001", ""):
            self.assertEqual(self.stage.sync("--shard", wrong).exit, 64, wrong)
        self.assertEqual(self.stage.sync("--shards", "2").exit, 64)
        self.assertEqual(self.stage.sync("--shard", "1/2", "--shards", "3").exit, 64)

    def test_the_bound_counts_what_a_shard_keeps(self):
        """Long texts: each alias of one is kept by itself."""
        self.stage.urls({})
        head = "version: 1\ndefaults: {provider: lectures}\ncourses:\n"
        text = f"- {{id: first, description: &text {'x' * 900_000}, videos: [v]}}\n"
        courses = [f"- {{id: c{n}, description: *text, videos: [v]}}" for n in range(160)]
        self.stage.catalog.write_text(head + text + "\n".join(courses))
        run = self.stage.sync(exit=65)
        self.assertIn("more than 128 MiB of memory", run.out + run.err)
        plan = self.stage.command("sync", self.stage.catalog, "--dry-run", "--json", "--shard", "3/16")
        self.assertEqual(plan.exit, 0, plan.err)
        planned = {event["course"] for event in plan.of("would_download")}
        ids = ["first", *(f"c{n}" for n in range(160))]
        self.assertEqual(planned, {course for course in ids if shard_of(course, 16) == 3})
        chapters = ", ".join(f"{{id: k{n}, description: *text, videos: [v{n}]}}" for n in range(80))
        self.stage.catalog.write_text(head + text + f"- {{id: c0, chapters: [{chapters}]}}\n")
        self.assertEqual(self.stage.command("check", self.stage.catalog).exit, 0, "without shards it is within the bound")
        for number in (shard_of("c0", 16), 1 + shard_of("c0", 16) % 16):
            run = self.stage.sync("--shard", f"{number}/16", exit=65)
            self.assertIn("one course takes more than 64 MiB of memory up to here", run.out + run.err)

    def test_a_mistake_in_a_course_stops_all_shards_and_one_in_its_parameters_its_own(self):
        table, courses = self.catalog(courses=4, videos=1)
        self.stage.urls(table, parameters={"type": "object", "properties": {"n": {"type": "integer"}}})
        for wrong in ({"videos": [{"id": "v0", "titel": "x"}]}, {"videos": ["v0", "v0"]}, {"videos": [{"id": "v0", "size": -1}]}):
            self.stage.write([*courses[:3], dict(courses[3], **wrong)])
            runs = self.sync_all(2, exit=65)
            self.assertEqual(runs[0].of("sync_finished")[0]["errors"], runs[1].of("sync_finished")[0]["errors"])
        self.stage.write([*courses[:3], dict(courses[3], parameters={"n": "many"})])
        own = shard_of("c3", 2)
        self.stage.sync("--shard", f"{own}/2", exit=65)
        self.stage.sync("--shard", f"{3 - own}/2", exit=0)

    def in_common(self, count=3, rate=None, checksum=True, size=300_000):
        """A video that is in a course of each shard, at an address of its own in each, and one that isn't."""
        body = media.mp4("in common", size)
        entry = {"id": "shared", "title": "Shared"}
        if checksum:
            entry["sha256"] = hashlib.sha256(body).hexdigest()
        table, written, owners = {}, [], set()
        for course in (f"c{n}" for n in range(100)):
            if shard_of(course, count) in owners:
                continue
            owners.add(shard_of(course, count))
            table[f"{course}/shared"] = self.host.at(f"/{course}/shared.mp4", File(body, rate=rate))
            table[f"{course}/own"] = self.host.at(f"/{course}/own.mp4", File(media.mp4(course, 3000)))
            written.append({"id": course, "title": course, "videos": ["own", entry]})
        self.assertEqual(len(owners), count)
        return table, written, body

    def fetched(self):
        return [request for request in self.host.asked() if request.path.endswith("shared.mp4")]

    def assert_shared(self, courses, body):
        for course in courses:
            folder = self.stage.library / course["title"]
            found = [path for path in folder.iterdir() if "hared" in path.name]
            self.assertEqual([path.read_bytes() for path in found], [body], course)
        self.assertEqual(list((self.stage.library / ".coursefetch/claims").iterdir()), [], "no claim is left")

    def test_a_video_in_courses_of_several_shards_is_fetched_once_at_the_same_time(self):
        table, courses, body = self.in_common(rate=150_000)
        self.stage.urls(table)
        self.stage.write(courses)
        runs = self.sync_all(3)
        self.assertEqual(len(self.fetched()), 1)
        self.assertEqual([len(run.of("download_finished")) for run in runs], [2, 2, 2])
        self.assert_shared(courses, body)
        self.sync_all(3)
        self.assertEqual(len(self.fetched()), 1)

    def test_a_video_in_courses_of_several_shards_is_fetched_once_one_after_the_other(self):
        for proof in ("checksum", "provider"):
            with self.subTest(proof):
                self.stage = self.scene()
                self.host.forget()
                table, courses, body = self.in_common(checksum=proof == "checksum")
                self.stage.urls(table, ignores_course=proof == "provider")
                self.stage.write(courses)
                for number in (1, 2, 3):
                    self.stage.sync("--shard", f"{number}/3", exit=0)
                self.assertEqual(len(self.fetched()), 1)
                self.assert_shared(courses, body)

    def test_an_equal_id_proves_nothing_between_shards_either(self):
        table, courses, body = self.in_common(checksum=False)
        self.stage.urls(table)
        self.stage.write(courses)
        self.sync_all(3)
        self.assertEqual(len(self.fetched()), 3)

    def test_a_shard_that_is_killed_leaves_no_claim_and_its_lists_are_only_believed_with_the_file(self):
        table, courses, body = self.in_common(count=2, rate=50_000)
        self.stage.urls(table)
        self.stage.write(courses)
        first = self.stage.start_sync("--shard", "1/2")
        wait_until(lambda: self.fetched(), 20)
        second = self.stage.start_sync("--shard", "2/2")
        second.wait_for(lambda events: any(e["event"] == "download_finished" for e in events))
        first.stop(signal.SIGKILL)
        for file in self.host.handlers.values():
            file.rate = None
        self.assertEqual(second.end().exit, 0)
        self.assertEqual(len(self.fetched()), 2, "the second one fetches it as soon as the first one is gone")
        self.sync_all(2)
        self.assertEqual(len(self.fetched()), 2)
        self.assert_shared(courses, body)
        # Other bytes of the same length and time, in the place of the file that the other shard's list has.
        for number in (1, 2):
            self.stage = self.scene()
            self.stage.urls(table)
            self.stage.write(courses)
            self.host.forget()
            self.stage.sync("--shard", f"{number}/2", exit=0)
            path = next(path for path in self.stage.library.rglob("*hared*.mp4"))
            status = path.stat()
            path.write_bytes(media.mp4("another", len(body)))
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            self.stage.sync("--shard", f"{3 - number}/2", exit=0)
            self.assertEqual(len(self.fetched()), 2)
            other = [c for c in courses if shard_of(c["id"], 2) == 3 - number]
            self.assert_shared(other, body)


if __name__ == "__main__":
    unittest.main()
