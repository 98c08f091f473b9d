"""The steps of a Containerfile, carried out without an engine: each stage is a system that chroot enters."""
import json
import shlex
import shutil
import subprocess


class Image:
    """The last stage: its system, and what the instructions say of a start."""

    def __init__(self, system):
        self.system = system
        self.environment = {}
        self.user = "root"
        self.volumes = []
        self.entrypoint = []

    def run(self, arguments):
        """What the entry point prints with these arguments."""
        command = shlex.join(self.entrypoint + arguments)
        if self.user == "root":
            return self.system.run(command, **self.environment)
        # The whole of it is the account's: nothing of root's environment.
        return self.system.run(f"setpriv --reuid {self.user} --regid {self.user} --clear-groups {command}",
                               HOME=f"/home/{self.user}", **self.environment)


def instructions(text):
    """Each instruction with its text; lines that end with a backslash belong together."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        name, rest = line.split(maxsplit=1)
        yield name, rest


def build(path, context, started, arguments):
    """The image of the file, with `started` making the system of an image that a stage begins with."""
    stages = {}
    image = None
    for name, rest in instructions(path.read_text()):
        words = rest.split()
        if name == "FROM":
            image = Image(started(words[0]))
            stages[words[-1]] = image
            known = {}
        elif name == "ARG":
            key, _, value = rest.partition("=")
            known[key] = arguments.get(key, value.strip('"'))
        elif name in ("ADD", "COPY"):
            take(name, words, stages, context, image)
        elif name == "RUN":
            image.system.run(rest, **known, **image.environment)
        elif name == "ENV":
            image.environment.update(word.split("=", 1) for word in shlex.split(rest))
        elif name == "USER":
            image.user = rest
        elif name == "VOLUME":
            image.volumes = json.loads(rest)
        elif name == "ENTRYPOINT":
            image.entrypoint = json.loads(rest)
        elif name not in ("CMD", "LABEL"):
            raise ValueError(f"{name} is none of the instructions that this knows")
    return image


def take(name, words, stages, context, image):
    """ADD unpacks an archive; COPY takes a folder's content, of another stage, too."""
    place = image.system.root / words[-1].lstrip("/")
    place.mkdir(parents=True, exist_ok=True)
    if name == "ADD":
        [archive] = context.glob(words[0])
        subprocess.run(["tar", "-xJf", archive, "--no-same-owner", "-C", place], check=True)
        return
    stage = stages[words[0].removeprefix("--from=")]
    shutil.copytree(stage.system.root / words[1].lstrip("/"), place, dirs_exist_ok=True)
