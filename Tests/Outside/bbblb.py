"""The provider `bigbluebutton` against a real BBBLB, a load balancer that has BigBlueButton's API and keeps its recordings.

https://github.com/defnull/bbblb. `contrib/needs test` installs it into .build/bbblb where Python 3.13 is."""

import io
import json
import os
import pathlib
import sqlite3
import subprocess
import tarfile
import unittest

import asking
import media
import stage
from asking import CANARY

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / ".build/bbblb/bin/bbblb"
RECORDING = "183f0bf3a0982a127bdb8161e0c44eb696b3e75c-"
START = 1790000000000


class BBBLB(asking.Case):
    provider_name = "bigbluebutton"

    def setUp(self):
        if not PROGRAM.exists():
            raise unittest.SkipTest("BBBLB is missing: contrib/needs test, where Python 3.13 is")
        super().setUp()

    def serve(self, **settings):
        """The server behind nginx, since all addresses that it writes are of https."""
        port = asking.free_port()
        folder = pathlib.Path(self.path("bbblb", "x")).parent
        certificate, key = folder / "cert.pem", folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        self.ca, secure = certificate, asking.free_port()
        self.nginx(f"""listen 127.0.0.1:{secure} ssl; ssl_certificate {certificate}; ssl_certificate_key {key};
            # As in its own example, where nginx has the player, and sends on who asks for the older paths.
            location ~ ^/(presentation|video)/ {{ return 302 /playback$request_uri; }}
            location /playback/presentation/2.3/ {{ return 200 "the player"; }}
            location / {{ proxy_pass http://127.0.0.1:{port}; proxy_set_header Host $http_host; }}""")
        self.url = f"https://127.0.0.1:{secure}"
        self.variables = {**os.environ, "BBBLB_DOMAIN": f"127.0.0.1:{secure}", "BBBLB_SECRET": "of-the-cluster",
                          "BBBLB_DB": f"sqlite:///{folder}/bbblb.db", "BBBLB_PATH_DATA": str(folder / "data"),
                          "BBBLB_TENANT_CACHE": "0", **settings}
        self.manage("db", "migrate", "--create")
        self.manage("tenant", "create", "campus", "--realm", f"127.0.0.1:{secure}", "--secret", CANARY)
        self.run_server([str(PROGRAM.with_name("uvicorn")), "bbblb.asgi:app", "--port", str(port), "--no-access-log"], port,
                        self.variables, "bbblb")

    def manage(self, *arguments, given=None):
        run = subprocess.run([PROGRAM, *arguments], env=self.variables, input=given, capture_output=True, timeout=60)
        self.assertEqual(run.returncode, 0, run)

    def record(self, number, name, kind, files, state="--publish"):
        """A recording as BigBlueButton's scripts hand it over: an archive with metadata.xml."""
        recording = f"{RECORDING}{START + number}"
        link = {"presentation": f"/playback/presentation/2.3/{recording}", "video": f"/playback/video/{recording}/"}[kind]
        metadata = f"""<?xml version="1.0"?><recording><id>{recording}</id><state>published</state><published>true</published>
            <start_time>{START + number}</start_time><end_time>{START + number + 60000}</end_time><participants>2</participants>
            <meta><meetingName>{name}</meetingName><meetingId>physics-101</meetingId><bbblb-tenant>campus</bbblb-tenant></meta>
            <playback><format>{kind}</format><link>https://bbb1.example.org{link}</link><duration>60000</duration></playback>
            </recording>"""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for path, content in {"metadata.xml": metadata.encode(), **files}.items():
                entry = tarfile.TarInfo(f"{kind}/{recording}/{path}")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        self.manage("recording", "import", state, given=archive.getvalue())
        return recording

    def on_stage(self, secret=CANARY, exit=0):
        scene = stage.Stage()
        self.addCleanup(scene.close)
        scene.variables["COURSEFETCH_CA_FILE"] = str(self.ca)
        scene.write([{"id": "physics", "provider": "bigbluebutton", "discover": True, "streams": "all",
                      "parameters": {"endpoint": self.url, "meeting": "physics-101"}}])
        secrets = scene.folder / "secrets.json"
        secrets.write_text(json.dumps({"secret": secret}))
        secrets.chmod(0o600)
        run = scene.command("login", "--provider", "bigbluebutton", "--secrets-from", secrets, "--set", "endpoint=" + self.url)
        self.assertEqual(run.exit, exit, run)
        return scene

    def found(self, scene):
        return {path.split("/")[-1]: content for path, content in scene.files().items()}

    def test_a_room_is_synced(self):
        self.serve()
        self.record(1, "Optics &amp;amp; light", "presentation",
                    {"video/webcams.webm": media.webm("cam", 90_000), "deskshare/deskshare.webm": media.webm("desk", 50_000)})
        video = self.record(2, "As a video", "video", {
            "index.html": b'<html><video src="video-0.m4v"></video></html>', "video-0.m4v": media.mp4("both", 70_000)})
        self.record(3, "Not published", "presentation", {"video/webcams.webm": media.webm("no", 900)}, "--unpublish")
        self.on_stage("wrong", 77)
        scene = self.on_stage()
        run = scene.sync(exit=0)
        self.assertEqual(self.found(scene), {
            "01 Optics & light.webm": media.webm("cam", 90_000), "01 Optics & light (screen).webm": media.webm("desk", 50_000),
            "02 As a video.m4v": media.mp4("both", 70_000)}, run)
        second = scene.sync(exit=0)
        self.assertEqual(second.of("download_started"), [])
        self.manage("recording", "delete", video)
        third = scene.sync(exit=0)
        self.assertEqual((third.of("download_started"), len(scene.files())), ([], 3), third)

    def test_a_protected_recording_is_opened_with_its_ticket(self):
        self.serve(BBBLB_PROTECTED_RECORDINGS="true")
        recording = self.record(1, "Protected", "presentation", {
            "video/webcams.webm": media.webm("cam", 90_000), "deskshare/deskshare.webm": media.webm("desk", 50_000)})
        database = self.path("bbblb", "bbblb.db")
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE recordings SET protected = 1 WHERE record_id = ?", (recording,))
        scene = self.on_stage()
        run = scene.sync(exit=0)
        self.assertEqual(self.found(scene), {
            "01 Protected.webm": media.webm("cam", 90_000), "01 Protected (screen).webm": media.webm("desk", 50_000)}, run)
