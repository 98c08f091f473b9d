"""A browser's session as a login: where it comes from, where it goes, and that nothing of it stays."""

import json
import pathlib
import shutil
import subprocess
import time
import unittest

import media
from host import File, Host
from login_steps import Terminal
from stage import PROGRAM, Stage

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"
CANARY = "c4n4ry-s3ss1on"
OTHER = "c4n4ry-0ther"
DEEP = "c4n4ry-d33p"
END = 4102444800

# What the answer consists of comes from a page that the session opens; the page and the media redirect to another host.
CAMPUS = '''
import sys
from coursefetch_provider import Provider, ProviderError, log, run, url

class Campus(Provider):
    cookies = ["session"]

    def resolve(self, request):
        if not request.cookies:
            raise ProviderError("auth_required", "log in with your browser")
        log("info", "the session is " + request.credentials["session"].split()[-1])
        page = request.get(url(request.parameter("endpoint"), request.video.id)).json()
        if page.get("refuse"):
            raise ProviderError("forbidden", "no access with " + request.cookies.field(page["refuse"]))
        return {"url": page["url"], "tokens": request.cookies.tokens(page["url"])}

run(Campus())
'''

PLAIN = '''
def answer(params):
    if not params["credentials"]: raise Refusal("auth_required")
    return {"url": %r}
'''

LOGIN = '''
for line in sys.stdin:
    request = json.loads(line)
    with open("asked", "a") as log: log.write(line)
    secrets = request["params"]["secrets"]
    reply = {"result": {"credentials": {"kept": secrets}}}
    print(json.dumps(dict(reply, id=request["id"])), flush=True)
sys.exit()
'''


def line(domain, name, value, *, below=False, path="/", secure=False, end=END):
    words = [domain, "TRUE" if below else "FALSE", path, "TRUE" if secure else "FALSE", str(end), name, value]
    return "\t".join(words) + "\n"


class Cookies(unittest.TestCase):
    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)
        self.host.fallback = File(media.mp4(1, 2000))

    def campus(self):
        folder = self.stage.plugins / "campus"
        folder.mkdir(exist_ok=True)
        shutil.copy(CONTRIB / "python/coursefetch_provider.py", folder)
        (folder / "campus.py").write_text(CAMPUS)
        (folder / "plugin.yaml").write_text(
            "name: campus\nprotocol: 1\nrun: [python3, -B, campus.py]\ncredentials: [session]\ncookies: [session]\n"
            "parameters: {type: object, properties: {endpoint: {type: string}}}\n")
        for path in folder.iterdir():
            path.chmod(0o644)
        self.stage.write([{"id": "c", "parameters": {"endpoint": self.host.url("/api")}, "videos": ["a"]}], provider="campus")

    def file(self, text, mode=0o600, name="cookies.txt"):
        path = self.stage.folder / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def log_in(self, *arguments, provider="campus", **how):
        # Without a terminal, wherever these cases run.
        return self.stage.command("login", "--provider", provider, *arguments, before=("setsid", "--wait"), **how)

    def stored(self):
        return json.loads(next(self.stage.state.rglob("credentials.json")).read_text())

    def text(self):
        """The session as the provider gets it."""
        found = json.dumps(self.stored())
        return json.loads(found[found.index('"session": ') + 11:].partition('\\n"')[0] + '\\n"')

    def nowhere(self, *texts):
        """None of the texts is in a file of the state, of the library, or of a plugin."""
        for root in (self.stage.state, self.stage.library, self.stage.folder / "home"):
            for path in root.rglob("*"):
                if path.is_file():
                    for text in texts:
                        self.assertNotIn(text.encode(), path.read_bytes(), path)

    def test_a_file_logs_in_shows_its_end_and_is_gone_after_logout(self):
        self.campus()
        cookies = self.file(
            "# Netscape HTTP Cookie File\n\n" + "#HttpOnly_" + line(".example.org", "sid", CANARY, below=True, secure=True)
            + line("127.0.0.1", "open", OTHER, end=0) + line("127.0.0.1", "old", "gone", end=1000), 0o644)
        run = self.log_in("--cookies", cookies)
        self.assertEqual(run.exit, 0, run)
        self.assertIn("until 1 Jan 2100 00:00", run.out)
        self.assertIn("others can read the secrets in", run.err)
        self.assertEqual(
            self.text(), "# Netscape HTTP Cookie File\n" + "#HttpOnly_"
            + line(".example.org", "sid", CANARY, below=True, secure=True) + line("127.0.0.1", "open", OTHER, end=0))
        users = self.told("users", "--json", "--state", self.stage.state)
        self.assertEqual(json.loads(users)["providers"][0]["expires_at"], "2100-01-01T00:00:00Z")
        self.assertNotIn(CANARY, run.out + run.err + users)
        self.host.at("/api/a", lambda x: x.answer(200, json.dumps({"url": self.host.url("/a.mp4")}).encode()))
        run = self.stage.sync("-vv", exit=0)
        self.assertEqual([r.headers.get("cookie") for r in self.host.asked()], [f"open={OTHER}"] * 2)
        self.assertNotIn(OTHER, run.out + run.err)
        cookies.unlink()
        run = self.stage.command("logout", "--provider", "campus")
        self.assertEqual(run.exit, 0, run)
        self.nowhere(CANARY, OTHER)
        self.host.forget()
        self.stage.write([{"id": "c", "parameters": {"endpoint": self.host.url("/api")}, "videos": ["b"]}], provider="campus")
        self.stage.sync(exit=77)
        self.assertEqual(self.host.asked(), [])

    def test_each_cookie_goes_to_its_own_host_and_path_with_every_redirect(self):
        other = Host()
        self.addCleanup(other.close)
        self.campus()
        there = other.url("/page", "localhost")
        self.host.at("/api/a", lambda x: x.answer(302, b"", Location="/api/deep/a"))
        self.host.at("/api/deep/a", lambda x: x.answer(302, b"", Location=there))
        back = self.host.url("/media/a.mp4")
        other.at("/page", lambda x: x.answer(
            200, json.dumps({"url": back}).encode(), Set_Cookie="sid=stolen; Domain=127.0.0.1"))
        self.host.at("/media/a.mp4", lambda x: x.answer(302, b"", Location=other.url("/a.mp4", "localhost")))
        other.fallback = File(media.mp4(1, 2000))
        cookies = self.file(
            line("127.0.0.1", "sid", CANARY) + line("127.0.0.1", "deep", DEEP, path="/api/deep")
            + line("127.0.0.1", "tls", "s3cure-only", secure=True) + line(".localhost", "top", OTHER, below=True)
            + line("127.0.0.1", "media", "m3dia-only", path="/media/"))
        self.assertEqual(self.log_in("--cookies", cookies).exit, 0)
        self.stage.sync(exit=0)
        asked = [(r.path, r.headers.get("cookie")) for r in self.host.asked()]
        self.assertEqual(asked, [
            ("/api/a", f"sid={CANARY}"), ("/api/deep/a", f"deep={DEEP}; sid={CANARY}"),
            ("/media/a.mp4", f"media=m3dia-only; sid={CANARY}")])
        self.assertEqual(
            [(r.path, r.headers.get("cookie")) for r in other.asked()], [("/page", f"top={OTHER}"), ("/a.mp4", None)])

    def test_no_value_is_shown_in_what_the_plugin_says(self):
        self.campus()
        self.host.at("/api/a", lambda x: x.answer(200, json.dumps({"refuse": self.host.url("/")}).encode()))
        self.assertEqual(self.log_in("--cookies", self.file(line("127.0.0.1", "sid", CANARY))).exit, 0)
        run = self.stage.sync("-vv")
        self.assertIn("no access with sid=", run.out)
        self.assertNotIn(CANARY, run.out + run.err)
        self.assertNotIn(CANARY, json.dumps(self.stage.rows("error_message")))

    def test_a_login_at_another_server_leaves_the_first_one(self):
        other = Host()
        self.addCleanup(other.close)
        self.campus()
        there = other.url("/api", "localhost")
        self.host.at("/api/a", lambda x: x.answer(200, json.dumps({"url": self.host.url("/a.mp4")}).encode()))
        other.at("/api/b", lambda x: x.answer(200, json.dumps({"url": other.url("/b.mp4", "localhost")}).encode()))
        other.fallback = File(media.mp4(2, 2000))
        for value, at in ((CANARY, self.host.url("/api")), (OTHER, there), ("renewed-c4n4ry", there)):
            pasted = self.file(f"sid={value}\n", name="line")
            run = self.log_in("--secrets-from", pasted, "--set", f"endpoint={at}")
            self.assertEqual(run.exit, 0, run)
        self.stage.write([
            {"id": "c", "parameters": {"endpoint": self.host.url("/api")}, "videos": ["a"]},
            {"id": "d", "parameters": {"endpoint": there}, "videos": ["b"]}], provider="campus")
        self.stage.sync(exit=0)
        self.assertEqual({r.headers.get("cookie") for r in self.host.asked()}, {f"sid={CANARY}"})
        self.assertEqual({r.headers.get("cookie") for r in other.asked()}, {"sid=renewed-c4n4ry"})
        self.assertEqual(self.stage.command("logout", "--provider", "campus").exit, 0)
        self.nowhere(CANARY, OTHER, "renewed-c4n4ry")

    def test_a_pasted_line_is_for_the_server_that_is_named(self):
        self.campus()
        secrets = self.file(f"Cookie: sid={CANARY}; theme=dark\n", name="line")
        run = self.log_in("--secrets-from", secrets)
        self.assertEqual(run.exit, 64, run)
        self.assertIn("a line of Cookie doesn't say which host it is for; add --set endpoint=…", run.err)
        self.assertNotIn(CANARY, run.out + run.err)
        run = self.log_in("--secrets-from", secrets, "--set", "endpoint=https://media.example.org:8443/x")
        self.assertEqual(run.exit, 0, run)
        self.assertNotIn("until", run.out)
        self.assertEqual(
            self.text(), "# Netscape HTTP Cookie File\n" + line("media.example.org", "sid", CANARY, secure=True, end=0)
            + line("media.example.org", "theme", "dark", secure=True, end=0))
        run = self.log_in("--secrets-from", self.file(f"sid={CANARY}", name="line"), "--set", "endpoint=http://127.0.0.1:1/")
        self.assertEqual(run.exit, 0, run)
        self.assertIn(line("127.0.0.1", "sid", CANARY, end=0), self.text())
        # All the fields of a request.
        secrets = self.file(f"Host: h\nUser-Agent: x\nCookie: sid={CANARY}; a=b\nAccept: */*\n", name="line")
        run = self.log_in("--cookies", secrets, "--set", "endpoint=http://127.0.0.1/")
        self.assertEqual(run.exit, 0, run)

    def test_what_is_no_session_is_told_with_its_line_and_never_quoted(self):
        self.campus()
        good = line("h.example.org", "sid", CANARY)
        kept = None
        for text, words in [
            (good + f"h.example.org\tTRUE\t/\t{CANARY}\n", "line 2 has to have seven fields with tabs between them"),
            (good.replace("\t", " "), "line 1 has to have seven fields with tabs between them"),
            ("# x\n" + line("h.example.org", "sid", CANARY).replace("FALSE\t/", f"{CANARY}\t/"), "line 2 has something else"),
            (line("h.example.org", "sid", CANARY, end="soon"), "line 1 has no number of seconds in its fifth field"),
            (line("https://h.example.org/", "sid", CANARY), "line 1 doesn't begin with the name of a host"),
            (line("h.example.org", "sid", CANARY + "; b=c"), "line 1 has a name or a value with characters"),
            (line("h.example.org", "sid", CANARY, end=1000) + line("h", "b", CANARY, end=999),
             "all of its cookies have expired, the last one at 1970-01-01T00:16:40Z"),
            ("# Netscape HTTP Cookie File\n", "there is no cookie in it"), ("", "there is no cookie in it"),
            ("".join(line("h", f"n{n}", CANARY) for n in range(301)), "there are more than 300 cookies"),
            ("".join(line("h", f"n{n}", CANARY * 80) for n in range(100)), "the cookies have more than 64 KiB"),
            (json.dumps([{"name": "sid", "value": CANARY}]), "it is JSON; export the cookies in Netscape's format"),
            (CANARY, "a line of Cookie is name=value"), (f"{CANARY}\n{CANARY}\n", "it is neither a file of cookies"),
        ]:
            run = self.log_in("--cookies", self.file(text))
            self.assertEqual(run.exit, 64, (text, run))
            self.assertIn(words, run.err)
            self.assertIn("nothing was changed", run.err)
            self.assertNotIn(CANARY, run.out + run.err)
            if kept is None:
                self.assertEqual(list(self.stage.state.rglob("credentials.json")), [])
        run = self.log_in("--cookies", self.stage.folder / "none.txt")
        self.assertEqual((run.exit, "can't be opened" in run.err), (64, True), run)
        self.stage.plugin("plain", PLAIN % "http://h/", credentials=["token"])
        run = self.log_in("--cookies", self.file(good), provider="plain")
        self.assertEqual((run.exit, "takes no cookies" in run.err), (64, True), run)

    def test_a_login_gets_the_text_and_a_session_is_another_way_to_log_in(self):
        self.stage.plugin("vault", LOGIN, methods=["resolve", "login"], credentials=["username", "password", "session"],
                          cookies=["session"])
        text = line(".example.org", "sid", CANARY, below=True, end=int(time.time()) + 1000.0)
        run = self.log_in("--cookies", self.file(text), provider="vault")
        self.assertEqual(run.exit, 0, run)
        self.assertIn("until", run.out)
        run = self.log_in("--secrets-from", self.file("username: anna\npassword: p\n", name="secrets"), provider="vault")
        self.assertEqual(run.exit, 0, run)
        self.assertNotIn("until", run.out)
        both = {"username": "anna", "password": "p", "session": text}
        run = self.log_in("--secrets-from", self.file(json.dumps(both), name="secrets"), provider="vault")
        self.assertEqual(run.exit, 0, run)
        given = [r["params"]["secrets"] for r in self.stage.asked("vault") if r["method"] == "login"]
        self.assertEqual([sorted(one) for one in given], [["session"], ["password", "username"], ["password", "session", "username"]])
        self.assertEqual(given[0]["session"], "# Netscape HTTP Cookie File\n" + text.replace(".0\t", "\t"))
        self.assertEqual(given[0]["session"], given[2]["session"])
        run = self.log_in("--secrets-from", self.file("password: p\n", name="secrets"), provider="vault")
        self.assertEqual(run.exit, 64, run)
        self.assertIn("'username' is missing or empty", run.err)
        # The file of the session may be named where the session may be.
        self.file(text, name="mine.txt")
        run = self.log_in("--secrets-from", self.file("session: ./mine.txt\n", name="secrets"), provider="vault")
        self.assertEqual(run.exit, 0, run)

    def test_at_the_terminal_a_path_or_a_line_is_typed(self):
        self.campus()
        self.file(line("h.example.org", "sid", CANARY))
        for typed in ("./cookies.txt", "@cookies.txt", str(self.stage.folder / "cookies.txt"), f"Cookie: sid={CANARY}"):
            terminal = Terminal(self.stage, "--provider", "campus", "--set", "endpoint=https://h.example.org/")
            terminal.read(r"campus session \(the path of a cookies.txt, or a line of Cookie\): ")
            terminal.type(typed + "\n")
            self.assertEqual(terminal.end(), 0, terminal.text)
            self.assertNotIn(CANARY, terminal.text)
            self.assertIn(CANARY, self.text())

    def test_a_credential_helper_gives_a_line_or_lines_and_keeps_lines(self):
        self.campus()
        place = self.stage.folder
        helper = self.file(f"""#!/bin/sh
cat > {place}/$1.in
[ "$1" = get ] && cat {place}/answer
exit 0
""", 0o755, "helper")
        self.host.at("/api/a", lambda x: x.answer(200, json.dumps({"url": self.host.url("/a.mp4")}).encode()))
        self.file("", name="answer")
        run = self.log_in("--cookies", self.file(line("127.0.0.1", "sid", CANARY) + line("127.0.0.1", "b", OTHER)),
                          "--credential-helper", helper)
        self.assertEqual(run.exit, 0, run)
        kept = [x for x in (place / "store.in").read_text().splitlines() if "session" in x or "password" in x]
        self.assertEqual(kept, [
            "session[]=# Netscape HTTP Cookie File", "session[]=" + line("127.0.0.1", "sid", CANARY).rstrip(),
            "session[]=" + line("127.0.0.1", "b", OTHER).rstrip()])
        self.nowhere(CANARY)
        for number, (answer, sent) in enumerate([
            ("\n".join(kept), f"sid={CANARY}; b={OTHER}"),
            (f"session=sid={CANARY}\nendpoint={self.host.url('')}", f"sid={CANARY}"),
        ]):
            self.host.forget()
            self.file(answer + "\n", name="answer")
            video = "a" + "b" * number
            self.host.at("/api/" + video, lambda x: x.answer(200, json.dumps({"url": self.host.url("/a.mp4?" + video)}).encode()))
            self.stage.write([{"id": "c", "parameters": {"endpoint": self.host.url("/api")}, "videos": [video]}], provider="campus")
            run = self.stage.sync("--credential-helper", helper, exit=0)
            self.assertEqual({r.headers.get("cookie") for r in self.host.asked()}, {sent})
            self.assertNotIn(CANARY, run.out + run.err)
            self.nowhere(CANARY)
        self.file(f"session={CANARY}\n", name="answer")
        self.stage.write([{"id": "c", "parameters": {"endpoint": self.host.url("/api")}, "videos": ["z"]}], provider="campus")
        run = self.stage.sync("--credential-helper", helper, "--max-wait", "1s", exit=77)
        self.assertIn("a line of Cookie is name=value", run.out + run.err)
        self.assertNotIn(CANARY, run.out + run.err)

    def told(self, *words):
        return subprocess.run(
            [PROGRAM, *map(str, words)], capture_output=True, text=True, env=self.stage.environment(), check=True).stdout

    def listed(self):
        return self.told("plugins", "list", "--plugins", self.stage.plugins)

    def test_the_manifest_names_a_secret_and_the_list_shows_it(self):
        self.campus()
        self.assertIn("login: session (cookies)", self.listed())
        manifest = self.stage.plugins / "campus/plugin.yaml"
        manifest.write_text(manifest.read_text().replace("cookies: [session]", "cookies: [sesion]"))
        self.assertIn("'cookies' has 'sesion', which isn't one of the 'credentials'", self.listed())
        manifest.write_text(manifest.read_text().replace("cookies: [sesion]", "cokies: [session]"))
        self.assertIn("the key 'cokies' is unknown and ignored", self.listed())


if __name__ == "__main__":
    unittest.main()
