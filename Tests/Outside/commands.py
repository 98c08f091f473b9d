"""The definitions of the commands, as the program tells them: what a build for debugging of ArgumentParser checks at each start."""

import collections
import json
import subprocess
import unittest

import stage


def below(command, path=()):
    """A command and those below it, each with the words that name it."""
    yield (*path, command["commandName"]), command
    for sub in command.get("subcommands", []):
        yield from below(sub, (*path, command["commandName"]))


def commands():
    told = subprocess.run([stage.PROGRAM, "--experimental-dump-help"], capture_output=True, check=True, timeout=60).stdout
    return list(below(json.loads(told)["command"]))


class Definitions(unittest.TestCase):
    def test_no_name_is_that_of_two_options(self):
        self.assertGreater(len(commands()), 30)
        for path, command in commands():
            names = collections.Counter(
                (name["kind"], name["name"]) for argument in command.get("arguments", []) for name in argument.get("names", []))
            self.assertEqual([name for name, count in names.items() if count > 1], [], " ".join(path))

    def test_nothing_stands_behind_an_argument_that_takes_the_rest(self):
        for path, command in commands():
            places = [a for a in command.get("arguments", []) if a["kind"] == "positional"]
            for argument in places[:-1]:
                self.assertFalse(argument["isRepeating"], f"{' '.join(path)} {argument['valueName']}")
            optional = [a["isOptional"] for a in places]
            self.assertEqual(optional, sorted(optional), " ".join(path))

    def test_no_flag_is_on_without_being_given(self):
        for path, command in commands():
            for argument in command.get("arguments", []):
                if argument["kind"] == "flag" and len(argument.get("names", [])) == 1:
                    self.assertNotEqual(argument.get("defaultValue"), "true", f"{' '.join(path)} {argument['names']}")
