"""A plugin in Python, spoken to line by line as the host does."""

import json
import os
import subprocess
import sys

NOW = "2026-11-20T23:00:00Z"


class Plugin:
    """A running plugin: what this Python makes of `arguments`, with further variables in its environment."""

    def __init__(self, arguments, python=sys.executable, **environment):
        self.process = subprocess.Popen(
            [python, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **environment})
        self.logged = []

    def send(self, *lines):
        for line in lines:
            self.process.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        self.process.stdin.flush()

    def ask(self, id, video="v", method="resolve", **params):
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "novel": 1, "params": {
            "user": "anna", "now": NOW, "settings": {}, "credentials": None, "novel": [1],
            "video": {"id": video, "parameters": {}} if isinstance(video, str) else video, **params}})

    def line(self):
        return json.loads(self.process.stdout.readline())

    def answer(self):
        """The next answer; what is logged before it goes to `logged`."""
        while True:
            line = self.line()
            if "id" in line:
                return line
            self.logged.append(line["params"]["message"])

    def resolve(self, video="v", **parameters):
        self.ask(1, video={"id": video, "parameters": parameters}, course={"id": "c"}, **self.further)
        return self.answer()

    def list(self, cursor=None, known=None, **parameters):
        self.ask(2, method="list", video=None, course={"id": "c", "parameters": parameters}, cursor=cursor, known=known,
                 **self.further)
        return self.answer()

    #: Further parameters of each request.
    further = {}

    def stop(self):
        self.process.kill()
        self.process.communicate()

    def end(self):
        out, err = self.process.communicate(timeout=20)
        return [json.loads(line) for line in out.splitlines()], err.decode()
