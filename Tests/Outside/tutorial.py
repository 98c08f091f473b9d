"""The commands of docs/writing-a-provider.md, word for word, on an installed coursefetch and outside the checkout."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import stage

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent.parent


def blocks(page):
    """The shell blocks of a page, in order, each with the heading that it stands under."""
    found, heading = [], ""
    for match in re.finditer(r"^## ([^\n]*)$|^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if match[1]:
            heading = match[1]
        else:
            found.append((heading, match[2]))
    return found


class Tutorial(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-tutorial-")).resolve()
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        self.prefix = self.folder / "prefix"
        self.work = self.folder / "work"
        self.work.mkdir()

    def install(self):
        """What `make install` does, with the program that is tested in the place of the release."""
        built = pathlib.Path(stage.PROGRAM).resolve().parent
        # -o: as if it were built. That of the release takes minutes, and is another program.
        for goals in (["-o", "build", "completions", "manual"], ["-o", "built", "install"]):
            result = subprocess.run(
                ["make", "-C", CHECKOUT, *goals, f"PREFIX={self.prefix}", f"BIN={built}", "DESTDIR="],
                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(result.returncode, 0, result.stdout)

    def environment(self):
        path = os.pathsep.join([str(self.prefix / "bin"), os.environ["PATH"]])
        # The toolchain's manager and its caches are found by HOME.
        return {**os.environ, "PATH": path, "XDG_DATA_HOME": str(self.folder / "data"),
                "XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config"),
                "LANG": "C.UTF-8"}

    def test_the_steps_of_the_tutorial_work_word_for_word(self):
        self.install()
        page = (CHECKOUT / "docs/writing-a-provider.md").read_text()
        steps = blocks(page)
        self.assertEqual({heading for heading, _ in steps},
                         {"", "In shell", "Using it", "In Python", "In Swift"})
        # One shell for all of them, as somebody would type them; it tells where it is.
        marks = "".join(f"echo '=== {number}'\n{text}" for number, (_, text) in enumerate(steps))
        result = subprocess.run(
            ["sh", "-eu"], input=marks, cwd=self.work, env=self.environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, 0, result.stdout)
        parts = re.split(r"^=== \d+\n", result.stdout, flags=re.MULTILINE)[1:]
        said = dict(zip((text for _, text in steps), parts))

        def of(words):
            return next(output for text, output in said.items() if words in text)

        self.assertIn("https://media.example.org/first%20lecture.mp4", of("echo '{"))
        self.assertIn("the check has failed, as it should", of("broken"))
        self.assertIn("isn't JSON: \"hello\"", of("broken"))
        self.assertIn("0 failed", of("broken").splitlines()[-1])
        self.assertIn("https://media.example.org/optics/mirrors%20and%20prisms.mp4", of("catalog.yaml"))
        self.assertIn("installed my-host 0.1.0", of("plugins install my-host"))
        self.assertIn(str(self.folder / "data/coursefetch/plugins/my-host"), of("plugins list"))
        self.assertIn("removed ", of("plugins remove"))
        self.assertIn("library 0.1.0", of("library/fixtures/index.http"))
        self.assertIn("installed archive 0.1.0", of("archive"))
        self.assertTrue((self.folder / "data/coursefetch/plugins/archive/archive").is_file())
        for output in parts:
            self.assertNotIn("nothing resolved", output)

    test_the_steps_of_the_tutorial_work_word_for_word.seconds = 900
