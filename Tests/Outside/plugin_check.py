"""`plugins check` from outside: a real host, its stderr, and keys of a manifest that nobody has."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import stage
from pages import Pages

MODULE = pathlib.Path(__file__).resolve().parents[2] / "contrib/python/coursefetch_provider.py"

PLUGIN = """
from coursefetch_provider import Provider, run, url

class Asking(Provider):
    def login(self, request):
        request.post(url(request.parameter("endpoint"), "login"), form=request.secrets)
        return {"credentials": {"token": "made of it"}}

    def resolve(self, request):
        if request.video.id == "odd":
            return {"url": {}["file"]}
        request.get(url(request.parameter("endpoint"), "v"), headers={"X-Token": str(request.credentials)}, accept=[404])
        return {"url": url(request.parameter("endpoint"), request.video.id)}

run(Asking(), concurrency=4)
"""

MANIFEST = """
name: asking
protocol: 1
run: [python3, -B, asking.py]
methods: [resolve, login]
concurency: 4
credentials: [password]
"""


class PluginCheckTests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-check-")).resolve()
        self.plugin = self.folder / "asking"
        self.plugin.mkdir()
        for name, text in {"asking.py": PLUGIN, "plugin.yaml": MANIFEST, MODULE.name: MODULE.read_text()}.items():
            (self.plugin / name).write_text(text)
            (self.plugin / name).chmod(0o644)

    def run_program(self, *words, **more):
        return subprocess.run(
            [stage.PROGRAM, "plugins", *map(str, words)], capture_output=True, text=True, timeout=240,
            stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **more})

    def test_a_real_host_is_asked_only_if_that_is_said(self):
        run = self.run_program("check", self.plugin, "--parameter", "endpoint=https://media.invalid/course")
        self.assertEqual((run.returncode, run.stdout), (64, ""))
        self.assertIn("requests to media.invalid", run.stderr)
        self.assertIn("--real-host", run.stderr)

    def test_a_real_host_gets_no_made_up_login_and_five_requests_a_second(self):
        # A name that isn't this machine's leads to it through a proxy.
        host = Pages()
        self.addCleanup(host.stop)
        host.pages["http://media.invalid/v"] = "v"
        (self.plugin / "plugin.yaml").write_text(MANIFEST + "environment: [http_proxy]\n")
        run = self.run_program("check", self.plugin, "--parameter", "endpoint=http://media.invalid", "--real-host",
                               http_proxy=host.origin)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("no login is sent", run.stdout)
        self.assertEqual([asked.path for asked in host.asked if asked.command == "POST"], [])
        self.assertGreater(len(host.asked), 30)
        seconds = float(run.stdout.split(" skipped, in ")[1].split(" s")[0])
        self.assertLess(len(host.asked) / seconds, 5.5)
        self.assertIn("canary", str([asked.headers["X-Token"] for asked in host.asked]))

        host.asked.clear()
        run = self.run_program("check", self.plugin, "--parameter", "endpoint=http://media.invalid", "--real-host",
                               "--skip-login", http_proxy=host.origin)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual({asked.headers["X-Token"] for asked in host.asked}, {"None"})

    def faulty(self):
        """The options of a check that the plugin fails with a KeyError."""
        fixtures = self.folder / "fixtures"
        fixtures.mkdir()
        (fixtures / "fixture.yaml").write_text('videos: [{id: odd, parameters: {endpoint: "http://127.0.0.1:9"}}]\n')
        return "check", self.plugin, "--fixtures", fixtures

    def test_a_failure_shows_the_traceback_with_v(self):
        verbose = self.run_program(*self.faulty(), "-v")
        self.assertEqual(verbose.returncode, 1)
        self.assertIn("Traceback", verbose.stdout)
        self.assertIn("KeyError: 'file'", verbose.stdout)

    def test_a_failure_without_v_says_how_to_see_the_traceback(self):
        plain = self.run_program(*self.faulty())
        self.assertNotIn("Traceback", plain.stdout)
        self.assertIn("-v shows", plain.stdout)

    def test_a_failure_has_its_traceback_in_json(self):
        lines = [json.loads(line) for line in self.run_program(*self.faulty(), "--json").stdout.splitlines()]
        shown = [text for line in lines for failure in line.get("failures", []) for text in failure["stderr"]]
        self.assertIn("KeyError: 'file'", " ".join(shown))

    def test_one_that_takes_every_address_fails(self):
        program = self.plugin / "asking.py"
        for answer, failed in (('{"course": {"parameters": {"endpoint": request.address}}}', True), ("None", False)):
            program.write_text(PLUGIN.replace("run(Asking", f"Asking.recognise = lambda self, request: {answer}\nrun(Asking"))
            (self.plugin / "plugin.yaml").write_text(MANIFEST.replace("[resolve, login]", "[resolve, recognise, login]"))
            lines = [json.loads(line) for line in self.run_program("check", self.plugin, "--json").stdout.splitlines()]
            verdict = next(line for line in lines if line.get("check") == "recognise")
            self.assertEqual(verdict["result"], "failed" if failed else "ok", verdict)
            if failed:
                self.assertIn("is answered with {}", verdict["failures"][0]["message"])

    def test_a_key_that_was_misspelt_is_told_by_check_list_and_doctor(self):
        words = "the key 'concurency' is unknown and ignored; did you mean 'concurrency'?"
        fixtures = self.folder / "fixtures"
        fixtures.mkdir()
        (fixtures / "fixture.yaml").write_text('parameters: {endpoint: "http://127.0.0.1:9"}\n')
        lines = self.run_program("check", self.plugin, "--fixtures", fixtures, "--json").stdout.splitlines()
        self.assertIn(words, json.loads(lines[-1])["warnings"][0])
        self.assertIn(words, self.run_program("list", "--plugins", self.folder).stdout)
        listed = [json.loads(line) for line in
                  self.run_program("list", "--json", "--plugins", self.folder).stdout.splitlines()]
        self.assertIn(words, [plugin for plugin in listed if plugin["name"] == "asking"][0]["warnings"][0])
        doctor = subprocess.run(
            [stage.PROGRAM, "doctor", "--plugins", self.folder, "--state", self.folder / "state"], capture_output=True,
            text=True, timeout=120, env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})
        self.assertIn(words, " ".join(doctor.stdout.split()))


if __name__ == "__main__":
    unittest.main()
