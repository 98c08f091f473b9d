"""Several processes with one login, at a host that takes each refresh token once and ends a login where one comes again."""

import concurrent.futures
import json
import pathlib
import shutil
import signal
import threading
import time
import unittest
import urllib.parse

import media
from host import File, Host
from stage import Stage, wait_until

KIT = pathlib.Path(__file__).resolve().parents[2] / "contrib/python/coursefetch_provider.py"

PROVIDER = '''
from coursefetch_provider import Provider, ProviderError, run, url

class Campus(Provider):
    def resolve(self, request):
        endpoint = request.parameter("endpoint")

        def ask():
            address = url(endpoint, "video", request.course.id, request.video.id)
            return request.get(address, headers={"Authorization": "Bearer " + request.credentials["access"]})

        try:
            answer = ask()
        except ProviderError as error:
            if error.kind != "auth_required":
                raise
            request.renew(lambda old: request.get(url(endpoint, "token", refresh=old["refresh"])).json())
            answer = ask()
        return {"url": answer.json()["file"]}

run(Campus(), concurrency=4)
'''

# Renews whatever the request says, as all did before there was `renew`.
UNAWARE = '''
import json, urllib.error, urllib.request

def fetch(address, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code in (400, 401): raise Refusal("auth_required")
        raise

def answer(params):
    held, endpoint = params["credentials"], params["video"]["parameters"]["endpoint"]
    address = f"{endpoint}/video/{params['course']['id']}/{params['video']['id']}"
    try:
        return {"url": fetch(address, Authorization="Bearer " + held["access"])["file"]}
    except Refusal:
        held = fetch(f"{endpoint}/token?refresh={held['refresh']}")
        return {"url": fetch(address, Authorization="Bearer " + held["access"])["file"], "credentials": held}
'''


class Campus(Host):
    """Access tokens end soon. A refresh token is good once; where it comes again the whole login ends, if `is_strict`."""

    def __init__(self, life=2.0, delay=0.0, is_strict=True):
        super().__init__()
        self.life, self.delay, self.is_strict = life, delay, is_strict
        self.turn, self.ends = threading.Lock(), {}
        self.refresh, self.used, self.reused, self.is_revoked = "r0", set(), [], False
        #: Called before a token is taken; what it returns is whether it is.
        self.before = lambda: True
        self.fallback = self.answer_all

    @property
    def renewals(self):
        return len(self.used)

    def answer_all(self, x):
        path, _, query = x.request.path.partition("?")
        if path == "/token":
            return self.token(x, urllib.parse.parse_qs(query)["refresh"][0])
        token = x.request.headers.get("authorization", "").removeprefix("Bearer ")
        time.sleep(self.delay)
        with self.turn:
            is_good = not self.is_revoked and self.ends.get(token, 0) > time.monotonic()
        if not is_good:
            return x.answer(401, b"{}", content_type="application/json")
        body = json.dumps({"file": self.url(path.replace("/video", "/file") + ".mp4")}).encode()
        x.answer(200, body, content_type="application/json")

    def token(self, x, refresh):
        if not self.before():
            return False
        with self.turn:
            if refresh in self.used:
                self.reused.append(refresh)
                self.is_revoked = self.is_strict
            is_good = refresh == self.refresh and not self.is_revoked
            if is_good:
                self.used.add(refresh)
                self.refresh, access = f"r{len(self.used)}", f"access-{len(self.used)}"
                self.ends[access] = time.monotonic() + self.life
                body = json.dumps({"access": access, "refresh": self.refresh}).encode()
        if not is_good:
            return x.answer(400, b'{"error": "invalid_grant"}', content_type="application/json")
        x.answer(200, body, content_type="application/json")


class Renewals(unittest.TestCase):
    def setting(self, courses, videos, unaware=False, **host):
        self.host, self.stage = Campus(**host), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)
        manifest = {"credentials": ["access", "refresh"], "concurrency": 1 if unaware else 4, "timeout": 20}
        self.stage.plugin("campus", UNAWARE if unaware else "", **manifest)
        if not unaware:
            folder = self.stage.plugins / "campus"
            shutil.copy(KIT, folder)
            provider = folder / "provider"
            first = provider.read_text().splitlines()[0].removesuffix(" -SE")
            self.stage.replace(provider, first + PROVIDER, 0o755)
        written = []
        for course in range(courses):
            for video in range(videos):
                self.host.at(f"/file/c{course}/v{video}.mp4", File(media.mp4(f"{course} {video}", 2000)))
            written.append({"id": f"c{course}", "title": f"Course {course}", "videos": [f"v{n}" for n in range(videos)]})
        self.stage.write(written, defaults={"provider": "campus", "parameters": {"endpoint": self.host.url("")}})
        secrets = self.stage.folder / "secrets.json"
        secrets.write_text(json.dumps({"access": "none-yet", "refresh": "r0"}))
        secrets.chmod(0o600)
        run = self.stage.command("login", "--provider", "campus", "--secrets-from", secrets)
        self.assertEqual(run.exit, 0, run)

    def leases(self):
        return sorted(path.name for path in self.stage.state.glob("users/*/renewals/*"))

    def stored(self):
        path = next(self.stage.state.glob("users/*/credentials.json"))
        return json.loads(path.read_text())["providers"]["campus"]["credentials"]["refresh"]

    def sync_all(self, count, *arguments):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(
                lambda index: self.stage.sync("--shard", f"{index + 1}/{count}", *arguments, seconds=120), range(count)))

    def test_one_of_four_shards_renews_the_login_of_all(self):
        self.setting(courses=24, videos=3, delay=0.7)
        runs = self.sync_all(4)
        self.assertEqual([run.exit for run in runs], [0] * 4, runs)
        self.assertEqual(self.host.reused, [], "no refresh token is used twice")
        self.assertEqual(len(self.stage.files()), 72)
        self.assertGreaterEqual(self.host.renewals, 3, "the tokens end during the run")
        self.assertEqual(self.stored(), self.host.refresh)
        self.assertEqual(self.leases(), [])

    def test_a_killed_shard_that_was_about_to_renew_holds_the_others_up_for_a_minute(self):
        self.setting(courses=6, videos=2)
        waiting, killed = threading.Event(), threading.Event()

        def before():
            if waiting.is_set():
                return True
            waiting.set()
            killed.wait(30)
            return False

        self.host.before = before
        running = [self.stage.start_sync("--shard", f"{index}/2") for index in (1, 2)]
        self.assertTrue(waiting.wait(30))
        holder = next(self.stage.state.glob("users/*/renewals/campus/holder"))
        process = json.loads(holder.read_text())["pid"]
        victim, other = sorted(running, key=lambda run: run.process.pid != process)
        self.assertEqual(victim.process.pid, process)
        began = time.monotonic()
        victim.stop(signal.SIGKILL)
        killed.set()
        run = other.end(150)
        self.assertEqual(run.exit, 0, run)
        self.assertGreater(time.monotonic() - began, 50)
        self.assertIn("is gone; another one does it", run.err)
        self.assertEqual((self.host.reused, self.leases()[1:]), ([], []))
        self.sync_all(2)
        self.assertEqual((self.host.reused, len(self.stage.files())), ([], 12))

    def test_a_logout_while_one_renews_wins(self):
        self.setting(courses=6, videos=2)
        waiting, over = threading.Event(), threading.Event()

        def before():
            waiting.set()
            over.wait(30)
            return True

        self.host.before = before
        running = [self.stage.start_sync("--shard", f"{index}/2") for index in (1, 2)]
        self.assertTrue(waiting.wait(30))
        self.assertEqual(self.stage.command("logout").exit, 0)
        over.set()
        for run in running:
            run.end(30)
        self.assertEqual(list(self.stage.state.glob("users/*/credentials.json*")), [])
        self.assertEqual(self.leases(), [])

    def test_shards_of_a_plugin_that_knows_no_turns_take_over_what_one_of_them_has_stored(self):
        """A refused refresh token ends no login here: otherwise nobody could help such a plugin."""
        self.setting(courses=12, videos=3, unaware=True, delay=0.2, is_strict=False)
        runs = self.sync_all(3)
        self.assertEqual([run.exit for run in runs], [0] * 3, runs)
        self.assertEqual(len(self.stage.files()), 36)
        self.assertEqual(self.stored(), self.host.refresh)

    def test_a_sync_goes_on_with_what_a_sync_of_another_library_has_renewed(self):
        """Of one user, without shards: one waits for a download while the other one renews."""
        self.setting(courses=1, videos=4, life=1.0)
        slow = self.host.handlers["/file/c0/v0.mp4"]
        slow.body, slow.rate = media.mp4("slow", 60_000), 15_000
        first = self.stage.start_sync("--jobs", "1")
        wait_until(lambda: self.host.asked("/file/c0/v0.mp4"), 20)
        time.sleep(1.2)
        own, self.stage.library = self.stage.library, self.stage.folder / "second"
        other = self.stage.sync("--only", "c0/v1", "--shard", "1/1", exit=0)
        self.assertEqual(len(other.of("download_finished")), 1)
        self.stage.library = own
        run = first.end(60)
        self.assertEqual(run.exit, 0, run)
        self.assertEqual(self.stored(), self.host.refresh)


if __name__ == "__main__":
    unittest.main()
