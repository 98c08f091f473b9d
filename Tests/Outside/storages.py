"""The provider `rclone` with a real rclone: a local storage, and one on a WebDAV server."""

import base64
import os
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

import asking
import stage
from asking import CANARY
import folders
from folders import fetch


class Rclone(folders.Folders):
    provider_name = "rclone"

    def configured(self, **sections):
        text = "".join(f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in section.items()) for name, section in sections.items())
        return {"RCLONE_CONFIG": self.write(text, "rclone.conf")}

    def local(self):
        return self.configured(nas={"type": "alias", "remote": self.path("www", "")})

    def running(self, provider):
        return [line for line in subprocess.run(["ps", "-eo", "pid,pgid,args"], capture_output=True, text=True,
                                                check=True).stdout.splitlines()
                if "serve http" in line and line.split()[1] == str(provider.process.pid)]

    def test_a_local_storage_is_listed_and_served_until_the_plugin_ends(self):
        # rclone writes control characters of local names in another way.
        files = {name.replace("\t", "\u2409"): content for name, content in self.fill("www", "course").items()}
        provider = self.provider(environment=self.local())
        where = {"remote": "nas:course"}
        self.check(provider, where, files)
        self.assertEqual(provider.list({**where, "depth": 0})["ids"], ["Lecture 2.mp4", "Lecture 10.mp4"])
        got = provider.resolve(where, "Lecture 2.mp4")
        served = self.running(provider)
        self.assertTrue(served)
        password = got["token"]["value"]
        self.assertTrue(all(password not in line for line in served))
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(got["url"], timeout=10)
        self.assertEqual(caught.exception.code, 401)
        caught.exception.close()
        ranged = urllib.request.Request(got["url"], headers={
            "Authorization": "Basic " + password, "Range": "bytes=3-6"})
        with urllib.request.urlopen(ranged, timeout=10) as response:
            self.assertEqual((response.status, response.read()), (206, b"tent"))
        provider.end()
        stage.wait_until(lambda: not self.running(provider), 10, lambda: str(self.running(provider)))

    def test_the_server_ends_even_if_the_plugin_is_killed_and_starts_anew_if_it_is(self):
        self.fill("www", "course")
        provider = self.provider(environment=self.local())
        where = {"remote": "nas:course/Week 1"}
        first = provider.resolve(where, "b.webm")
        pid = int(next(line for line in self.running(provider) if "sh -c" not in line and " sh " not in line).split()[0])
        os.kill(pid, signal.SIGKILL)
        stage.wait_until(lambda: not asking.is_open(int(first["url"].split(":")[2].split("/")[0])))
        second = provider.resolve(where, "b.webm", previous={"reason": "rejected", "status": None, "bytes": 0})
        self.assertNotEqual(second["url"], first["url"])
        self.assertEqual(fetch(second), b"content of Week 1/b.webm")
        provider.process.kill()
        stage.wait_until(lambda: not self.running(provider), 10, lambda: str(self.running(provider)))

    def test_forty_folders_of_a_storage_need_one_server_which_has_its_password_nowhere(self):
        files = {f"course {n}/v.mp4": f"content {n}".encode() for n in range(40)}
        for name, content in files.items():
            self.write(content, "www", name)
        provider = self.provider(environment=self.local())
        for number in range(40):
            got = provider.resolve({"remote": f"nas:course {number}"}, "v.mp4")
            self.assertEqual(fetch(got), f"content {number}".encode())
        served = [line for line in self.running(provider) if "sh -c" not in line and " sh " not in line]
        self.assertEqual(len(served), 1, served)
        password = base64.b64decode(got["token"]["value"]).decode().split(":")[1]
        for process in stage.descendants(provider.process.pid):
            for place in ("environ", "cmdline"):
                with open(f"/proc/{process}/{place}", "rb") as file:
                    self.assertNotIn(password.encode(), file.read())

    def test_a_storage_whose_root_may_not_be_read_is_served_by_its_folders(self):
        self.fill("www", "course")
        # A path of its own at the root of the file system, which isn't beneath the storage.
        provider = self.provider(environment=self.configured(disk={"type": "local"}))
        self.assertEqual(fetch(provider.resolve({"remote": f"disk:{self.path('www', 'course')}"}, "Lecture 2.mp4")),
                         b"content of Lecture 2.mp4")
        self.write("#!/bin/sh\ncase \"$*\" in *'-- nas:') exit 3;; esac\nexec " + shutil.which("rclone") + ' "$@"\n', "bin", "rclone")
        os.chmod(self.path("bin", "rclone"), 0o755)
        environment = self.local()
        provider = self.provider(environment={**environment, "PATH": self.path("bin") + ":" + os.environ["PATH"]})
        for _ in range(2):
            self.assertEqual(fetch(provider.resolve({"remote": "nas:course"}, "Lecture 2.mp4")), b"content of Lecture 2.mp4")

    def test_it_passes_the_conformance_suite(self):
        self.fill("www", "course")
        check = subprocess.run(
            [stage.PROGRAM, "plugins", "check", str(asking.PLUGINS / "rclone"), "--parameter", "remote=nas:course"],
            capture_output=True, text=True, timeout=120,
            env={"PATH": os.environ["PATH"], "HOME": self.folder, **self.local()})
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        self.assertRegex(check.stdout, r"[0-9]+ ok")

    def test_a_storage_on_a_webdav_server(self):
        files = self.fill("www", "course")
        url = folders.WebDAV.wsgidav(self, CANARY, "/dav")
        secret = subprocess.run(["rclone", "obscure", CANARY], capture_output=True, text=True, check=True).stdout.strip()
        wrong = subprocess.run(["rclone", "obscure", "wrong"], capture_output=True, text=True, check=True).stdout.strip()
        dav = {"type": "webdav", "url": url + "/dav", "vendor": "other", "user": "anna"}
        environment = self.configured(cloud={**dav, "pass": secret}, locked={**dav, "pass": wrong},
                                      off={**dav, "url": "http://127.0.0.1:1/dav"})
        provider = self.provider(environment=environment)
        self.check(provider, {"remote": "cloud:"}, files)
        error = self.refused(lambda: provider.list({"remote": "locked:"}), "auth_required")
        self.assertEqual(error.message, "the storage 'locked' refuses rclone's login: rclone config reconnect 'locked:'")
        error = self.refused(lambda: provider.list({"remote": "off:"}), "unavailable")
        self.assertEqual(error.message, "rclone can't reach the storage 'off'")
        error = self.refused(lambda: provider.list({"remote": "cloud:missing"}), "not_found")
        self.assertEqual(error.message, "rclone finds no such folder in 'cloud'")
        for call in (lambda: provider.list({"remote": "nobody:x"}), lambda: provider.resolve({"remote": "nobody:x"}, "v")):
            self.assertEqual(self.refused(call, "invalid_parameters").message,
                             "rclone has no storage called 'nobody': rclone config")

    def test_a_catalog_gives_rclone_no_options_and_no_ways_out(self):
        provider = self.provider(environment=self.local())
        for remote in (":sftp,ssh='touch x':", "nas,remote=/etc:", ":local:/etc", "/etc", "--config=x:", "-v:", "nas", "",
                       "nas:../..", "nas:a/../../b", "nas:..", "nas:a/..", "na\ns:", " nas:"):
            self.assertEqual(self.refused(lambda: provider.list({"remote": remote}), "invalid_parameters").data["parameter"],
                             "remote")
        self.refused(lambda: provider.resolve({"remote": "nas:"}, "../x"), "not_found")

    def test_a_missing_rclone_is_told_with_how_to_install_it(self):
        for tool in ("sh", "cat", "mktemp", "rm"):
            os.symlink(shutil.which(tool), self.path("bin", tool))
        provider = self.provider(environment={**self.local(), "PATH": self.path("bin")})
        for call in (lambda: provider.list({"remote": "nas:"}), lambda: provider.resolve({"remote": "nas:"}, "v.mp4")):
            self.assertEqual(self.refused(call, "unavailable").message,
                             "rclone isn't installed: sudo apt-get install rclone, or see https://rclone.org/install")
