"""contrib/slurm on a real Slurm: arrays that share a catalog, their exit codes, requeues, cancellations and lost nodes."""

import collections
import os
import pathlib
import random
import re
import signal
import time
import unittest

import cluster
import media
import stage
from host import File, Host
from stage import Stage, wait_until

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "contrib/slurm"


class Case(unittest.TestCase):
    nodes, cpus, node_timeout = 4, 2, 30

    def setUp(self):
        if cluster.missing():
            self.skipTest(cluster.missing())
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)
        self.cluster = cluster.Cluster(self.nodes, self.cpus, node_timeout=self.node_timeout)
        self.addCleanup(self.cluster.close)
        # Jobs call coursefetch by its name.
        (self.stage.folder / "bin").mkdir()
        (self.stage.folder / "bin/coursefetch").symlink_to(stage.PROGRAM)

    def catalog(self, courses, videos, size=lambda course, video: 2000 + 100 * video, **file):
        """Courses c0, c1, …; each video has an id and bytes of its own, since one that several courses have is looked for."""
        table, written = {}, []
        for course in range(courses):
            entries = []
            for video in range(videos):
                body = media.mp4(f"{course} {video}", size(course, video))
                table[f"v{course}-{video}"] = self.host.at(
                    f"/{course}/{video}.mp4", File(body, f'"{course}-{video}"', **file))
                entries.append({"id": f"v{course}-{video}", "title": f"Video {video}"})
            written.append({"id": f"c{course}", "title": f"Course {course}", "videos": entries})
        self.stage.urls(table)
        self.stage.write(written)
        return table

    def environment(self):
        set = self.stage.environment()
        return {"HOME": set["HOME"], "PATH": f"{self.stage.folder}/bin:" + self.cluster.environment()["PATH"],
                "NO_PROXY": "*", "no_proxy": "*", "COURSEFETCH_LIBRARY": str(self.stage.library),
                "COURSEFETCH_STATE": str(self.stage.state), "COURSEFETCH_PLUGINS": str(self.stage.plugins)}

    def submit(self, shards, *arguments, **more):
        """Submits both scripts as a user does; returns the numbers of the array and of the report."""
        told = self.cluster.run(SCRIPTS / "submit", shards, self.stage.catalog, *arguments, **self.environment(), **more)
        return re.fullmatch(r"array (\d+): .* the report: coursefetch-(\d+)-report.log\n", told).groups()

    def wait(self, job, seconds=60):
        wait_until(lambda: not self.cluster.tasks(job), seconds, lambda: f"{self.cluster.tasks(job)} {self.logs(job)}")

    def log(self, job, task):
        path = self.cluster.folder / f"coursefetch-{job}_{task}.log"
        return path.read_text() if path.exists() else ""

    def logs(self, job):
        return "\n".join(f"{path.name}:\n{path.read_text()}"
                         for path in sorted(self.cluster.folder.glob(f"coursefetch-{job}*.log")))

    def shard_of(self, count):
        """Course to the number of its shard."""
        found = {}
        for index in range(1, count + 1):
            run = self.stage.sync("--dry-run", "--shard", f"{index}/{count}", exit=0)
            found.update({event["course"]: index for event in run.events if "course" in event})
        return found

    def sent(self, index, count):
        """The requests for videos of one of so many shards."""
        mine = {course[1:] for course, of in self.shard_of(count).items() if of == index}
        return [request for request in self.host.asked() if request.path.split("/")[1] in mine]

    def partial(self, shard):
        """The bytes of what isn't whole yet."""
        return sum(p.stat().st_size for p in self.stage.library.glob(f".coursefetch/shards/{shard}/partials/*"))

    def syncs(self, program="coursefetch"):
        """The syncs that run on the nodes: process to node."""
        running = {}
        for name in self.cluster.nodes:
            for pid in self.cluster.processes(name):
                try:
                    command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if command[:2] == [program.encode(), b"sync"]:
                    running[pid] = name
        return running


class Slurm(Case):
    def test_an_array_shares_a_catalog_and_only_what_is_left_runs_again(self):
        self.catalog(courses=16, videos=3)
        shard = self.shard_of(4)
        self.assertEqual(set(shard.values()), {1, 2, 3, 4}, shard)
        late, gone = (next(course for course in shard if shard[course] == index) for index in (1, 2))
        # The host asks once to wait for longer than a sync waits, and lacks another video for good.
        file = self.host.handlers[f"/{late[1:]}/0.mp4"]
        self.host.at(f"/{late[1:]}/0.mp4", lambda x: x.answer(503, b"", retry_after="4") if x.earlier == 0 else file(x))
        self.host.at(f"/{gone[1:]}/0.mp4", lambda x: x.answer(404, b""))
        array, report = self.submit(4, "--max-wait", "1s")
        self.wait(array)
        for task, ends in ((1, ["75", "0"]), (2, ["1"]), (3, ["0"]), (4, ["0"])):
            log = self.log(array, task)
            self.assertEqual(re.findall(r" ended with (\d+)", log), ends, log)
            # The log of a task that was requeued has all of its starts.
            self.assertEqual(re.findall(r": start (\d+) on n\d: ", log), [str(n + 1) for n in range(len(ends))], log)
        self.assertIn("some work is left; requeued, restart 1 of 20\n", self.log(array, 1))
        self.assertIn(f"failed    '{gone}/*/v{gone[1:]}-0'", self.log(array, 2))
        self.assertEqual(len(self.stage.files()), 47)
        asked = collections.Counter(request.path for request in self.host.asked())
        twice = {path for path in asked if asked[path] > 1}
        self.assertEqual(twice - {f"/{late[1:]}/0.mp4", f"/{gone[1:]}/0.mp4"}, set())
        self.report(array, report)

    def report(self, array, report):
        self.wait(report)
        told = (self.cluster.folder / f"coursefetch-{report}-report.log").read_text()
        lines = told.splitlines()
        self.assertEqual(lines[0], f"The tasks of {array}, with their last lines:")
        self.assertEqual([line.split(": ")[0] for line in lines[1:5]], [f"coursefetch-{array}_{n}.log" for n in (1, 2, 3, 4)])
        self.assertIn("ended with 1: something failed", lines[2])
        ended = self.cluster.run("scontrol", "show", "job", report)
        # One video failed; all that is there is whole.
        self.assertIn("ExitCode=0:0", ended, told)
        self.assertRegex(told, r"\b47\b.*finished", told)

    def test_a_stopped_task_runs_again_and_a_cancelled_one_does_not(self):
        self.catalog(courses=8, videos=3, size=lambda course, video: 400_000, rate=60_000)
        array, report = self.submit(2, RESTARTS="1")
        wait_until(lambda: self.partial("1-of-2") > 200_000 and self.partial("2-of-2"), 30, lambda: self.logs(array))
        # What Slurm sends before the time limit.
        self.cluster.run("scancel", "--signal=USR1", "--batch", f"{array}_1")
        wait_until(lambda: "requeued, restart 1 of 1\n" in self.log(array, 1), 30, lambda: self.logs(array))
        first, sent = self.log(array, 1), self.sent(1, 2)
        self.assertRegex(first, r"exit code 75: stopped.*\n.* ended with 75: some work is left; requeued, restart 1 of 1\n")
        # It starts again with the bytes that it has, and the number of restarts is a limit.
        wait_until(lambda: any((request.range_start or 0) > 10_000 for request in self.sent(1, 2)[len(sent):]), 40,
                   lambda: self.logs(array))
        self.cluster.run("scancel", "--signal=USR1", "--batch", f"{array}_1")
        wait_until(lambda: "1" not in self.cluster.tasks(array), 30, lambda: self.logs(array))
        self.assertRegex(self.log(array, 1), r"ended with 75: .*; not requeued, since that was the last restart\n$")
        # A user's cancellation.
        began = time.monotonic()
        self.cluster.run("scancel", array)
        self.wait(array, 20)
        self.assertLess(time.monotonic() - began, 20, "the sync ends by itself, long before it is killed")
        self.assertRegex(self.log(array, 2), r"CANCELLED AT(.*\n)+.* ended with 75: .* Slurm has ended this task \(COMPLETING")
        self.assertNotIn("; requeued", self.log(array, 2))
        self.assertTrue(self.log(array, 1).startswith(first), "the log is whole")
        time.sleep(self.cluster.requeue_delay + 2)
        self.assertEqual((self.cluster.tasks(array), self.syncs()), ({}, {}))
        self.wait(report)

    def test_a_sync_that_is_killed_runs_again_and_a_preempted_task_is_slurms(self):
        self.catalog(courses=4, videos=2, size=lambda course, video: 300_000, rate=100_000)
        array, report = self.submit(1)
        wait_until(lambda: self.host.asked() and self.syncs(), 30, lambda: self.logs(array))
        os.kill(next(iter(self.syncs())), signal.SIGKILL)
        wait_until(lambda: "start 2" in self.log(array, 1) and self.syncs(), 40, lambda: self.logs(array))
        self.assertIn("the sync was killed (137); requeued, restart 1 of 20\n", self.log(array, 1))
        self.cluster.run("sbatch", "--partition=urgent", "--exclusive", "--nodes=4", "--wrap=sleep 1")
        wait_until(lambda: "PREEMPTION" in self.log(array, 1), 30, lambda: self.logs(array))
        for file in self.host.handlers.values():
            file.rate = None
        self.wait(array)
        log = self.log(array, 1)
        self.assertRegex(log, r"ended with 75: .*Slurm has ended this task \(")
        self.assertRegex(log, "ended with 0: all is finished\n$")
        self.assertEqual(len(self.stage.files()), 8)
        self.wait(report)

    def test_a_catalog_that_is_wrong_ends_the_array_and_a_login_that_lacks_ends_one_task(self):
        self.cluster.run("scontrol", "update", "nodename=n[2-3]", "state=drain", "reason=test")
        self.catalog(courses=2, videos=1)
        self.stage.catalog.write_text("version: 1\ncourses: [{id: a, videos: 7}]\n")
        array, report = self.submit(12)
        self.wait(array)
        started = [task for task in range(1, 13) if self.log(array, task)]
        self.assertLessEqual(len(started), 8, self.logs(array))
        for task in started:
            self.assertRegex(self.log(array, task), r" ended with 65, as each task would: those that wait are cancelled\n$")
        self.wait(report)
        told = (self.cluster.folder / f"coursefetch-{report}-report.log").read_text()
        self.assertIn(f"coursefetch-{array}_{started[0]}.log: ", told)

        self.cluster.run("scontrol", "update", "nodename=n[2-3]", "state=resume")
        self.stage.plugin("lectures", 'def answer(params): raise Refusal("auth_required")')
        self.stage.write({"c1": ["v"]})
        array, report = self.submit(6)
        self.wait(array)
        ends = [re.findall(r" ended with (\d+)", self.log(array, task)) for task in range(1, 7)]
        self.assertEqual(sorted(ends), [["0"]] * 5 + [["77"]], self.logs(array))
        self.wait(report)
        # Some tasks of an array again: neither their numbers nor their count say that there are 6.
        index = ends.index(["77"]) + 1
        array, report = self.submit(6, TASKS=str(index))
        self.wait(array)
        self.assertIn(f"--shard {index}/6 ", self.log(array, index))
        self.assertIn(" ended with 77: ", self.log(array, index))
        # Its processes would be left.
        self.wait(report)


@unittest.skipUnless(os.environ.get("COURSEFETCH_SOAK"), "COURSEFETCH_SOAK=1")
class LostNodes(Case):
    """2,000 videos in 200 courses on four nodes, whose syncs and which themselves are killed in the middle."""

    shards, node_timeout = 8, 10

    def setUp(self):
        seed = int(os.environ.get("COURSEFETCH_SEED") or random.SystemRandom().randrange(10**6))
        print(f"COURSEFETCH_SEED={seed} Tests/Outside/run --soak -k slurm.LostNodes", flush=True)
        self.chance = random.Random(seed)
        super().setUp()

    def test_the_library_is_that_of_one_machine_and_only_what_was_under_way_is_transferred_twice(self):
        sizes = random.Random(1)
        self.catalog(courses=200, videos=10, size=lambda course, video: sizes.randrange(2_000, 40_000))
        single = Stage()
        self.addCleanup(single.close)
        single.plugins, single.catalog = self.stage.plugins, self.stage.catalog
        single.sync(exit=0, seconds=300)
        self.assertEqual(len(single.files()), 2000)
        self.owner = self.shard_of(self.shards)
        self.host.forget()
        for file in self.host.handlers.values():
            file.rate = 60_000
        self.array, report = self.submit(self.shards, "--jobs", "6")
        self.under_way, self.told, self.kills = set(), {}, []
        for share, mischief in (
                (0.1, self.kill_syncs), (0.2, self.drain), (0.35, self.kill_node), (0.45, self.kill_syncs),
                (0.55, self.bring_back), (0.7, self.kill_syncs), (0.8, self.kill_node), (0.81, self.bring_back)):
            wait_until(lambda: self.there() > share * 2000, 200, lambda: self.logs(self.array)[-4000:])
            mischief()
        self.wait(self.array, 300)
        self.assertEqual(self.stage.files(), single.files())
        whole = collections.Counter(request.path for request in self.host.asked() if not request.range_start)
        self.assertEqual(len(whole), 2000)
        for path in {path for path in whole if whole[path] > 1} - self.under_way:
            course, video = path.removesuffix(".mp4").split("/")[1:]
            log = self.log(self.array, self.owner[f"c{course}"])
            self.fail(f"{[(request, request.at) for request in self.host.asked(path)]}, kills at {self.kills}\n" + "\n".join(
                line for line in log.splitlines() if f"Course {course}/{int(video) + 1:02} " in line or "finished" not in line))
        self.look_at_the_logs()
        self.wait(report)

    def there(self):
        return sum(1 for path in self.stage.library.glob("Course */*.mp4"))

    def look_at_the_logs(self):
        restarted = 0
        for task in range(1, self.shards + 1):
            log = self.log(self.array, task)
            starts = [int(number) for number in re.findall(r": start (\d+) on n\d: ", log)]
            # Slurm also counts the starts on a node that is lost before it begins.
            self.assertEqual(starts, sorted(set(starts)), log)
            self.assertEqual(starts[0], 1, log)
            self.assertRegex(log, r" ended with 0: all is finished\n$")
            told = self.told.get(task, "")
            self.assertTrue(log.startswith(told), f"{told}\n---\n{log}")
            restarted += len(starts) - 1
        self.assertGreaterEqual(restarted, 6)

    def note(self, shards):
        """What these shards, which were killed, have asked for and haven't told as finished was under way."""
        self.kills.append((time.monotonic(), sorted(shards)))
        # A request that was sent may still be read.
        time.sleep(0.5)
        for shard in shards:
            log = self.log(self.array, shard)
            self.told[shard] = log
            finished = set(re.findall(r"^finished  Course (\d+)/(\d+) ", log, re.MULTILINE))
            for request in self.host.asked():
                course, video = request.path.removesuffix(".mp4").split("/")[1:]
                if self.owner[f"c{course}"] == shard and (course, f"{int(video) + 1:02}") not in finished:
                    self.under_way.add(request.path)

    def kill_syncs(self):
        running = self.syncs()
        killed = self.chance.sample(sorted(running), min(2, len(running)))
        shards = self.shards_of(killed)
        self.cluster.kill(killed)
        wait_until(lambda: not set(killed) & set(self.syncs()), 10)
        self.note(shards)

    @staticmethod
    def shards_of(processes):
        found = set()
        for pid in processes:
            try:
                environment = pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0")
            except OSError:
                continue
            found.update(int(each.partition("=")[2]) for each in environment if each.startswith("SLURM_ARRAY_TASK_ID="))
        return found

    def drain(self):
        """The node ends its tasks, and gets no others."""
        self.cluster.run("scontrol", "update", f"nodename={self.chance.choice(self.cluster.nodes)}", "state=drain", "reason=test")

    def kill_node(self):
        name = self.chance.choice(sorted(set(self.syncs().values())) or self.cluster.nodes)
        shards = self.shards_of(self.cluster.processes(name))
        self.cluster.kill_node(name)
        self.note(shards)

    def bring_back(self):
        for name in self.cluster.nodes:
            if self.cluster.daemons[name].poll() is not None:
                self.cluster.start_node(name)
        self.cluster.run("scontrol", "update", f"nodename={','.join(self.cluster.nodes)}", "state=resume", exit=None)


LostNodes.test_the_library_is_that_of_one_machine_and_only_what_was_under_way_is_transferred_twice.seconds = 900


if __name__ == "__main__":
    unittest.main()
