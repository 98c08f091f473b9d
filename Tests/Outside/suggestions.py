"""Each command that a message suggests acts, pasted, on the user, state, library and plugins of the run that said it."""

import os
import re
import shlex
import subprocess
import sys
import unittest

import media
from host import File, Host
from stage import PROGRAM, Stage

COMMANDS = ("sync|status|path|open|pause|resume|cancel|retry|remove|prioritize|set|verify|resolve|list|catalog from|login|"
            "logout|plugins list|library|migrate|forget|doctor|check")
BEGINNING = re.compile(rf"coursefetch (?:{COMMANDS})\b")
# The places are its last options.
SUGGESTION = re.compile(
    rf"coursefetch ((?:{COMMANDS})\b(?:(?!coursefetch )[^\n])*?(?: --(?:user|state|library|plugins|from-user) [^\s;,)]+)+)")


class Suggestions(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.host, self.stage = Host(), Stage()
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)
        self.home = self.stage.folder / "home"
        self.said = {}
        self.places = ["--user", "anna", "--state", self.stage.state, "--library", self.stage.library]
        self.plugins = ["--plugins", self.stage.plugins]

    def run_program(self, words, cwd):
        return subprocess.run([PROGRAM, *map(str, words)], cwd=cwd, env=self.stage.environment(), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def do(self, *words, plugins=False, exit=None, places=None):
        """Runs a command for anna, and keeps what it suggests."""
        words = [*words, *(self.places if places is None else places), *(self.plugins if plugins else [])]
        run = self.run_program(words, self.stage.folder)
        if exit is not None:
            self.assertEqual(run.returncode, exit, (words, run))
        said = run.stdout + run.stderr
        begun = {match.start() for match in BEGINNING.finditer(said)}
        whole = {match.start(): match[1].rstrip(".:") for match in SUGGESTION.finditer(said)}
        self.assertEqual(begun, set(whole), [said[at:at + 150] for at in begun - set(whole)])
        for text in whole.values():
            self.said.setdefault(text, (words, run))
        return run

    def sync(self, *words, **how):
        return self.do("sync", self.stage.catalog, "--max-wait", "1s", *words, plugins=True, **how)

    def suggest(self):
        """A life with all kinds of trouble, and what the program suggests in it."""
        stage = self.stage
        stage.urls({
            "good": self.host.at("/good.mp4", File(media.mp4(1, 3000))),
            "other": self.host.at("/other.mp4", File(media.mp4(2, 3000))),
            "page": self.host.at("/page.mp4", lambda x: x.answer(200, b"<!DOCTYPE html><html>", content_type="text/html")),
            "shut": {"refuse": {"kind": "auth_required"}}, "forbidden": {"refuse": {"kind": "forbidden"}}},
            credentials=["username", "password"])
        stage.write({"c": ["good", "other", "page", "shut", "forbidden"]})
        self.sync(exit=77)
        self.do("login", exit=0)
        self.do("status", exit=0)
        self.do("open", "c")
        self.sync(exit=77)
        for words in (["status"], ["status", "--failed"], ["open", "c"], ["open", "c/*/page"], ["cancel", "c/*/good"],
                      ["resume", "c/*/page"], ["verify"], ["set", "--jobs", "2"]):
            self.do(*words)
        self.do("resolve", stage.catalog, "c/*/shut", plugins=True)
        self.do("login", "--provider", "nobody", plugins=True)
        good = next(stage.library.rglob("*good.mp4"))
        good.write_bytes(b"changed")
        self.do("verify", exit=1)
        for file in stage.library.rglob("*.mp4"):
            file.rename(file.with_suffix(".away"))
        self.sync()
        self.do("status")
        self.do("open", "c/*/other")
        for file in stage.library.rglob("*.away"):
            file.rename(file.with_suffix(".mp4"))
        stage.write({"c": ["other"]})
        self.sync()
        self.do("status")
        self.do("doctor", plugins=True)
        twin = stage.folder / "twin.yaml"
        twin.write_text(stage.catalog.read_text())
        self.do("sync", twin, plugins=True)
        self.do("sync", plugins=True)
        self.do("logout", exit=0)
        self.do("status")
        self.sync()
        self.do("login", exit=0)
        self.do("plugins", "list", places=self.plugins)
        self.do("check", stage.catalog, places=self.plugins)
        # The library is elsewhere, or another's.
        away = stage.folder / "away"
        stage.library.rename(away)
        self.sync(exit=73)
        stage.library.mkdir()
        self.sync(exit=73)
        self.do("library", "move", stage.library, places=self.places[:4])
        other = ["--user", "ben", "--state", stage.folder / "others", "--library", stage.library]
        self.do("login", places=other)
        self.do("library", "adopt", places=other, exit=0)
        self.do("sync", stage.catalog, "--max-wait", "1s", exit=73, plugins=True)
        self.do("library", "adopt", exit=73)
        # The state is none.
        for state in stage.state.rglob("state.sqlite"):
            state.write_bytes(b"no database" * 1000)
        self.sync(exit=73)
        self.do("doctor", plugins=True)

    def test_each_acts_on_the_state_that_it_was_said_of(self):
        self.suggest()
        # As many kinds as there are today, so that a pattern that finds none is noticed.
        kinds = {re.match(r"[a-z]+(?: (?:list|move|adopt))?", text)[0] for text in self.said}
        self.assertLessEqual({"login", "status", "retry", "remove", "verify", "sync", "library adopt",
                              "library move", "plugins list", "forget"}, kinds)
        elsewhere = self.stage.folder / "elsewhere"
        elsewhere.mkdir()
        for text, (words, run) in sorted(self.said.items()):
            with self.subTest(text):
                pasted = shlex.split(text)
                wanted = {"--user": words[words.index("--user") + 1], "--state": words[words.index("--state") + 1]} \
                    if "--user" in words else {}
                if "--from-user" not in text and pasted[0] not in ("plugins", "check"):
                    for option, value in wanted.items():
                        self.assertIn(option, pasted, (words, run))
                        if option == "--state":
                            self.assertEqual(pasted[pasted.index(option) + 1], str(value))
                if "--plugins" in words and pasted[0] in ("sync", "resolve", "login", "doctor", "plugins", "check"):
                    self.assertEqual(pasted[pasted.index("--plugins") + 1], str(self.stage.plugins))
                if "move" in pasted or "--prune" in pasted:
                    continue
                ready = [str(self.stage.catalog) if w == "CATALOG" else w for w in pasted]
                done = self.run_program(ready, elsewhere)
                for mistake in ("there is no option", "too many", "is missing\nusage"):
                    self.assertNotIn(mistake, done.stderr, text)
                # Nobody else's state or library came of it.
                self.assertEqual(sorted(p.name for p in self.home.rglob("*") if p.is_file()), [], (text, done))
                self.assertFalse((self.home / "coursefetch").exists(), text)

    def test_the_library_of_another_user_is_not_adopted(self):
        self.stage.urls({"a": self.host.at("/a.mp4", File(media.mp4(1, 3000)))})
        self.stage.write({"c": ["a"]})
        self.do("login", exit=0)
        self.sync(exit=0)
        marker = self.stage.library / ".coursefetch/library.json"
        before = marker.read_bytes()
        roots = ["--state", self.stage.folder / "roots", "--library", self.stage.library]
        refused = self.do("library", "adopt", places=roots, exit=73)
        self.assertIn("is the library of the user 'anna'", refused.stderr)
        self.assertEqual(marker.read_bytes(), before)
        self.sync(exit=0)
        # With the name it is no mistake.
        self.do("library", "adopt", "--from-user", "anna", places=roots, exit=0)
        self.assertNotEqual(marker.read_bytes(), before)


if __name__ == "__main__":
    sys.exit(unittest.main())
