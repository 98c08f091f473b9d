"""Logins that ask on: a one-time code, a code for another device, a browser that comes back."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import stat
import subprocess
import termios
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import media
from host import File, Host
from stage import Stage

CANARY = "c4n4ry-c0de"

SERVE = '''
def serve(login):
    for line in sys.stdin:
        request = json.loads(line)
        with open("asked", "a") as log: log.write(line)
        params = request["params"]
        try:
            if request["method"] == "login":
                reply = {"result": login(params)}
            elif not params["credentials"]:
                raise Refusal("auth_required")
            else:
                reply = {"result": {"url": HOST + "/" + params["credentials"]["for"] + ".mp4"}}
        except Refusal as refusal:
            reply = {"error": {"code": -32000, "message": "refused", "data": refusal.data}}
        print(json.dumps(dict(reply, id=request["id"])), flush=True)
    sys.exit()
'''

ONE_TIME_CODE = '''
def login(params):
    given = params["secrets"]
    if given.get("otp") == "123456" and params["state"] == {"session": "s-1"}:
        return {"credentials": {"for": given["username"]}}
    return {"ask": [{"name": "otp", "label": "one-time code", "secret": False}], "state": {"session": "s-1"}}
serve(login)
'''

DEVICE = '''
def login(params):
    count = (params.get("state") or 0) + 1
    if count == 4: return {"credentials": {"for": "device"}}
    return {"open": "https://sso.example.org/device", "show": "WXYZ-1234", "wait": 1, "state": count}
serve(login)
'''

LINK = '''
def login(params):
    if params["secrets"].get("link") == "good": return {"credentials": {"for": "link"}}
    return {"open": "https://sso.example.org/launch", "ask": [{"name": "link", "label": "address"}]}
serve(login)
'''

BROWSER = '''
def login(params):
    back = params.get("redirect")
    if back is None:
        return {"open": "https://sso.example.org/authorize?a=1&redirect_uri={redirect}&state=state-of-this-login",
                "redirect": "state-of-this-login", "state": "verifier"}
    assert params["state"] == "verifier"
    with open("back", "w") as file: json.dump(back, file)
    return {"credentials": {"for": back["query"]["code"]}}
serve(login)
'''


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, stage, *arguments):
        self.master, slave = pty.openpty()
        self.text = ""

        def own():
            os.setsid()
            # The runner ignores it.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            stage.places("login", arguments), stdin=slave, stdout=slave, stderr=slave, env=stage.environment(),
            cwd=stage.folder, preexec_fn=own)
        os.close(slave)

    def read(self, wanted, seconds=30):
        end = time.monotonic() + seconds
        while not re.search(wanted, self.text):
            if not select.select([self.master], [], [], 1)[0]:
                assert time.monotonic() < end and not self.ended(), f"no {wanted!r} in {self.text!r}"
                continue
            try:
                self.text += os.read(self.master, 4096).decode()
            except OSError:
                break
        found = re.search(wanted, self.text)
        assert found, f"no {wanted!r} in {self.text!r}"
        return found

    def ended(self):
        return self.process.poll() is not None

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        code = self.process.wait(30)
        try:
            while select.select([self.master], [], [], 0.2)[0]:
                self.text += os.read(self.master, 4096).decode()
        except OSError:
            pass
        os.close(self.master)
        return code


class LoginSteps(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)
        self.host.fallback = File(media.mp4(1, 2000))

    def plugin(self, login, **manifest):
        body = f"HOST = {self.host.url('').rstrip('/')!r}\n" + SERVE + login
        self.stage.plugin("vault", body, methods=["resolve", "login"], **manifest)
        self.stage.write({"c": ["a"]}, provider="vault")

    def secrets(self, **values):
        path = self.stage.folder / "secrets.yaml"
        path.write_text(json.dumps(values))
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)
        return path

    def logins(self):
        return [r["params"] for r in self.stage.asked("vault") if r["method"] == "login"]

    def log_in(self, *arguments):
        # Without a terminal, wherever these cases run.
        return self.stage.command("login", "--provider", "vault", *arguments, before=("setsid", "--wait"))

    def arrives(self, name):
        self.stage.sync(exit=0)
        self.assertEqual([r.path for r in self.host.asked()], [f"/{name}.mp4"])

    def test_a_code_that_only_a_later_step_asks_for_may_stand_in_the_file(self):
        self.plugin(ONE_TIME_CODE, credentials=["username", "password"])
        run = self.log_in("--secrets-from", self.secrets(username="anna", password=CANARY, otp="123456"))
        self.assertEqual(run.exit, 0, run)
        first, second = self.logins()
        self.assertEqual(first["secrets"], {"username": "anna", "password": CANARY})
        self.assertNotIn("state", first)
        self.assertEqual(second["secrets"], {"username": "anna", "password": CANARY, "otp": "123456"})
        self.assertEqual(second["state"], {"session": "s-1"})
        self.arrives("anna")

    def test_without_a_terminal_it_says_what_is_asked_for_and_stores_nothing(self):
        self.plugin(ONE_TIME_CODE, credentials=["username", "password"])
        for more in ({}, {"otp": "wrong"}):
            run = self.log_in("--secrets-from", self.secrets(username="anna", password=CANARY, **more))
            self.assertEqual(run.exit, 77, run)
            self.assertIn("it asks for 'otp'", run.err)
            self.assertIn("login --provider vault", run.err)
            self.assertNotIn(CANARY, run.out + run.err)
        self.assertEqual(self.stage.sync().exit, 77)

    def test_a_credential_helper_gives_the_code_in_a_sync(self):
        self.plugin(ONE_TIME_CODE, credentials=["username", "password"])
        helper = self.stage.folder / "helper"
        answer = f"[ $1 = get ] && printf 'username=anna\\npassword={CANARY}\\n'"
        self.stage.replace(helper, f"#!/bin/sh\n{answer}\n", 0o755)
        run = self.stage.sync("--credential-helper", helper, "--max-wait", "1s")
        self.assertEqual(run.exit, 77, run)
        self.assertIn("'otp'", run.err)
        self.stage.replace(helper, f"#!/bin/sh\n{answer} && echo otp=123456\n", 0o755)
        run = self.stage.sync("--credential-helper", helper, exit=0)
        self.assertEqual([r.path for r in self.host.asked()], ["/anna.mp4"])

    def test_who_has_what_a_page_leads_to_needs_neither_the_page_nor_a_terminal(self):
        self.plugin(LINK)
        run = self.log_in("--secrets-from", self.secrets(link="good"))
        self.assertEqual(run.exit, 0, run)
        self.assertNotIn("sso.example.org", run.out + run.err)
        self.arrives("link")
        # What is asked for again was wrong: the page is shown now.
        run = self.log_in("--secrets-from", self.secrets(link="bad"))
        self.assertEqual(run.exit, 77, run)
        terminal = Terminal(self.stage, "--provider", "vault", "--secrets-from", self.secrets(link="bad"))
        terminal.read("(?s)https://sso.example.org/launch.*vault address: ")
        terminal.type("good\n")
        self.assertEqual(terminal.end(), 0, terminal.text)
        self.assertEqual(terminal.text.count("sso.example.org"), 1, terminal.text)
        # It waits for an answer.
        self.assertNotIn("goes on by itself", terminal.text)

    def test_a_person_types_the_code_and_sees_it(self):
        self.plugin(ONE_TIME_CODE, credentials=["username", "password"])
        terminal = Terminal(
            self.stage, "--provider", "vault", "--secrets-from", self.secrets(username="anna", password=CANARY))
        terminal.read("vault one-time code: ")
        terminal.type("999999\n")
        terminal.read("(?s)999999.*vault one-time code: ")
        terminal.type("123456\n")
        self.assertEqual(terminal.end(), 0, terminal.text)
        self.assertNotIn(CANARY, terminal.text)
        self.arrives("anna")

    def test_a_code_for_another_device_is_shown_once_while_it_waits(self):
        self.plugin(DEVICE)
        run = self.log_in()
        self.assertEqual(run.exit, 77, run)
        self.assertEqual(len(self.logins()), 1)
        terminal = Terminal(self.stage, "--provider", "vault")
        self.assertEqual(terminal.end(), 0, terminal.text)
        self.assertEqual(terminal.text.count("WXYZ-1234"), 1, terminal.text)
        self.assertIn("https://sso.example.org/device", terminal.text)
        self.arrives("device")

    def test_control_c_ends_the_wait_and_leaves_nothing(self):
        self.plugin(DEVICE)
        terminal = Terminal(self.stage, "--provider", "vault")
        terminal.read("Ctrl-C gives up")
        # As a person does, who reads that first.
        time.sleep(0.7)
        terminal.type("\x03")
        self.assertIn(terminal.end(), (-signal.SIGINT, 130), terminal.text)
        self.assertEqual(self.stage.sync().exit, 77)

    def test_a_browser_comes_back_with_the_right_state_only(self):
        self.plugin(BROWSER)
        terminal = Terminal(self.stage, "--provider", "vault")
        page = terminal.read(r"https://sso\.example\.org/authorize\S+")[0]
        target = urllib.parse.parse_qs(urllib.parse.urlsplit(page).query)["redirect_uri"][0]
        for wrong in ("", "?code=evil", "?code=evil&state=another"):
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(target + wrong)
        with urllib.request.urlopen(f"{target}?code=c%2Bd&state=state-of-this-login") as answer:
            self.assertIn("You can close this page", answer.read().decode())
        self.assertEqual(terminal.end(), 0, terminal.text)
        back = json.loads((self.stage.plugins / "vault/back").read_text())
        self.assertEqual(back, {"uri": target, "query": {"code": "c+d", "state": "state-of-this-login"}})
        with self.assertRaises(OSError):
            urllib.request.urlopen(target, timeout=3)

    def test_a_step_that_leads_nowhere_is_a_fault_of_the_plugin(self):
        for answer, said in [
            ({"state": 1}, "nothing to 'ask'"), ({"wait": 0}, "'wait'"), ({"wait": 3600}, "'wait'"),
            ({"ask": [{"name": "a b"}]}, "'name' in 'ask'"), ({"ask": [{"name": "a"}, {"name": "a"}]}, "twice"),
            ({"open": "file:///etc/passwd", "wait": 5}, "'open'"),
            ({"open": "https://h/", "redirect": "state-of-this"}, "{redirect}"),
            ({"show": "a\u001b[2Jb", "wait": 5}, "'show'"),
        ]:
            self.plugin(f"serve(lambda params: {answer!r})")
            run = self.log_in()
            self.assertEqual(run.exit, 69, (answer, run))
            self.assertIn(said, run.err, (answer, run))


if __name__ == "__main__":
    unittest.main()
