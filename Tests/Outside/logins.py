"""Where the secrets of a login go: to their own field, to their own origin, and into no message."""

import pathlib
import unittest

import media
from host import File, Host
from stage import Stage

CANARY = "c4n4ry-pa55word"
CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"


class Logins(unittest.TestCase):
    def setUp(self):
        self.host, self.mirror, self.stage = Host(), Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.mirror.close)
        self.addCleanup(self.stage.close)

    def script(self, name, text):
        path = self.stage.folder / name
        self.stage.replace(path, "#!/bin/sh\n" + text, 0o755)
        return path

    def vault(self):
        """A provider that puts its user's name into the address."""
        self.stage.plugin("vault", f"""
def answer(params):
    given = params["credentials"]
    if not given: raise Refusal("auth_required")
    return {{"url": {self.host.url("/")!r} + given["username"] + ".mp4"}}
""", credentials=["username", "password"])
        self.host.fallback = File(media.mp4(1, 2000))
        self.stage.write({"c": ["a"]}, provider="vault")

    def sync_with(self, helper):
        return self.stage.sync("--credential-helper", helper, "--max-wait", "1s")

    def nowhere(self, run):
        self.assertEqual([r.path for r in self.host.asked() if CANARY in r.path], [])
        self.assertNotIn(CANARY, (self.stage.plugins / "vault/asked").read_text())
        self.assertNotIn(CANARY, run.out + run.err)

    def test_a_password_alone_is_not_sent_as_the_user_name(self):
        self.vault()
        run = self.sync_with(self.script("helper", f"[ $1 = get ] && echo password={CANARY}\n"))
        self.assertEqual(run.exit, 77, run)
        self.nowhere(run)
        run = self.sync_with(self.script("helper", f"[ $1 = get ] && printf 'username=anna\\npassword={CANARY}\\n'\n"))
        self.assertEqual(run.exit, 0, run)
        self.assertEqual([r.path for r in self.host.asked()], ["/anna.mp4"])

    def test_a_folder_of_pass_is_no_password(self):
        self.vault()
        # As pass does it: of a folder the list of its entries, with 0.
        tools = self.stage.folder / "tools"
        tools.mkdir()
        self.script("tools/pass", f"""
store=$HOME/.password-store
if [ -f "$store/$2.gpg" ]; then cat "$store/$2.gpg"; elif [ -d "$store/$2" ]; then echo "$2"; echo "{CANARY}"; else exit 1; fi
""")
        store = self.stage.folder / "home/.password-store/coursefetch"
        (store / "vault").mkdir(parents=True)
        (store / "vault/media.example.org.gpg").write_text("x\nusername: x\n")
        helper = self.script("helper", f'PATH={tools}:$PATH exec {CONTRIB}/credential-pass "$@"\n')
        run = self.sync_with(helper)
        self.assertEqual(run.exit, 77, run)
        self.assertEqual([r["params"].get("credentials") for r in self.stage.asked("vault")], [None])
        (store / "vault.gpg").write_text("hush-hush\nusername: anna\n")
        run = self.sync_with(helper)
        self.assertEqual((run.exit, [r.path for r in self.host.asked()]), (0, ["/anna.mp4"]), run)

    def test_a_stored_password_is_redacted_after_any_number_of_tokens(self):
        # It speaks at any time, also while no request is open that the password comes with.
        self.stage.plugin("vault", """
import threading
count, said = 0, threading.Event()
def mumble(password):
    while not said.wait(0.0002):
        print("still known: " + password, file=sys.stderr, flush=True)
def answer(params):
    global count
    if not count: threading.Thread(target=mumble, args=[params["credentials"]["password"]], daemon=True).start()
    count += 1
    return {"url": "https://media.example.org/a.mp4",
            "token": {"value": f"t0ken-number-{count}", "in": "header", "name": "Authorization"}}
""", credentials=["username", "password"], concurrency=1)
        secrets = self.stage.folder / "secrets.yaml"
        secrets.write_text(f"username: anna\npassword: {CANARY}\n")
        secrets.chmod(0o600)
        run = self.stage.command("login", "--provider", "vault", "--secrets-from", secrets)
        self.assertEqual(run.exit, 0, run)
        self.stage.write({"c": [f"v{n}" for n in range(3000)]}, provider="vault")
        run = self.stage.command("resolve", self.stage.catalog, "c", "-v")
        self.assertGreaterEqual(len(self.stage.asked("vault")), 3000)
        self.assertIn("still known: <redacted>", run.out + run.err)
        self.assertNotIn(CANARY, run.out + run.err)

    def test_cookies_of_an_answer_reach_neither_a_hook_nor_the_host_that_it_names(self):
        own = {"Cookie": f"sid={CANARY}", "Authorization": f"Bearer {CANARY}"}
        body = media.mp4(1, 2000)
        self.mirror.fallback = File(body)
        self.stage.urls({
            name: {"url": self.host.at(f"/{name}.mp4", File(body)), "headers": {**own, "Referer": "https://example.org/"},
                   "subtitles": [{"lang": "en", "url": self.host.at(f"/{name}.vtt", File(b"WEBVTT\n", kind="text/vtt"))}]}
            for name in ("stays", "moves")})
        hook = self.script("hook", f"""
said=$(cat); echo "$said" >> {self.stage.folder}/told
case $said in */moves*) echo "$said" | sed 's|.*"url":"http://[^/]*\\([^"]*\\)".*|{{"url":"{self.mirror.url('')}\\1"}}|' ;; esac
""")
        settings = self.stage.folder / "home/.config/coursefetch/config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"hooks: {{before-request: {hook}}}\n")
        self.stage.write([{"id": "c", "subtitles": "all", "videos": ["stays", "moves"]}])
        run = self.stage.sync(exit=0)
        told = (self.stage.folder / "told").read_text()
        self.assertEqual((len(told.splitlines()), CANARY in told), (4, False), run)
        self.assertIn("https://example.org/", told)
        for request in self.host.asked():
            self.assertEqual((request.headers.get("cookie"), request.headers.get("authorization")),
                             (own["Cookie"], own["Authorization"]), request)
        self.assertEqual(sorted(r.path for r in self.mirror.asked()), ["/moves.mp4", "/moves.vtt"])
        for request in self.mirror.asked():
            self.assertNotIn(CANARY, str(request.headers))
            self.assertEqual(request.headers.get("referer"), "https://example.org/")
        self.assertNotIn(CANARY, run.out + run.err)


if __name__ == "__main__":
    unittest.main()
