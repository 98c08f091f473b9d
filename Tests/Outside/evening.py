"""One catalog with a course of each provider: logged in, and downloaded by the built program."""

import json

import buckets
import folders
import stage
from asking import CANARY, Case
from feeds import podcast


class Evening(Case):
    def test_a_sync_downloads_from_a_host_of_each_provider(self):
        scene = stage.Stage()
        self.addCleanup(scene.close)
        files = folders.Folders.fill(self, "www", "course", end=b"\0")
        self.password_file("anna", CANARY)
        base = self.nginx(f"autoindex on; location /course/ {{ auth_basic x; auth_basic_user_file {self.folder}/passwords; }}")
        podcast([{"id": "ep 1", "url": f"{base}/course/Lecture%202.mp4?t={CANARY}"}], base).rss_file(
            self.path("www", "course", "feed.xml"))
        dav = folders.WebDAV.wsgidav(self, CANARY, "/dav")
        s3 = buckets.Buckets.moto(self, keys=["p/ü 1%.mp4"], end=b"\0")
        rclone = scene.folder / "home/.config/rclone/rclone.conf"
        rclone.parent.mkdir(parents=True)
        rclone.write_text(f"[nas]\ntype = alias\nremote = {self.folder}/www\n")
        courses = {
            "feed": ({"endpoint": base + "/course/feed.xml"}, "ep 1", files["Lecture 2.mp4"]),
            "index": ({"endpoint": base + "/course/"}, "odd/100%.mp4", files["odd/100%.mp4"]),
            "webdav": ({"endpoint": dav + "/dav"}, "odd/q?x=1&y.mp4", files["odd/q?x=1&y.mp4"]),
            "s3": ({"endpoint": s3, "bucket": "lectures", "prefix": "p"}, "ü 1%.mp4", "content of p/ü 1%.mp4\0".encode()),
            "rclone": ({"remote": "nas:course"}, "odd/#1.mp4", files["odd/#1.mp4"]),
            "direct": ({"url": base + "/plain/{id}.mp4"}, "a b", b"direct\0"),
        }
        self.write(b"direct\0", "www", "plain", "a b.mp4")
        scene.write([{"id": name, "provider": name, "parameters": parameters, "videos": [{"id": video, "title": name}]}
                     for name, (parameters, video, _) in courses.items()])
        self.assertEqual(scene.command("check", scene.catalog).exit, 0)
        # Without their logins four of them wait, and the run says so.
        first = scene.sync("--max-wait", "0", exit=77)
        self.assertEqual(sorted(c for c, _, state in scene.rows("course, video, state") if state == "finished"),
                         ["direct", "rclone"], first)
        self.assertEqual({state for _, _, state in scene.rows("course, video, state")}, {"finished", "suspended"}, first)
        secrets = scene.folder / "secrets.json"
        for name, (parameters, _, _) in courses.items():
            if "endpoint" not in parameters:
                continue
            typed = ({"access_key": "AKID", "secret_key": CANARY} if name == "s3"
                     else {"username": "anna", "password": CANARY})
            secrets.write_text(json.dumps(typed))
            secrets.chmod(0o600)
            settings = [w for key, value in parameters.items() for w in ("--set", f"{key}={value}")]
            run = scene.command("login", "--provider", name, "--secrets-from", secrets, *settings)
            self.assertEqual(run.exit, 0, run)
        run = scene.sync("--max-wait", "0", exit=0)
        found = {path.split("/")[0]: content for path, content in scene.files().items()}
        for name, (_, _, content) in courses.items():
            self.assertEqual(found.get(name), content, run)
        state = next(scene.state.rglob("state.sqlite")).read_bytes()
        for text in (run.out, run.err, first.out, first.err, state.decode("latin-1")):
            self.assertNotIn(CANARY, text)
