"""The stores of apps, as Python writes them: databases, property lists, keyed archives, packages. Each is taken over whole."""

import hashlib
import pathlib
import plistlib
import random
import sqlite3
import subprocess

import stage
from asking import Case

SIZE = 200_000
COUNT = 3


def uid(number):
    return plistlib.UID(number)


def archive(name, fields):
    """A keyed archive of one object, its fields in objects of their own."""
    objects = ["$null", {"$class": uid(2)}, {"$classname": name, "$classes": [name, "NSObject"]}]
    for key, value in fields.items():
        if isinstance(value, str):
            objects[1][key] = uid(len(objects))
            objects.append(value)
        else:
            objects[1][key] = value
    return plistlib.dumps({"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": uid(1)},
                           "$objects": objects}, fmt=plistlib.FMT_BINARY)


class Stores(Case):
    def setUp(self):
        super().setUp()
        self.scene = stage.Stage()
        self.addCleanup(self.scene.close)
        self.old = pathlib.Path(self.folder) / "old"
        self.old.mkdir()
        self.bodies = {f"v{n}": random.Random(n).randbytes(SIZE + n) for n in range(COUNT)}
        for name, body in self.bodies.items():
            self.write(body, "www", f"{name}.mp4")
        self.base = self.nginx("")
        self.scene.write([{"id": "c", "title": "Course", "videos": [{"id": name} for name in self.bodies]}],
                         defaults={"provider": "direct", "parameters": {"url": self.base + "/{id}.mp4"}})

    def put(self, path, content):
        place = self.old / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def source(self):
        return {str(p.relative_to(self.old)): (hashlib.sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns)
                for p in sorted(self.old.rglob("*")) if p.is_file()}

    def check(self, kind, expected, *options, media=None):
        """A dry run, the migration, the same again, a sync, and the migration once more."""
        command = ["migrate", kind, self.old, "--catalog", self.scene.catalog, "--json", *options]
        before = self.source()

        def results(run):
            return [e["result"] for e in run.of("record_migrated")]

        trial = self.scene.command(*command, "--dry-run")
        self.assertEqual(sorted(results(trial)), sorted(expected), trial)
        self.assertFalse(self.scene.library.exists() or self.scene.state.exists())
        for number in range(2):
            run = self.scene.command(*command)
            self.assertEqual(sorted(results(run)), sorted(expected), run)
            isDone = set(expected) <= {"added", "duplicate"}
            self.assertEqual(run.exit, 0 if isDone else 75, run)
        finished = expected.count("added")
        self.assertEqual(len(self.scene.files()), finished)
        self.scene.sync(exit=0)
        files = self.scene.files()
        self.assertEqual(sorted(files.values()), sorted((media or self.bodies).values()))
        self.assertEqual(len(self.requests()), COUNT - finished)
        self.assertEqual(self.source(), before)
        run = self.scene.command(*command)
        self.assertEqual(sum(r in ("added", "duplicate") for r in results(run)), COUNT, run)

    def test_wqdownload(self):
        columns = ("video_hash, video_title, video_id, chapter_id, course_id, course_name, local_path, download_url, user_id, "
                   "video_parameter, cover_img_url, create_time, duration, total_size, completed_size, download_state, "
                   "error_type, video_percent, resume_data")
        database = sqlite3.connect(self.old / "mkdata.db")
        database.execute(f"CREATE TABLE local_video ({columns})")
        for number, (name, state) in enumerate(zip(self.bodies, (4, 4, 3))):
            if state == 4:
                self.put(f"video/c/{name}.mp4", self.bodies[name])
            row = [f"hash{number}", f"T {number}", name, "k", "c", "Course", f"{name}.mp4", f"{self.base}/{name}.mp4", "anna",
                   "{quality = 1; note = \"\\U6c34\";}", None, "1", "10", str(len(self.bodies[name])), "0", str(state), "0", "100", None]
            database.execute(f"INSERT INTO local_video VALUES ({', '.join('?' * len(row))})", row)
        database.commit()
        database.close()
        self.check("wqdownload", ["added", "added", "uncompleted"])

    def test_fkdownloader(self):
        for name, state in zip(self.bodies, (6, 6, 2)):
            key = hashlib.md5(name.encode()).hexdigest()
            self.put(f"{key}/{key}.rqi", archive("FKCacheRequestModel", {
                "requestID": key, "requestSingleID": "1_" + key, "idx": 1, "url": f"{self.base}/{name}.mp4", "state": state,
                "downloadType": 0, "receivedLength": 0, "dataLength": len(self.bodies[name]), "extension": ".mp4"}))
            if state == 6:
                self.put(f"{key}/{key}.mp4", self.bodies[name])
        self.check("fkdownloader", ["added", "added", "uncompleted"])

    def test_lyfdownloader(self):
        for name in list(self.bodies)[:2]:
            self.put(f"downloadFile/key-{name}", self.bodies[name])
        self.put("resumeData/key-v2", plistlib.dumps({
            "NSURLSessionDownloadURL": self.base + "/other.mp4", "NSURLSessionResumeBytesReceived": 7}))
        names = self.write("".join(f"key-{name}: c/{name}\n" for name in self.bodies), "names.yaml")
        self.check("lyfdownloader", ["added", "added", "uncompleted"], "--map", names)

    def test_baijiayun(self):
        records = []
        for name, state in zip(self.bodies, (3, 3, 1)):
            self.put(f"PMDownload/{'Cache' if state == 3 else 'Temp'}/{name}.ev1", self.bodies[name][:None if state == 3 else 9])
            records.append({"vid": name, "definitionType": 1, "downloadFileType": 1, "showFileName": f"T {name}",
                            "videoFileName": f"{name}.ev1", "state": state})
        # A playback whose signals are missing isn't whole.
        records.append({"classId": "77", "sessionId": "8", "downloadFileType": 2, "videoFileName": "v0.ev1",
                        "signalFileName": "v0.sig", "state": 3})
        self.put("PMDownload/records.plist", plistlib.dumps(records, fmt=plistlib.FMT_BINARY))
        command = ["migrate", "baijiayun", self.old, "--catalog", self.scene.catalog, "--json"]
        before = self.source()
        run = self.scene.command(*command)

        def results(run):
            return {e["record"]: e["result"] for e in run.of("record_migrated")}

        known = {"v0": "added", "v1": "added", "v2": "uncompleted"}
        self.assertEqual(results(run), {**known, "77_8": "not_ready"}, run)
        self.assertEqual(self.scene.command(*command).exit, 75)
        new = pathlib.Path(self.folder) / "new.yaml"
        run = self.scene.command(*command, "--write-catalog", new)
        self.assertIn("baijiayun", new.read_text())
        self.assertEqual(results(run), {**known, "77_8": "file_lost"}, run)
        self.put("PMDownload/Cache/v0.sig", b"signals")
        run = self.scene.command(*command, "--write-catalog", new)
        self.assertEqual(results(run), {**known, "77_8": "added"}, run)
        self.assertIn("Course/01 v0.ev1", self.scene.files())
        self.assertIn(b"signals", self.scene.files().values())
        (self.old / "PMDownload/Cache/v0.sig").unlink()
        self.assertEqual(self.source(), before)

    def test_hlscatalog(self):
        pieces = {}
        for name in self.bodies:
            body = self.bodies[name]
            pieces[name] = [body[:70_000], body[70_000:140_000], body[140_000:]]
        for name in list(self.bodies)[:2]:
            package, stream = f"{name}_A1B2.movpkg", f"{name}_A1B2.movpkg/0-ABC-1"
            segments = "".join(
                f'<SEG Dur="6" Len="{len(p)}" Off="0" PATH="{n}.frag" SeqNum="{n}" Tim="0" URL="{self.base}/{name}/{n}.ts"/>'
                for n, p in enumerate(pieces[name]))
            for number, piece in enumerate(pieces[name]):
                self.put(f"{stream}/{number}.frag", piece)
            isComplete = "YES" if name == "v0" else "NO"
            self.put(f"{stream}/list.m3u8", b"#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + b"".join(
                b"#EXTINF:6,\n%d.ts\n" % n for n in range(3)) + b"#EXT-X-ENDLIST\n")
            self.put(f"{stream}/StreamInfoBoot.xml", f"""<?xml version="1.0" encoding="UTF-8"?>
<StreamInfo xmlns="http://apple.com/IMG/Schemas/HLSPersistentStreamInfo"><Version>1.0</Version><Complete>{isComplete}</Complete>
<MediaPlaylist><NetworkURL>{self.base}/{name}/p.m3u8</NetworkURL><PathToLocalCopy>list.m3u8</PathToLocalCopy></MediaPlaylist>
<Type>Main</Type><MediaSegments>{segments}</MediaSegments></StreamInfo>""".encode())
            self.put(f"{package}/boot.xml", f"""<?xml version="1.0" encoding="UTF-8"?>
<HLSMoviePackage xmlns="http://apple.com/IMG/Schemas/HLSMoviePackage"><Version>1.0</Version>
<HLSMoviePackageType>PersistedStore</HLSMoviePackageType><Streams><Stream ID="0-ABC-1" Path="0-ABC-1"
NetworkURL="{self.base}/{name}/p.m3u8"><Complete>{isComplete}</Complete></Stream></Streams>
<MasterPlaylist><NetworkURL>{self.base}/{name}/m.m3u8</NetworkURL></MasterPlaylist></HLSMoviePackage>""".encode())
        self.put("Streams.plist", plistlib.dumps(
            [{"name": name, "playlist_url": f"{self.base}/{name}/m.m3u8"} for name in self.bodies]))
        names = self.write("".join(f"{name}: c/{name}\n" for name in self.bodies), "names.yaml")
        command = ["migrate", "hlscatalog", self.old, "--catalog", self.scene.catalog, "--map", names, "--json"]
        before = self.source()
        for _ in range(2):
            run = self.scene.command(*command)
            self.assertEqual({e["video"]: e["result"] for e in run.of("record_migrated")}, {"v0": "added", "v1": "uncompleted"}, run)
        self.assertEqual(list(self.scene.files().values()), [self.bodies["v0"]])
        self.assertEqual(self.source(), before)
        text = subprocess.run([stage.PROGRAM, "catalog", "from-streams", self.old], check=True, capture_output=True, text=True,
                              env=self.scene.environment()).stdout
        catalog = pathlib.Path(self.write(text, "streams.yaml"))
        checked = self.scene.command("check", catalog)
        self.assertEqual(checked.exit, 0, checked)
        self.assertEqual(text.count("m.m3u8"), COUNT)
        # What is in a package and was never compared isn't the store's.
        self.put("v0_A1B2.movpkg/notes.mp4", b"mine")
        self.put("v0_A1B2.movpkg/0-ABC-1/9.frag", b"other")
        for path in [p for p in self.old.rglob("*") if p.is_file() and "v1_" in str(p)]:
            path.unlink()
        (self.old / "v1_A1B2.movpkg/0-ABC-1").rmdir()
        (self.old / "v1_A1B2.movpkg").rmdir()
        run = self.scene.command(*command, "--remove-source")
        self.assertEqual(run.exit, 0, run)
        self.assertEqual(set(self.source()), {"v0_A1B2.movpkg/notes.mp4", "v0_A1B2.movpkg/0-ABC-1/9.frag"})
