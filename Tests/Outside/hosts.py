"""One catalog whose courses list themselves at seven kinds of hosts: night after night, with additions and removals."""

import json
import os
import time

import buckets
import folders
import media
import stage
from asking import Case
from feeds import podcast

SECRET = "lectures"
COUNT = 43


class Hosts(Case):
    def test_seven_hosts_list_300_videos_and_each_change_comes_the_next_night(self):
        scene = stage.Stage()
        self.addCleanup(scene.close)
        self.scene, self.episodes = scene, {"feed": [], "yt-dlp": []}
        self.base = self.nginx(
            f"""autoindex on;
            location /signed/ {{ secure_link $arg_md5,$arg_expires; secure_link_md5 "$secure_link_expires$uri {SECRET}";
                if ($secure_link = "") {{ return 403; }} if ($secure_link = "0") {{ return 410; }} }}""")
        for number in range(COUNT):
            self.add(number)
        self.feeds()
        self.write(bytes.fromhex("ffd8ffe0") + bytes(500), "www", "cover.jpg")
        os.makedirs(self.path("www", "course", ""), exist_ok=True)
        dav = folders.WebDAV.wsgidav(self, "pass-of-anna", "/dav")
        self.s3 = buckets.Buckets.moto(self, keys=[f"p/v{n}.mp4" for n in range(COUNT)], end=b"\0")
        rclone = scene.folder / "home/.config/rclone/rclone.conf"
        rclone.parent.mkdir(parents=True)
        rclone.write_text(f"[nas]\ntype = alias\nremote = {self.folder}/www\n")
        courses = {
            "feed": {"endpoint": self.base + "/feed.xml"}, "index": {"endpoint": self.base + "/index/"},
            "webdav": {"endpoint": dav + "/dav"}, "s3": {"endpoint": self.s3, "bucket": "lectures", "prefix": "p"},
            "rclone": {"remote": "nas:rclone"}, "yt-dlp": {"endpoint": self.base + "/talks.xml"},
            "secure-link": {"base": self.base, "index": "/signed/"},
        }
        scene.write([{"id": name, "provider": name, "parameters": parameters, "discover": True}
                     for name, parameters in courses.items()])
        self.login("webdav", {"username": "anna", "password": "pass-of-anna"}, endpoint=dav + "/dav")
        self.login("s3", {"access_key": "AKID", "secret_key": "key"}, endpoint=self.s3)
        self.login("secure-link", {"host": self.base, "secret": SECRET})

        first = scene.sync("--jobs", "8", exit=0)
        self.assertEqual(first.of("sync_finished")[0]["finished_now"], 7 * COUNT, first)
        self.assertEqual({e["course"]: e["videos"] for e in first.of("course_listed")}, {name: COUNT for name in courses})

        before, start = len(self.requests()), time.monotonic()
        second = scene.sync(exit=0)
        seconds = time.monotonic() - start
        self.assertEqual((second.of("course_listed"), second.of("download_finished")), ([], []), second)
        asked = [path.split("?")[0] for _, path, _ in self.requests()[before:]]
        # nginx has four of the courses; rclone reads its folder on the disk.
        self.assertEqual(sorted(asked), ["/feed.xml", "/index/", "/signed/", "/talks.xml"])
        start = time.monotonic()
        scene.sync("--no-discover", exit=0)
        print(f"seven hosts: a second sync {seconds:.2f} s, without asking {time.monotonic() - start:.2f} s", flush=True)

        self.add(COUNT)
        self.remove(0)
        self.feeds()
        third = scene.sync(exit=0)
        self.assertEqual({e["course"]: e["video"] for e in third.of("download_gone")}.keys(), courses.keys(), third)
        self.assertEqual(sorted(e["course"] for e in third.of("download_finished")), sorted(courses), third)
        self.assertEqual({e["course"]: (e["videos"], e["added"], e["removed"]) for e in third.of("course_listed")},
                         {name: (COUNT, 1, 1) for name in courses})
        # What was removed stays on the disk; the feed has a cover, too.
        self.assertEqual(len(scene.files()), 7 * (COUNT + 1) + 1)

    def login(self, name, secrets, **parameters):
        file = self.scene.folder / "secrets.json"
        file.write_text(json.dumps(secrets))
        file.chmod(0o600)
        settings = [w for key, value in parameters.items() for w in ("--set", f"{key}={value}")]
        run = self.scene.command("login", "--provider", name, "--secrets-from", file, *settings)
        self.assertEqual(run.exit, 0, run)

    def add(self, number):
        for place in ("index", "course", "rclone", "signed", "media", "talks"):
            self.write(media.mp4(f"{place} {number}", 400), "www", place, f"v{number}.mp4")
        for name, place in (("feed", "media"), ("yt-dlp", "talks")):
            self.episodes[name].append({"id": f"{name} {number}", "title": f"Talk {number}", "days": number,
                                        "url": f"{self.base}/{place}/v{number}.mp4"})
        if number >= COUNT:
            self.client().put_object(Bucket="lectures", Key=f"p/v{number}.mp4", Body=media.mp4("a new one", 400))

    def remove(self, number):
        for place in ("index", "course", "rclone", "signed", "media", "talks"):
            os.remove(self.path("www", place, f"v{number}.mp4"))
        for episodes in self.episodes.values():
            del episodes[0]
        self.client().delete_object(Bucket="lectures", Key=f"p/v{number}.mp4")

    def client(self):
        import boto3
        return boto3.client("s3", endpoint_url=self.s3, region_name="us-east-1", aws_access_key_id="a",
                            aws_secret_access_key="b")

    def feeds(self):
        for name, file in (("feed", "feed.xml"), ("yt-dlp", "talks.xml")):
            podcast(self.episodes[name], self.base).rss_file(self.path("www", file))
