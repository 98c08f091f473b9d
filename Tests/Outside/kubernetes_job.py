"""contrib/kubernetes: its manifests by Kubernetes' own schemas, and their command lines, run as they stand."""

import copy
import json
import pathlib
import re
import signal
import subprocess
import time
import unittest

import kubernetes_validate
import yaml

import container
import media
from container import Container, Image
from host import File, Host
from stage import Stage, wait_until

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "contrib/kubernetes"
# The oldest that has all fields, and the newest of the package.
VERSIONS = ("1.33", kubernetes_validate.latest_version())


def manifests():
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        found += yaml.safe_load_all(path.read_text())
    return found


def of_kind(kind):
    return next(manifest for manifest in manifests() if manifest["kind"] == kind)


def jobs():
    return {"Job": of_kind("Job")["spec"], "CronJob": of_kind("CronJob")["spec"]["jobTemplate"]["spec"]}


def decided(job, exit):
    """What a Job does about a container's exit code, with and without a disruption of its pod."""
    for rule in job["podFailurePolicy"]["rules"]:
        if exit in rule.get("onExitCodes", {}).get("values", []):
            assert rule["onExitCodes"]["operator"] == "In"
            return rule["action"]
    return "Complete" if exit == 0 else "Count"


class Manifests(unittest.TestCase):
    def test_they_are_what_kubernetes_takes(self):
        kinds = [manifest["kind"] for manifest in manifests()]
        self.assertEqual(sorted(kinds), ["CronJob", "Job", "PersistentVolumeClaim", "Pod", "Secret"])
        for version in VERSIONS:
            for manifest in manifests():
                kubernetes_validate.validate(manifest, version, strict=True)

    def test_a_wrong_one_is_seen(self):
        for path, value in (
                (("spec", "completionMod"), "Indexed"), (("spec", "completions"), "four"),
                (("spec", "podFailurePolicy", "rules"), {"action": "Ignore"}),
                (("spec", "template", "spec", "containers"), [{"image": "x"}])):
            wrong = copy.deepcopy(of_kind("Job"))
            place = wrong
            for name in path[:-1]:
                place = place[name]
            place[path[-1]] = value
            with self.assertRaises(kubernetes_validate.ValidationError, msg=path):
                kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)

    def test_what_no_schema_tells(self):
        for name, job in jobs().items():
            with self.subTest(name):
                pod = job["template"]["spec"]
                sync = pod["containers"][0]
                self.assertEqual(job["completionMode"], "Indexed")
                self.assertEqual(pod["restartPolicy"], "Never", "a podFailurePolicy wants it")
                self.assertEqual(job["podReplacementPolicy"], "Failed", "a podFailurePolicy allows nothing else")
                self.assertGreater(job["backoffLimitPerIndex"], 0, "FailIndex wants it, and 75 would go on without it")
                said = re.search(r"--shards (\d+)", sync["args"][0])
                self.assertEqual({int(said[1])}, {job["completions"]})
                self.assertLessEqual(job["parallelism"], job["completions"])
                first = job["podFailurePolicy"]["rules"][0]
                self.assertEqual(
                    (first["action"], first["onPodConditions"]), ("Ignore", [{"type": "DisruptionTarget", "status": "True"}]),
                    "a pod that was moved counts before its exit code does")
                self.assertEqual({rule.get("onExitCodes", {}).get("containerName", sync["name"])
                                  for rule in job["podFailurePolicy"]["rules"]}, {sync["name"]})
                self.assertEqual(
                    {exit: decided(job, exit) for exit in (0, 64, 65, 66, 69, 70, 73, 75, 77, 137)},
                    {0: "Complete", 64: "FailJob", 65: "FailJob", 66: "FailJob", 69: "FailIndex", 70: "FailJob",
                     73: "FailJob", 75: "Count", 77: "FailIndex", 137: "Count"})
        self.assertEqual(jobs()["Job"], jobs()["CronJob"], "the same every night")
        self.assertEqual(of_kind("CronJob")["spec"]["concurrencyPolicy"], "Forbid")
        names = {of_kind(kind)["metadata"]["name"] for kind in ("PersistentVolumeClaim", "Secret")}
        used = {v.get("persistentVolumeClaim", {}).get("claimName") or v.get("secret", {}).get("secretName")
                for v in jobs()["Job"]["template"]["spec"]["volumes"]} - {None}
        self.assertEqual(names, used)


class Pods(unittest.TestCase):
    """The shards of the Job, each in a container with its mounts, its user and its variables."""

    def setUp(self):
        if reason := container.missing():
            self.skipTest(f"no containers here: {reason}")
        self.host = Host()
        self.addCleanup(self.host.close)
        self.stage = self.scene()
        # The container's user reads and writes in it.
        self.stage.folder.chmod(0o755)
        self.volumes = {name: self.stage.folder / "volumes" / name for name in ("data", "catalog")}
        for folder in self.volumes.values():
            folder.mkdir(parents=True)
        self.image = Image(self.stage.folder / "image")
        self.number = 0

    def scene(self):
        scene = Stage()
        self.addCleanup(scene.close)
        return scene

    def catalog(self, courses=12, videos=2, provider="direct", **file):
        """Courses of files by the provider `direct`; returns the courses and the table of their addresses."""
        table, written = {}, []
        for course in range(courses):
            entries = []
            for video in range(videos):
                body = media.mp4(f"{course} {video}", 2000 + 100 * video)
                url = self.host.at(f"/{course}/{video}.mp4", File(body, **file))
                table[f"c{course}/v{video}"] = url
                entries.append({"id": f"v{video}", "title": f"Video {video}", "parameters": {"url": url}})
            written.append({"id": f"c{course}", "title": f"Course {course}", "videos": entries})
        self.write(written, provider)
        return written, table

    def write(self, courses, provider="direct"):
        whole = {"version": 1, "defaults": {"provider": provider}, "courses": courses}
        (self.volumes["catalog"] / "catalog.yaml").write_text(json.dumps(whole))

    def pod(self, index, kind="Job", **volumes):
        """Starts the pod of an index: its own folders are new, as those of each pod are."""
        self.number += 1
        pod = jobs()[kind]["template"]["spec"]
        started = Container(pod, self.image, {**self.volumes, **volumes}, self.stage.folder / f"pod-{self.number}")
        running = started.start(JOB_COMPLETION_INDEX=str(index))
        self.stage.running.append(running)
        return running

    def all(self, kind="Job", **volumes):
        """Runs all pods at the same time; returns their exit codes."""
        running = [self.pod(index, kind, **volumes) for index in range(jobs()[kind]["completions"])]
        runs = [each.end() for each in running]
        self.said = "".join(map(repr, runs))
        return [run.exit for run in runs]

    def files(self):
        self.stage.library = self.volumes["data"] / "library"
        return self.stage.files()

    def test_all_pods_make_the_library_of_one_sync(self):
        courses, table = self.catalog()
        single = self.scene()
        single.urls(table)
        single.write([{**c, "videos": [{k: v[k] for k in ("id", "title")} for v in c["videos"]]} for c in courses])
        single.sync(exit=0)
        self.assertEqual(len(single.files()), 24)
        for kind in ("Job", "CronJob"):
            self.assertEqual(self.all(kind), [0] * 4, self.said)
            self.assertEqual(self.files(), single.files())
        self.assertEqual(list((self.volumes["data"] / "state").rglob("*-of-4")), [], "databases are on a disk of the node")
        self.assertEqual(len(self.host.asked()), 2 * 24, "each video is fetched once, and the second night has nothing to do")

    def test_each_exit_code_is_what_the_policy_needs(self):
        courses, _ = self.catalog(courses=4)
        one = courses[0]
        # 1: done, and what failed is in the report.
        self.write([{**one, "videos": [*one["videos"], {"id": "lost", "parameters": {"url": self.host.url("/lost.mp4")}}]}])
        self.assertEqual(self.all(), [0] * 4, self.said)
        self.assertIn("lost", self.said)
        self.assertEqual(len(self.files()), 2)
        # 75: the server is in trouble, and the wait that it asks for is longer than a run's.
        trouble = lambda x: x.answer(503, b"later", retry_after="7200")
        url = self.host.at("/later.mp4", trouble)
        self.write([{**one, "videos": [{"id": "later", "parameters": {"url": url}}]}])
        exits = self.all()
        self.assertEqual(sorted(exits), [0, 0, 0, 75], self.said)
        self.assertEqual({decided(jobs()["Job"], exit) for exit in exits}, {"Complete", "Count"})
        # 65 and 66: wrong for all of them.
        (self.volumes["catalog"] / "catalog.yaml").write_text("version: 1\ncourses: 7\n")
        self.assertEqual(self.all(), [65] * 4, self.said)
        (self.volumes["catalog"] / "catalog.yaml").unlink()
        self.assertEqual(self.all(), [66] * 4, self.said)

    def test_a_stop_is_for_the_sync_and_ends_with_75_in_time(self):
        self.catalog(courses=8, rate=400)
        running = [self.pod(index) for index in range(4)]
        grace = jobs()["Job"]["template"]["spec"]["terminationGracePeriodSeconds"]
        wait_until(lambda: len(self.host.asked()) >= 8, 60, lambda: repr([(each.lines, each.errors) for each in running]))
        began = time.monotonic()
        for each in running:
            each.send(signal.SIGTERM)
        runs = [each.end(grace) for each in running]
        took = time.monotonic() - began
        self.assertEqual([run.exit for run in runs], [75] * 4, runs)
        self.assertLess(took, grace / 2)
        for file in self.host.handlers.values():
            file.rate = None
        # Another pod of the same index, with an empty folder for its own state, continues.
        self.assertEqual(self.all(), [0] * 4, self.said)
        self.assertEqual(len(self.files()), 16)

    def test_a_shard_whose_node_is_lost_goes_on_in_another_pod(self):
        self.catalog(courses=16, videos=1)
        for course in range(8, 16):
            self.host.handlers[f"/{course}/0.mp4"].rate = 150
        running = [self.pod(index) for index in range(4)]

        def listed():
            lists = (self.volumes["data"] / "library").rglob("files.jsonl")
            return sum(text.count('"complete":true') for text in (path.read_text() for path in lists))

        wait_until(lambda: listed() == 8 and len(self.host.asked()) >= 9, 30, lambda: repr([r.errors for r in running]))
        for each in running:
            each.stop(signal.SIGKILL)
        for file in self.host.handlers.values():
            file.rate = None
        first = len(self.host.asked())
        self.assertEqual(self.all(), [0] * 4, self.said)
        self.assertEqual(len(self.files()), 16, sorted(self.files()))
        self.assertEqual(len(self.host.asked()) - first, 8, "what was finished isn't fetched again")

    def lectures(self):
        """A provider in the image that wants a password; eight videos of it in the catalog."""
        courses, table = self.catalog(courses=4, provider="lectures")
        for course in courses:
            for video in course["videos"]:
                del video["parameters"]
        self.write(courses, "lectures")
        self.stage.plugin("lectures", f"""
TABLE = {table!r}
def answer(params):
    if (params.get("credentials") or {{}}).get("password") != "correct horse": raise Refusal("auth_required")
    return {{"url": TABLE[params["course"]["id"] + "/" + params["video"]["id"]]}}
""", credentials=["username", "password"])
        # It can't write beside itself there, and not all accounts can read the Python of the tests.
        log = '    with open("asked", "a") as log: log.write(line)\n'
        program = self.stage.plugins / "lectures/provider"
        self.assertIn(log, program.read_text())
        text = program.read_text().replace(log, "").split("\n", 1)[1]
        self.stage.replace(program, "#!/usr/bin/env python3\n" + text, 0o755)
        program.parent.rename(self.image.folder / "plugins/lectures")

    def test_a_provider_gets_its_login_from_the_secret(self):
        self.lectures()
        exits = self.all(data=self.stage.folder / "volumes/other")
        self.assertEqual({decided(jobs()["Job"], exit) for exit in exits} - {"Complete"}, {"FailIndex"}, self.said)
        logins = self.stage.folder / "volumes/logins"
        logins.mkdir()
        (logins / "lectures").write_text("username=anna\npassword=correct horse\n")
        self.assertEqual(self.all(logins=logins), [0] * 4, self.said)
        self.assertEqual(len(self.files()), 8, self.said)
        self.assertEqual(list(self.volumes["data"].rglob("credentials.json")), [], "nothing keeps the password")

    def test_a_login_in_a_pod_of_its_own_is_one_for_all_shards(self):
        self.lectures()
        pod = Container(of_kind("Pod")["spec"], self.image, self.volumes, self.stage.folder / "login")
        running = pod.start()
        self.stage.running.append(running)

        def run(*command, **input):
            return subprocess.run(pod.inside(running, *command), env=pod.environment(), text=True, capture_output=True, **input)

        wait_until(lambda: running.first)
        login = run("sh", "-c", "umask 077; cat > /tmp/s; exec coursefetch login --provider lectures --secrets-from /tmp/s",
                    input=json.dumps({"username": "anna", "password": "correct horse"}))
        self.assertEqual(login.returncode, 0, login)
        self.assertEqual(self.all(), [0] * 4, self.said)
        self.assertEqual(len(self.files()), 8, self.said)
        self.assertEqual(run("coursefetch", "logout").returncode, 0)
        self.assertEqual(self.all(), [77] * 4, self.said)
        running.end_by_force()


if __name__ == "__main__":
    unittest.main()
