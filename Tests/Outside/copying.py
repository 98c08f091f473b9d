"""What `copy` brings to a stick: all of it, checked, continued after anything, and taken by a machine without a network."""

import fcntl
import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import faults
import media
from host import File, Host
from stage import Stage, wait_until

PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
JPG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000") + bytes(500) + bytes.fromhex("ffd9")
VTT = b"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n"
METADATA = ("--write-index", "--write-nfo", "--write-info-json", "--write-playlist")


def tool(*words):
    return subprocess.run(words, env={**os.environ, "PATH": PATH}, check=True, capture_output=True, text=True).stdout


def tree(root):
    """The files of a library or a copy, but for the program's own: path to bytes."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(pathlib.Path(root).rglob("*"))
            if p.is_file() and p.relative_to(root).parts[0] not in (".coursefetch", "lost+found")}


class Library(unittest.TestCase):
    """A library of two courses with everything beside its videos, and a folder to copy to."""

    SIZE = 40_000

    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.stage.close)
        self.addCleanup(self.host.close)
        self.copy = self.stage.folder / "stick/courses"
        self.copy.parent.mkdir()
        self.files = {v: File(media.mp4(v, self.SIZE), etag=f'"{v}"') for v in ("p0", "p1", "p2", "c0", "c1")}
        self.serve()
        self.stage.sync(*METADATA, exit=0)

    def serve(self, courses=("p", "c"), titles={}):
        table = {v: {"url": self.host.at(f"/{v}.mp4", file),
                     "cover": self.host.at(f"/{v}.jpg", File(JPG + v.encode(), kind="image/jpeg")),
                     "subtitles": [{"lang": "en", "url": self.host.at(f"/{v}.vtt", File(VTT, kind="text/vtt"))}]}
                 for v, file in self.files.items()}
        self.stage.urls(table)
        (self.stage.folder / "course.jpg").write_bytes(JPG)
        self.stage.write([
            {"id": course, "title": titles.get(course, {"p": "Physics: an \"Introduction\"?", "c": "Chemistry"}[course]),
             "cover": "course.jpg", "subtitles": "all", "chapters": [{"id": "one", "title": "One", "videos": [
                 {"id": v, "title": titles.get(v, f"Video {v}"), "description": f"about {v}"}
                 for v in self.files if v[0] == course]}]}
            for course in courses])

    def run_copy(self, *arguments, to=None, exit=0, **how):
        run = self.stage.command("copy", *arguments, "--to", to or self.copy, "--json", **how)
        self.assertEqual(run.exit, exit, run)
        self.ended = run.events[-1] if run.events else None
        if self.ended:
            self.assertEqual((self.ended["event"], self.ended["exit"]), ("copy_finished", exit))
        return run

    def sums(self, root=None):
        """Holds each file of the copy against SHA256SUMS, which names all of them."""
        root = root or self.copy
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=root, check=True)
        named = {line.split("  ", 1)[1] for line in (root / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(named, set(tree(root)) - {"SHA256SUMS"})

    def is_whole(self, root=None):
        self.sums(root)
        copied = tree(root or self.copy)
        del copied["SHA256SUMS"]
        # The page of all courses is of the whole library; the copy gets one from the sync of its machine.
        files = {path: body for path, body in self.stage.files().items() if path != "index.html"}
        self.assertEqual(copied, files)
        self.assertEqual([p.name for p in (root or self.copy).glob(".coursefetch/partials/*")], [])

    def path(self, video, root=None):
        found = [p for p in (root or self.stage.library).rglob("*.mp4") if f"Video {video}" in p.name]
        return found[0] if found else None

    def adopted(self, library):
        """Another machine takes the copy; returns it, and what its first sync asks for."""
        other = Stage()
        self.addCleanup(other.close)
        shutil.copytree(self.stage.plugins, other.plugins, dirs_exist_ok=True)
        shutil.copy(self.stage.catalog, other.catalog)
        shutil.copy(self.stage.folder / "course.jpg", other.folder)
        other.library = library
        self.host.forget()
        adopted = other.command("library adopt", "--rebuild", "--json")
        self.assertEqual((adopted.exit, self.host.asked()), (0, []), adopted)
        self.assertEqual(adopted.events[0]["left_out"], 0)
        self.assertEqual(other.command("verify").exit, 0)
        return other, adopted.events[0]["rebuilt"], lambda: [r.path for r in self.host.asked()]


class Copies(Library):
    def test_a_copy_is_whole_and_the_next_run_writes_nothing(self):
        run = self.run_copy()
        self.is_whole()
        self.assertEqual((self.ended["copied"], self.ended["present"], self.ended["complete"]), (5, 0, True))
        self.assertEqual(len(run.of("video_copied")), 5)
        before = {p: p.stat() for p in self.copy.rglob("*") if p.is_file()}
        self.run_copy()
        self.assertEqual((self.ended["copied"], self.ended["present"], self.ended["all_bytes"]), (0, 5, 0))
        after = {p: p.stat() for p in self.copy.rglob("*") if p.is_file()}
        self.assertEqual(
            {p.name for p in before if (before[p].st_ino, before[p].st_mtime_ns) != (after[p].st_ino, after[p].st_mtime_ns)},
            {"lock"})

    def test_another_machine_takes_it_without_a_network(self):
        self.run_copy()
        marker = self.copy / ".coursefetch/library.json"
        self.assertNotIn(str(self.stage.catalog), (self.copy / ".coursefetch/files.jsonl").read_text())
        # Another account has another name.
        marker.write_text(json.dumps({**json.loads(marker.read_text()), "user": "teacher"}))
        other, rebuilt, asked = self.adopted(self.copy)
        self.assertEqual(rebuilt, 5)
        before = tree(self.copy)
        run = other.sync(*METADATA, exit=0)
        self.assertEqual((asked(), run.of("warning")), ([], []), run)
        self.assertEqual({p: b for p, b in tree(self.copy).items() if p != "index.html"}, before)
        # From now on it is that machine's.
        refused = self.stage.command("copy", "--to", self.copy)
        self.assertEqual(refused.exit, 73, refused)
        self.assertIn("is the library of a state", refused.err)

    def test_a_part_of_it_has_a_page_of_its_own(self):
        self.run_copy("p/one/p0", "c")
        self.sums()
        page = next(self.copy.glob("Physics*/index.html")).read_text()
        self.assertIn("Video p0", page)
        self.assertNotIn("Video p1", page)
        self.assertIn("1 video", page)
        self.assertIn("about c0", next(self.copy.glob("Chem*/index.html")).read_text(), "all of a course: as it is")
        self.assertFalse([p for p in tree(self.copy) if "p1" in p])
        other, rebuilt, asked = self.adopted(shutil.copytree(self.copy, self.stage.folder / "taken"))
        run = other.sync(*METADATA, exit=0)
        self.assertEqual({p[1:3] for p in asked()}, {"p1", "p2"})
        self.assertEqual(run.of("warning"), [], "the page of the copy was known to be one of ours")
        self.run_copy("p")
        self.is_whole()

    def test_prune_removes_what_is_not_selected_and_nothing_else(self):
        self.run_copy()
        mine = self.copy / "Chemistry/notes.txt"
        mine.write_text("mine")
        self.run_copy("p/one/p1")
        self.assertEqual(self.ended["removed"], 0)
        self.run_copy("p/one/p1", "--prune")
        self.assertEqual(self.ended["removed"], 4)
        self.assertEqual([p.name for p in self.copy.rglob("*.mp4")], [self.path("p1").name])
        self.assertEqual(mine.read_text(), "mine")
        mine.unlink()
        (self.copy / "Chemistry").rmdir()
        self.sums()
        self.run_copy("--prune")
        self.is_whole()

    def test_missing_and_altered_files_are_named_and_the_others_copied(self):
        self.path("p0").unlink()
        altered = self.path("c1")
        altered.write_bytes(b"x" * self.SIZE)
        next(self.stage.library.glob("Chem*/*/*c0*.vtt")).unlink()
        run = self.run_copy(exit=1)
        self.assertEqual({(e["video"], e["result"], e["lacks_video"]) for e in run.of("file_not_copied")},
                         {("p0", "missing", True), ("c1", "changed", True), ("c0", "missing", False)})
        self.assertEqual((self.ended["copied"], self.ended["not_copied"], self.ended["complete"]), (3, 2, True))
        self.sums()
        self.assertEqual({p.read_bytes() for p in self.copy.rglob("*.mp4")}, {self.files[v].body for v in ("p1", "p2", "c0")})
        text = self.stage.command("copy", "--to", self.copy)
        self.assertIn("it is missing in the library; see: coursefetch verify p/one/p0", text.err)
        self.assertIn("verify c/one/c1 --repair", text.err)
        self.assertEqual(self.stage.command("verify", "--repair").exit, 1)
        self.stage.sync(*METADATA, exit=0)
        self.run_copy()
        self.is_whole()

    def test_new_versions_names_and_videos_come_and_the_old_ones_go(self):
        self.run_copy()
        old = self.path("c0", self.copy)
        kept = self.path("p1", self.copy).stat()
        self.files["c0"] = File(media.mp4("new", self.SIZE + 1), etag='"new"')
        self.files["c2"] = File(media.mp4("c2", self.SIZE), etag='"c2"')
        self.serve(titles={"p": "Mechanics", "p1": "Video p1, renamed"})
        self.path("c0").unlink()
        self.assertEqual(self.stage.command("verify").exit, 1)
        self.stage.sync(*METADATA, exit=0)
        self.run_copy()
        self.is_whole()
        self.assertEqual((self.ended["copied"], self.ended["updated"]), (1, 1), "a new name isn't written again")
        self.assertEqual(self.path("p1, renamed", self.copy).stat().st_ino, kept.st_ino)
        self.assertEqual(old.read_bytes(), self.files["c0"].body)

    def test_what_is_not_the_copys_stays_and_no_link_is_followed(self):
        outside = self.stage.folder / "outside"
        outside.mkdir()
        folder = self.path("p0").parents[1].name
        self.copy.mkdir()
        (self.copy / folder).symlink_to(outside, target_is_directory=True)
        there = self.copy / self.path("c0").relative_to(self.stage.library)
        there.parent.mkdir(parents=True)
        there.write_text("mine")
        (self.copy / "SHA256SUMS").write_text("mine")
        run = self.run_copy(exit=1)
        self.assertEqual(list(outside.iterdir()), [])
        self.assertEqual({e["result"] for e in run.of("file_not_copied")}, {"in_the_way"})
        self.assertEqual((there.read_text(), (self.copy / "SHA256SUMS").read_text()), ("mine", "mine"))
        self.assertTrue(self.path("c1", self.copy))
        for path in (self.copy / folder, there, self.copy / "SHA256SUMS"):
            path.unlink()
        self.run_copy()
        self.is_whole()
        shutil.move(self.copy / folder, outside / folder)
        (self.copy / folder).symlink_to(outside / folder, target_is_directory=True)
        before = tree(outside)
        self.run_copy("c", "--prune")
        self.assertEqual(tree(outside), before)

    def test_only_one_copy_at_a_time_and_only_into_a_copy(self):
        self.run_copy()
        holder = open(self.copy / ".coursefetch/lock")
        self.addCleanup(holder.close)
        fcntl.flock(holder, fcntl.LOCK_EX)
        busy = self.stage.command("copy", "--to", self.copy)
        self.assertEqual(busy.exit, 75, busy)
        inside = self.stage.command("copy", "--to", self.stage.library / "copy")
        self.assertEqual((inside.exit, (self.stage.library / "copy").exists()), (64, False), inside)
        absent = self.stage.command("copy", "--to", self.stage.folder / "absent/copy")
        self.assertEqual((absent.exit, (self.stage.folder / "absent").exists()), (73, False), absent)
        self.assertIn("if it is on a disk that isn't mounted, mount it", absent.err)
        foreign = self.copy / ".coursefetch/library.json"
        holder.close()
        foreign.write_text(json.dumps({**json.loads(foreign.read_text()), "copyOf": "another"}))
        other = self.stage.command("copy", "--to", self.copy)
        self.assertEqual(other.exit, 73, other)
        self.assertIn("is the copy of another library", other.err)
        self.assertEqual(self.stage.command("copy", "nothing", "--to", self.copy).exit, 64)

    def test_shards_are_copied_as_one_library(self):
        stage = self.stage
        stage.library, stage.state = stage.folder / "shared", stage.folder / "states"
        for index in (1, 2):
            stage.sync("--shard", f"{index}/2", *METADATA, exit=0)
        self.assertIn(stage.command("copy", "--to", self.copy).exit, (64, 73))
        self.run_copy("--all-shards")
        self.is_whole()
        other, rebuilt, asked = self.adopted(self.copy)
        run = other.sync(*METADATA, exit=0)
        self.assertEqual((rebuilt, asked(), run.of("warning")), (5, [], []), run)

    def test_a_newer_copy_on_the_other_machine_is_taken_over(self):
        self.run_copy()
        taken = self.stage.folder / "taken"
        subprocess.run(["cp", "-a", self.copy, taken], check=True)
        other, rebuilt, asked = self.adopted(taken)
        other.sync(exit=0)
        self.files["c0"] = File(media.mp4("new", self.SIZE + 1), etag='"new"')
        self.files["c2"] = File(media.mp4("c2", self.SIZE), etag='"c2"')
        self.serve()
        self.path("c0").unlink()
        self.assertEqual(self.stage.command("verify").exit, 1)
        self.stage.sync(*METADATA, exit=0)
        self.run_copy()
        # Over what is there, as with a second stick, and without times.
        subprocess.run(["cp", "-rT", self.copy, taken], check=True)
        shutil.copy(self.stage.catalog, other.catalog)
        shutil.copytree(self.stage.plugins, other.plugins, dirs_exist_ok=True)
        again = other.command("library adopt", "--rebuild", "--json")
        self.assertEqual(again.exit, 0, again)
        self.host.forget()
        other.sync(exit=0)
        self.assertEqual([r.path for r in self.host.asked()], [])
        self.assertEqual(other.command("verify").exit, 0)


class Interrupted(Library):
    SIZE = 24 << 20

    def setUp(self):
        super().setUp()

    def partials(self):
        """Inode and size of each."""
        found = []
        for path in self.copy.glob(".coursefetch/partials/*"):
            try:
                found.append((path.stat().st_ino, path.stat().st_size))
            except OSError:
                continue
        return found

    def begin(self, least, *arguments):
        """A copy that has written so many bytes of one file."""
        running = self.stage.start("copy", *arguments, "--to", self.copy, "--json")

        wait_until(lambda: any(size >= least for _, size in self.partials()) or running.process.poll() is not None)
        return running

    def test_it_goes_on_after_kills(self):
        for number in range(6):
            self.begin(1 << 20 if number % 2 else 12 << 20).stop(signal.SIGKILL)
        held = {inode for inode, size in self.partials() if size}
        self.run_copy()
        self.is_whole()
        self.assertLessEqual(held, {p.stat().st_ino for p in self.copy.rglob("*")}, "what was being written was continued")

    def test_a_stop_ends_it_soon_and_says_how_to_continue(self):
        run = self.begin(1 << 20, "c").stop(signal.SIGINT)
        self.assertIn(run.exit, (0, 75), run)
        if run.exit == 75:
            self.assertIn(f"to continue it: coursefetch copy c --to {self.copy}", run.err)
            self.assertFalse(run.events[-1]["complete"])
        self.run_copy()
        self.is_whole()

    def test_a_full_disk_is_said_before_and_in_the_middle(self):
        if os.geteuid():
            self.skipTest("a small disk needs root")
        tool("mount", "-t", "tmpfs", "-o", "size=80m", "none", self.copy.parent)
        self.addCleanup(tool, "umount", "-l", self.copy.parent)
        run = self.stage.command("copy", "--to", self.copy)
        self.assertEqual((run.exit, tree(self.copy)), (73, {}), run)
        self.assertIn("nothing was copied", run.err)
        self.run_copy("c")
        # The files of this process are limited, as those of FAT are.
        limited = self.run_copy("p/one/p0", exit=1, limits=[(resource.RLIMIT_FSIZE, 10 << 20)])
        self.assertEqual([e["result"] for e in limited.of("file_not_copied")], ["too_large"])
        running = self.begin(2 << 20, "p/one/p0")
        if running.process.poll() is None:
            running.send(signal.SIGSTOP)
            with open(self.copy.parent / "filler", "wb") as filler:
                try:
                    while True:
                        filler.write(bytes(1 << 20))
                        filler.flush()
                except OSError:
                    pass
            running.send(signal.SIGCONT)
        run = running.end()
        self.assertIn(run.exit, (0, 73), run)
        if run.exit == 73:
            self.assertIn("is full. What is there stays; to continue it: coursefetch copy p/one/p0", run.err)
        (self.copy.parent / "filler").unlink(missing_ok=True)
        self.run_copy("p/one/p0")
        self.sums()


class Sticks(Library):
    """File systems of sticks on loop devices, by the kernel or through FUSE."""

    SIZE = 3 << 20

    def stick(self, make, mounts, size=120 << 20):
        if os.geteuid():
            self.skipTest("a stick needs root, for loop devices and mounts")
        for program in (make[0], "losetup", "mount"):
            if not shutil.which(program, path=PATH):
                self.skipTest(f"{program} is missing")
        self.image = self.stage.folder / "stick.image"
        self.mounts = mounts
        with open(self.image, "wb") as file:
            file.truncate(size)
        tool(*make, self.image)
        self.addCleanup(lambda: subprocess.run(["umount", "-l", self.copy.parent], env={**os.environ, "PATH": PATH},
                                               stderr=subprocess.DEVNULL))
        self.addCleanup(lambda: [tool("losetup", "-d", line.split(":")[0]) for line in
                                 tool("losetup", "-j", self.image).splitlines()])
        self.plug()

    def plug(self, **variables):
        loop = tool("losetup", "--find", "--show", self.image).strip()
        for words in self.mounts:
            try:
                subprocess.run([w.replace("DEVICE", loop).replace("AT", str(self.copy.parent)) for w in words], check=True,
                               env={**os.environ, "PATH": PATH, **variables}, capture_output=True)
                wait_until(lambda: os.path.ismount(self.copy.parent))
                return
            except (OSError, subprocess.CalledProcessError):
                continue
        ways = " or ".join(" ".join(words[:-2]) for words in self.mounts)
        self.skipTest(f"it can't be mounted here: {ways}")

    def pull(self):
        tool("umount", self.copy.parent)
        wait_until(lambda: not os.path.ismount(self.copy.parent))
        for line in tool("losetup", "-j", self.image).splitlines():
            tool("losetup", "-d", line.split(":")[0])

    def colons(self):
        """Gives a video of the library a name that only file systems of Linux take."""
        path = self.path("p2")
        odd = path.with_name(path.name.replace("Video p2", "Video p2: why?"))
        database = sqlite3.connect(next(self.stage.state.rglob("state.sqlite")))
        with database:
            database.execute("UPDATE downloads SET path = replace(path, 'Video p2', 'Video p2: why?'), "
                             "stem = replace(stem, 'Video p2', 'Video p2: why?') WHERE video = 'p2'")
        database.close()
        path.rename(odd)

    def check(self, refuses):
        self.colons()
        self.run_copy()
        self.assertEqual(self.ended["renamed_files"], 1 if refuses else 0)
        self.sums()
        self.assertEqual({p.read_bytes() for p in self.copy.rglob("*.mp4")}, {f.body for f in self.files.values()})
        self.assertTrue(self.path("p2_ why_" if refuses else "p2: why?", self.copy))
        self.pull()
        # Another machine thinks of another zone of time.
        self.plug(TZ="Asia/Kolkata")
        self.run_copy()
        self.assertEqual((self.ended["copied"], self.ended["updated"], self.ended["present"]), (0, 0, 5))
        self.files["c0"] = File(media.mp4("new", self.SIZE + 1), etag='"new"')
        self.serve()
        self.path("c0").unlink()
        self.assertEqual(self.stage.command("verify").exit, 1)
        self.stage.sync(*METADATA, exit=0)
        self.run_copy()
        self.assertEqual((self.ended["copied"], self.ended["updated"], self.ended["present"]), (0, 1, 4))
        self.sums()
        self.pull()
        self.plug()
        taken = self.stage.folder / "taken"
        subprocess.run(["cp", "-rT", self.copy, taken], check=True)
        for library in (taken, self.copy):
            other, rebuilt, asked = self.adopted(library)
            run = other.sync(*METADATA, exit=0)
            self.assertEqual((rebuilt, asked(), run.of("warning")), (5, [], []), run)

    def test_fat(self):
        # Not through FUSE: fusefat gives other bytes back than were written.
        self.stick(["mkfs.vfat", "-F", "32"], [["mount", "-o", "utf8", "-t", "vfat", "DEVICE", "AT"]])
        self.check(refuses=True)

    def test_exfat(self):
        self.stick(["mkfs.exfat"], [["mount", "-t", "exfat", "DEVICE", "AT"], ["mount.exfat-fuse", "DEVICE", "AT"]])
        self.check(refuses=True)

    def test_exfat_through_fuse(self):
        self.stick(["mkfs.exfat"], [["mount.exfat-fuse", "DEVICE", "AT"]])
        self.check(refuses=True)

    def test_ntfs_through_fuse(self):
        self.stick(["mkntfs", "-F", "-q"], [["ntfs-3g", "DEVICE", "AT"]])
        self.check(refuses=False)

    def test_a_stick_that_is_pulled_out_is_continued(self):
        self.stick(["mkfs.exfat"], [["mount.exfat-fuse", "DEVICE", "AT"]])
        self.run_copy("c/one/c0")
        running = self.stage.start("copy", "--to", self.copy, "--json")
        running.wait_for(lambda events: any(e["event"] == "video_copied" for e in events))
        running.send(signal.SIGSTOP)
        for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            words = process.read_bytes().split(b"\0")
            if b"exfat-fuse" in words[0] and str(self.copy.parent).encode() in words:
                os.kill(int(process.parent.name), signal.SIGKILL)
        running.send(signal.SIGCONT)
        run = running.end()
        self.assertIn(run.exit, (0, 73), run)
        if run.exit == 73:
            self.assertIn(f"to continue it: coursefetch copy --to {self.copy}", run.err)
        self.pull()
        self.plug()
        self.run_copy()
        self.is_whole()


class CopyFaults(faults.Faults, unittest.TestCase):
    """A fault at every call of a copy; then the same copy makes it all right."""

    documented = {0, 1, 73, 75}

    @property
    def target(self):
        return self.stage.folder / "copy"

    def prepare(self):
        self.stage.urls({id: self.video(id) for id in ("a", "b")})
        self.stage.write({"c": ["a"], "d": ["b"]})
        self.stage.sync("--write-index", exit=0)

    def act(self):
        return self.stage.command("copy", "--to", self.target, "--json")

    mend = act

    def media(self):
        return {p: d for p, d in tree(self.target).items() if p.endswith(faults.MEDIA)} if self.target.exists() else {}

    def everything(self):
        return {str(p.relative_to(self.target)) for p in self.target.rglob("*")}


class UpdateFaults(CopyFaults):
    """The same with an older copy, of which a video has another name now, another one another version, and a third is gone."""

    def prepare(self):
        self.stage.urls({id: self.video(id) for id in ("a", "b", "x")})
        self.stage.write({"c": ["a", "x"], "d": ["b"]})
        self.stage.sync("--write-index", exit=0)
        # The copy has the bytes of x until it is pruned, and the old ones of b until the new ones are there.
        self.act()
        self.bodies["b before"] = self.bodies["b"]
        self.bodies["b"] = media.mp4("newer", 9_500)
        self.host.at("/b", File(self.bodies["b"], etag='"newer"'))
        self.stage.write({"c": [{"id": "a", "title": "Another"}], "d": ["b"]})
        next(p for p in self.stage.library.rglob("*b*.mp4")).unlink()
        self.stage.command("verify")
        self.stage.sync("--write-index", "--prune", "--max-delete", "100%", exit=0)

    def act(self):
        return self.stage.command("copy", "--to", self.target, "--prune", "--json")

    mend = act
