"""Files that get other names: a fault at any rename, two plans at once, a course that can't be settled."""

import sqlite3

import media
from arrivals import Listed
from host import File
from wrong_file import Case


class Moves(Case):
    def library(self, courses=("a",), count=4):
        """A library with the videos of these courses, each in a course folder of its own."""
        self.bodies = {f"{course}{n}": media.mp4(sum(map(ord, course)) + n, 9000) for course in courses for n in range(count)}
        self.stage.urls({id: self.host.at(f"/{id}", File(body)) for id, body in self.bodies.items()})
        self.courses = {course: [{"id": f"{course}{n}", "title": f"T{n}"} for n in range(count)] for course in courses}
        self.name("First")
        self.stage.sync(exit=0)

    def name(self, title, turned=False):
        """Another title of all courses; turned, the videos are in the other order."""
        self.stage.write([
            {"id": id, "title": f"{title} {id}", "videos": videos[::-1] if turned else videos}
            for id, videos in self.courses.items()])

    def wanted(self, title, turned=False):
        return {
            f"{title} {id}/{n + 1:02} {video['title']}.mp4": self.bodies[video["id"]]
            for id, videos in self.courses.items() for n, video in enumerate(videos[::-1] if turned else videos)}

    def tidy(self):
        moving = self.stage.library / ".coursefetch/moving"
        self.assertEqual([path.name for path in moving.iterdir()], [])

    def faulty(self, fault, *arguments):
        return self.stage.sync(*arguments, before=["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={fault}"])

    def heals(self, fault, title, turned):
        """A sync with a fault says what it couldn't move; the next one or two make all right, without a request."""
        self.host.forget()
        run = self.faulty(fault)
        files, wanted = self.stage.files(), self.wanted(title, turned)
        if files != wanted:
            self.assertIn(run.exit, (73, 75), f"{fault}: {sorted(files)}\n{run}")
        if run.exit == 75:
            told = [e["message"] for e in run.of("warning")]
            for path in set(files) - set(wanted):
                self.assertTrue([m for m in told if m.startswith(path + " couldn't be moved to ")], f"{fault}: {path}\n{run}")
        elif run.exit != 0:
            self.assertTrue(run.of("sync_finished")[0]["errors"], run)
        for _ in range(2):
            run = self.stage.sync()
        self.assertEqual(run.exit, 0, f"{fault}: {run}")
        self.assertEqual(self.stage.files(), wanted, f"{fault}: {run}")
        self.assertEqual(self.host.asked(), [])
        self.tidy()

    def test_a_file_that_moves_while_it_is_fetched_anew_is_replaced(self):
        """Another name and another version in one sync."""
        self.library()
        for title, version in (("Second", 1), ("Third", 2)):
            self.bodies["a1"] = media.mp4(f"version {version}", 9000 + version)
            self.host.at("/a1", File(self.bodies["a1"]))
            self.courses["a"][1]["size"] = 9000 + version
            self.name(title)
            run = self.stage.sync(exit=0)
            files, wanted = self.stage.files(), self.wanted(title)
            self.assertEqual(sorted(files), sorted(wanted), run)
            self.assertTrue(files == wanted, "other bytes")

    def test_a_move_that_fails_at_a_rename_is_told_and_made_by_the_next_sync(self):
        self.library()
        for n, error in ((2, "EIO"), (4, "ENOSPC"), (6, "EIO"), (7, "ENOSPC"), (8, "EIO")):
            self.name(f"R{n}", turned=n % 2 == 0)
            self.heals(f"renameat2:error={error}:when={n}", f"R{n}", n % 2 == 0)

    def test_a_move_that_fails_where_a_folder_is_opened_is_told_and_made_by_the_next_sync(self):
        self.library()
        for n, error in ((2, "EIO"), (3, "ENOSPC"), (4, "EIO"), (5, "ENOSPC")):
            self.name(f"O{n}", turned=n % 2 == 0)
            self.heals(f"openat2:error={error}:when={n}", f"O{n}", n % 2 == 0)

    def test_a_dry_run_and_status_after_a_failed_move_know_where_the_file_is(self):
        self.library(count=1)
        self.stage.library.joinpath("Next a").write_text("in the way")
        self.name("Next")
        run = self.stage.sync(exit=75)
        self.assertEqual([e["message"].split(" couldn't")[0] for e in run.of("warning")], ["First a/01 T0.mp4"])
        self.assertIn("couldn't be moved", self.stage.command("sync", self.stage.catalog).err)
        dry = self.stage.sync("--dry-run", exit=0)
        self.assertEqual([(e["from"], e["path"]) for e in dry.of("would_move")], [("First a/01 T0.mp4", "Next a/01 T0.mp4")], dry)
        verify = self.stage.command("verify")
        self.assertEqual(verify.exit, 0, verify)
        self.stage.library.joinpath("Next a").unlink()
        run = self.stage.sync(exit=0)
        self.assertEqual(len(run.of("download_moved")), 1, run)
        self.assertEqual(self.stage.files(), self.wanted("Next"))

    def put_off(self, count=2):
        """A library whose files wait to be moved to another title, since that couldn't be done."""
        self.library(count=count)
        self.stage.library.joinpath("Next a").write_text("in the way")
        self.name("Next")
        run = self.stage.sync(exit=75)
        self.assertEqual(len([e for e in run.of("warning") if "couldn't be moved" in e["message"]]), count, run)
        self.stage.library.joinpath("Next a").unlink()

    def without(self, *videos, title="Next"):
        """A catalog without these."""
        left = [video for video in self.courses["a"] if video["id"] not in videos]
        self.stage.write([{"id": "a", "title": f"{title} a", "videos": left}])

    def test_a_prune_in_the_sync_that_makes_a_put_off_move_removes_the_file(self):
        self.put_off()
        self.without("a0")
        run = self.stage.sync("--prune", "--max-delete", "100%", exit=0)
        self.assertEqual([e["video"] for e in run.of("download_removed")], ["a0"], run)
        self.assertEqual(list(self.stage.files().values()), [self.bodies["a1"]], run)

    def test_a_prune_of_a_whole_course_with_put_off_moves_leaves_nothing(self):
        self.put_off()
        self.stage.write([{"id": "z", "title": "Z", "videos": [{"id": "a0", "title": "T"}]}])
        run = self.stage.sync("--prune", "--max-delete", "100%", exit=0)
        self.assertEqual(sorted(e["video"] for e in run.of("download_removed")), ["a0", "a1"], run)
        self.assertEqual(self.stage.files(), {"Z/01 T.mp4": self.bodies["a0"]}, run)

    def test_a_put_off_move_of_a_removed_video_moves_no_file_of_ones_own(self):
        self.put_off()
        self.assertEqual(self.stage.command("remove", "a/*/a0", "--yes").exit, 0)
        own = self.stage.library / "First a/01 T0.mp4"
        self.assertFalse(own.exists())
        own.write_text("mine")
        run = self.stage.sync(exit=0)
        self.assertEqual([e["video"] for e in run.of("download_moved")], ["a1"], run)
        self.assertEqual(own.read_text(), "mine")

    def test_a_video_whose_move_is_unfinished_is_removed_only_when_it_is_finished(self):
        self.library(count=1)
        for n, title in enumerate(["B", "C", "D", "E"], 2):
            old = list(self.stage.files())[0].split("/")[0]
            self.name(title)
            self.stage.start_sync(before=[
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=renameat2:signal=KILL:when={n}"]).end()
            moving = [p.name for p in (self.stage.library / ".coursefetch/moving").iterdir() if "collected" not in p.name]
            if moving:
                break
            self.stage.sync(exit=0)
        self.assertEqual(len(moving), 1, "it is collected")
        for name in (old, f"{title} a"):
            folder = self.stage.library / name
            if folder.is_dir():
                folder.rmdir()
            folder.write_text("in the way")
        run = self.stage.command("remove", "a/*/a0", "--yes")
        self.assertEqual(run.exit, 1, run)
        self.assertIn("sync again, then remove it", run.err)
        self.assertEqual(self.stage.rows("state"), [("finished",)])
        for name in (old, f"{title} a"):
            (self.stage.library / name).unlink()
        self.assertEqual(self.stage.command("remove", "a/*/a0", "--yes").exit, 0)
        self.stage.sync(exit=0)
        self.assertEqual((self.stage.files(), self.stage.rows("state")), ({}, [("cancelled",)]))
        self.tidy()

    def test_a_file_that_cant_be_removed_is_reported_and_stays_known(self):
        self.library(count=2)
        folder = self.stage.library / "First a"
        fault = [
            "strace", "-f", "-qq", "-o", "/dev/null", "-P", str(folder), "-e", "inject=unlinkat:error=EROFS"]
        files = self.stage.files()
        run = self.stage.command("remove", "a/*/a0", "--yes", before=fault)
        self.assertEqual((run.exit, self.stage.files()), (1, files), run)
        self.assertIn("First a/01 T0.mp4", run.err)
        self.assertIn("Read-only file system", run.err)
        self.assertNotIn("1 video removed", run.out + run.err)
        run = self.stage.command("remove", "a/*/a0", "--yes", "--json", before=fault)
        self.assertEqual([e["result"] for e in run.of("download_changed")], ["file_not_removed"], run)
        self.assertEqual((run.exit, run.of("command_finished")[0]["changed"]), (1, 0), run)
        self.assertEqual(self.stage.rows("state"), [("finished",), ("finished",)])
        self.stage.sync(exit=0)
        self.assertEqual(self.stage.files(), files)
        self.without("a0", title="First")
        run = self.stage.sync("--prune", "--max-delete", "100%", before=fault, exit=1)
        self.assertEqual((run.of("download_removed"), self.stage.files()), ([], files), run)
        self.assertEqual(self.stage.command("remove", "a/*/a0", "--yes").exit, 0)
        self.assertEqual(list(self.stage.files().values()), [self.bodies["a1"]])

    def test_a_course_whose_files_can_go_neither_way_after_a_kill_costs_itself_only(self):
        self.library(courses=("a", "b"), count=2)
        # strace counts the calls of each thread by itself.
        for n, title in enumerate(["B", "C", "D", "E", "F", "G"], 3):
            old = self.stage.files()
            self.name(title)
            self.stage.start_sync(before=[
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=renameat2:signal=KILL:when={n}"]).end()
            moving = [p.name for p in (self.stage.library / ".coursefetch/moving").iterdir() if "collected" not in p.name]
            if len(moving) == 4:
                break
            self.stage.sync(exit=0)
        self.assertEqual(len(moving), 4, "all are collected")
        old = {path.split("/")[0] for path in old}
        first = next(name for name in old if name.endswith(" a"))
        for name in (first, f"{title} a"):
            folder = self.stage.library / name
            if folder.is_dir():
                folder.rmdir()
            folder.write_text("in the way")
        self.stage.write([{"id": id, "title": f"{title} {id}", "videos": videos} for id, videos in self.courses.items()]
                         + [{"id": "c", "title": "New", "videos": [{"id": "a0", "title": "T"}]}])
        run = self.stage.sync(exit=73)
        self.assertEqual([(e["course"], e["reason"]) for e in run.of("course_held")], [("a", "unsettled")], run)
        wanted = self.wanted(title)
        self.assertEqual(
            {p: b for p, b in self.stage.files().items() if "/" in p},
            {**{p: b for p, b in wanted.items() if p.startswith(f"{title} b/")}, "New/01 T.mp4": self.bodies["a0"]})
        for name in (first, f"{title} a"):
            (self.stage.library / name).unlink()
        self.host.forget()
        self.stage.sync(exit=0)
        self.assertEqual({p: b for p, b in self.stage.files().items() if p.startswith(title + " ")}, wanted)
        self.assertEqual(self.host.asked(), [])
        self.tidy()

    def test_a_folder_that_cant_be_flushed_costs_its_own_files_only(self):
        bodies = {f"v{n}": media.mp4(n, 9000) for n in range(6)}
        self.stage.urls({id: self.host.at(f"/{id}", File(body)) for id, body in bodies.items()})
        self.stage.write({"good": [f"v{n}" for n in range(3)], "bad": [f"v{n}" for n in range(3, 6)]})
        for name in ("good", "bad"):
            (self.stage.library / name).mkdir(parents=True)
        run = self.stage.sync("--jobs", 6, before=[
            "strace", "-f", "-qq", "-o", "/dev/null", "-P", str(self.stage.library / "bad"), "-e", "inject=fsync:error=EIO"])
        self.assertEqual(sorted({e["course"] for e in run.of("download_finished")}), ["good"], run)
        self.assertEqual(sorted({e["course"] for e in run.of("download_failed")}), ["bad"], run)
        self.assertEqual(len(run.of("download_finished")), 3, run)
        self.host.forget()
        self.stage.sync(exit=0)
        self.assertEqual(sorted(self.stage.files().values()), sorted(bodies.values()))
        self.assertEqual(self.host.asked(), [], "all were in place")

    def test_a_kill_where_names_have_to_be_claimed_leaves_no_empty_file(self):
        body = media.mp4(1, 9000)
        self.stage.urls({"v": self.host.at("/v", File(body))})
        self.stage.write({"c": ["v"]})
        old = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=renameat2:error=EINVAL", "-e", "inject=linkat:error=EPERM"]
        path = self.stage.library / "c/01 v.mp4"
        # The only renames of the file's own folder.
        (self.stage.library / "c").mkdir(parents=True)
        self.stage.start_sync(before=[*old, "-P", str(path.parent), "-e", "inject=renameat:signal=KILL"]).end()
        self.assertTrue(path.exists() and path.stat().st_size == 0, "it was killed in between")
        self.stage.sync(exit=0, before=old)
        self.assertEqual(self.stage.files(), {"c/01 v.mp4": body})


class TwoPlans(Listed):
    def test_a_late_arrival_leaves_the_unfinished_moves_of_an_earlier_one_alone(self):
        for n in (2, 3, 5):
            with self.subTest(n):
                stage = self.stage
                for course in ("x", "y"):
                    self.lists(course, [f"{course}{i}" for i in range(2)])
                    stage.library.mkdir(exist_ok=True)
                self.catalog({"n": {"title": f"Now {n}", "videos": ["n0"]}, "x": f"X{n}", "y": f"Y{n}"})
                stage.sync(exit=0)
                old = stage.files()
                self.catalog({"n": {"title": f"Now {n}", "videos": ["n0"]}, "x": f"XX{n}", "y": f"YY{n}"})
                self.holds("x"), self.holds("y")
                run = stage.start_sync(before=[
                    "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=renameat2:error=ENOSPC:when={n}+"])
                run.wait_for(lambda events: any(e["event"] == "sync_started" for e in events))
                self.goes("x")
                run.wait_for(lambda events: any(e["event"] == "course_listed" for e in events) or len(self.moving()) > 0)
                self.goes("y")
                run = run.end()
                self.assertIn(run.exit, (73, 75), run)
                database = next(stage.state.rglob("state.sqlite"))
                recorded = {row[0] for row in sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute("SELECT id FROM moves")}
                self.assertLessEqual(self.moving(), recorded, "each file that isn't in its place has a record")
                self.host.forget()
                stage.sync(exit=0)
                wanted = {path.replace(f"X{n}/", f"XX{n}/").replace(f"Y{n}/", f"YY{n}/"): body for path, body in old.items()}
                self.assertEqual(stage.files(), wanted)
                self.assertEqual((self.host.asked(), self.moving()), ([], set()))
