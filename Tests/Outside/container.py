"""A container as a kubelet makes it of a pod's description, with a folder of the stage for each volume: a root that can't be
written, the mounts, the variables, the user and group, and the command as process 1."""

import os
import pathlib
import shlex
import signal
import subprocess

import stage

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
ROOT = os.geteuid() == 0
# Without root: root of a user namespace, where the container's user can't be had.
UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if ROOT else ["--user", "--map-root-user"])]


def missing():
    """Why this machine has no containers; None if it has."""
    try:
        tried = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return tried.stderr.strip() or "unshare" if tried.returncode else None


class Image:
    """What a user's image has beside Debian: the program in /image/bin, and the provider `direct`."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "plugins").mkdir(parents=True)
        subprocess.run(["cp", "-R", CHECKOUT / "Plugins/direct", folder / "plugins"], check=True)
        subprocess.run(["chmod", "-R", "go-w", folder / "plugins"], check=True)


class Container:
    """A container of a pod.

    `pod` is the description's `spec` and `volumes` has a folder for each name in it. An optional volume without a folder is
    an empty one, as in a cluster.
    """

    def __init__(self, pod, image, volumes, folder):
        self.pod, self.image, self.folder = pod, image, folder
        self.described = pod["containers"][0]
        self.volumes = {}
        for volume in pod["volumes"]:
            given = volumes.get(volume["name"])
            if given is None:
                assert "emptyDir" in volume or volume.get("secret", {}).get("optional"), f"no folder for {volume}"
                given = folder / volume["name"]
            given.mkdir(parents=True, exist_ok=True)
            self.owned(given, volume)
            self.volumes[volume["name"]] = given

    def owned(self, given, volume):
        """The files of a volume as `fsGroup` and `defaultMode` have them; once, as `OnRootMismatch` says."""
        group = self.pod["securityContext"]["fsGroup"]
        assert self.pod["securityContext"]["fsGroupChangePolicy"] == "OnRootMismatch"
        facts = given.stat()
        if facts.st_mode & 0o2070 == 0o2070 and (facts.st_gid == group or not ROOT):
            return
        for path in [*given.rglob("*"), given]:
            if ROOT:
                os.chown(path, -1, group)
            if path == given:
                path.chmod(0o2775)
            elif "secret" in volume:
                path.chmod(volume["secret"]["defaultMode"])

    def script(self):
        """Makes the root and starts the command in it."""
        root = shlex.quote(str(self.folder / "root"))
        lines = ["set -e", f"mkdir -p {root}", f"mount -t tmpfs none {root}"]
        places = {"/" + mount["mountPath"].strip("/").split("/")[0] for mount in self.described["volumeMounts"]}
        for entry in sorted(pathlib.Path("/").iterdir()):
            if entry.is_symlink():
                lines.append(f"ln -s {os.readlink(entry)} {root}{entry}")
            elif entry.is_dir() and str(entry) not in places | {"/proc", "/image", "/tmp"}:
                lines += [f"mkdir {root}{entry}", f"mount --rbind {entry} {root}{entry}"]
        binaries = pathlib.Path(stage.PROGRAM).resolve().parent
        mounts = [(binaries, "/image/bin", True), (self.image.folder / "plugins", "/image/plugins", True)]
        for mount in self.described["volumeMounts"]:
            assert mount["name"] in self.volumes, f"no volume for {mount}"
            mounts.append((self.volumes[mount["name"]], mount["mountPath"], mount.get("readOnly", False)))
        for source, place, read_only in mounts:
            lines += [f"mkdir -p {root}{place}", f"mount --bind {shlex.quote(str(source))} {root}{place}"]
            lines += [f"mount -o remount,bind,ro {root}{place}"] if read_only else []
        lines += [f"mkdir {root}/proc", f"mount -t proc none {root}/proc"]
        if self.described["securityContext"]["readOnlyRootFilesystem"]:
            lines.append(f"mount -o remount,bind,ro {root}")
        return "\n".join([*lines, f"exec chroot {root} " + shlex.join([*self.user(), *self.command()])])

    def user(self):
        if not ROOT:
            return []
        context = self.pod["securityContext"]
        # Nobody whom this machine knows, so that nothing depends on an entry in passwd.
        return ["setpriv", f"--reuid={context['runAsUser']}", f"--regid={context['runAsGroup']}",
                f"--groups={context['fsGroup']}", "--bounding-set=-all", "--no-new-privs"]

    def command(self):
        return [*self.described["command"], *self.described.get("args", [])]

    def environment(self, **variables):
        described = {entry["name"]: entry["value"] for entry in self.described["env"]}
        image = {"PATH": "/image/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                 "COURSEFETCH_PLUGINS": "/image/plugins", "NO_PROXY": "*"}
        return {**image, **described, **variables}

    def start(self, **variables):
        """Starts it with further variables; returns what runs it."""
        process = subprocess.Popen(
            [*UNSHARE, "sh", "-c", self.script()], env=self.environment(**variables), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")
        return Contained(process)

    def inside(self, running, *command):
        """A command line that runs a further command in a container that runs, as `kubectl exec` does."""
        return ["nsenter", f"--target={running.first}", "--mount", "--pid", f"--root=/proc/{running.first}/root",
                *([] if ROOT else ["--user", "--preserve-credentials"]), *self.user(), *command]


class Contained(stage.Running):
    """A container that runs."""

    @property
    def first(self):
        """Its process 1, by our number; 0 before it is in its root."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children and os.readlink(f"/proc/{children[0]}/root") != "/" else 0

    def send(self, number):
        """Sends process 1 a signal. One that it has no handler for is lost on it, as in a cluster."""
        if first := self.first:
            os.kill(first, number)

    def end_by_force(self):
        self.stop(signal.SIGKILL)
