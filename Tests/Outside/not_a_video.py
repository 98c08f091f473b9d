"""What isn't a video is never one: other files keep their extension, and what a host says in place of a video isn't kept."""

import gzip
import hashlib
import json

import media
from host import File
from wrong_file import Case

LISTED = '<title>Index of /c/</title><a href="../">../</a>'


class NotAVideo(Case):
    def course(self, parameters, provider="index", **more):
        self.stage.write([{"id": "c", "title": "C", "provider": provider, "parameters": parameters, "discover": True, **more}])

    def listing(self, files):
        """A folder with these files: each is a File, by its name."""
        for name, file in files.items():
            self.host.at("/c/" + name.replace(" ", "%20"), file)
        page = LISTED + "".join(f'<a href="{name.replace(" ", "%20")}">{name}</a>\n' for name in files)
        return self.host.at("/c/", lambda x: x.answer(200, page.encode(), content_type="text/html"))

    def test_other_files_of_a_folder_keep_their_extension(self):
        files = {
            "01 Intro.mp4": File(media.mp4(1, 3000)), "02 Skript.pdf": File(b"%PDF-1.7 x", kind="application/pdf"),
            "03 code.zip": File(b"PK\3\4", kind="application/octet-stream"), "04 notes.txt": File(b"notes", kind="text/plain"),
            "05 Intro.de.vtt": File(b"WEBVTT\n", kind="text/vtt"), "06 run.py": File(b"print()", kind="text/x-python"),
        }
        self.course({"endpoint": self.listing(files), "files": ["*.mp4", "*.pdf", "*.zip", "*.txt", "*.vtt", "*.py"]})
        self.stage.sync(exit=0)
        self.assertEqual(sorted(self.stage.files()), [f"C/{name[:2]} {name}" for name in files])
        self.assertEqual(self.stage.command("verify").exit, 0)
        again = self.stage.sync(exit=0)
        self.assertEqual(again.of("download_finished"), [])

    def test_slides_and_subtitles_beside_a_video_come_with_it(self):
        files = {
            "Lecture 1.mp4": File(media.mp4(1, 3000)), "Lecture 1.pdf": File(b"%PDF-1.7 one", kind="application/pdf"),
            "Lecture 1.de.vtt": File(b"WEBVTT\n", kind="text/vtt"), "Lecture 1.en.srt": File(b"1\n", kind="text/plain"),
            "Lecture 2.mp4": File(media.mp4(2, 3000)), "Lecture 10.pdf": File(b"%PDF-1.7 ten", kind="application/pdf"),
        }
        self.course({"endpoint": self.listing(files)}, subtitles="all")
        self.stage.sync(exit=0)
        self.assertEqual(sorted(self.stage.files()), [
            "C/01 Lecture 1 - PDF.pdf", "C/01 Lecture 1.de.vtt", "C/01 Lecture 1.en.srt", "C/01 Lecture 1.mp4",
            "C/02 Lecture 2.mp4"])
        self.assertEqual(self.stage.files()["C/01 Lecture 1 - PDF.pdf"], b"%PDF-1.7 one")

    def test_what_a_host_says_in_place_of_a_video_is_no_video(self):
        page = "\n<html><head><title>Anmelden</title></head><body>Bitte melden Sie sich an.</body></html>"
        bodies = {
            "json": json.dumps({"error": "token expired", "status": 403}).encode(), "array": b'[{"code": 17}]',
            "xml": b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "text": b"Your session has expired.\r\n",
            "marked": b"\xef\xbb\xbf" + page.encode(), "utf16": page.encode("utf-16"), "little": page.encode("utf-16-le"),
            "big": page.encode("utf-16-be"), "latin": "<p>Zugriff verweigert für alle, die nicht angemeldet sind. " .encode("latin-1") * 3,
            "playlist": b"#EXTM3U\n#EXTINF:4,\n0.ts\n",
            "short": '{"error":"ungültig","code":403}'.encode("latin-1"), "russian": "Доступ запрещён".encode("cp1251"),
            "chinese": "请先登录".encode("gbk"), "japanese": "ログインしてください".encode("shift_jis"),
            "korean": "로그인하십시오".encode("euc-kr"), "denied": b"Access denied, please log in".decode().encode("utf-16-le"),
            "wide": page.encode("utf-32"), "squeezed": gzip.compress(page.encode()),
        }
        table = {name: self.host.at(f"/{name}.mp4", File(body)) for name, body in bodies.items()}
        table["true"] = self.host.at("/true.mp4", File(media.mp4(1, 3000)))
        # The catalog's own word is stronger: this is the file that somebody wants.
        table["odd"] = self.host.at("/odd.mp4", File(b"odd, and wanted"))
        self.stage.urls(table)
        self.stage.write({"c": [*bodies, "true", {"id": "odd", "sha256": hashlib.sha256(b"odd, and wanted").hexdigest()}]})
        self.stage.sync("--max-wait", "0")
        self.assertEqual(sorted(path.split(" ", 1)[1] for path in self.stage.files()), ["odd.mp4", "true.mp4"])
        states = {video: state for video, state in self.stage.rows("video, state")}
        self.assertEqual([name for name in bodies if states[name] == "finished"], [])

    def test_a_page_in_the_place_of_an_attachment_is_no_attachment(self):
        page = "<!DOCTYPE html><html><title>Anmelden</title></html>"
        bodies = {"marked": page.encode("utf-16"), "little": page.encode("utf-16-le"), "blank": b" \n" * 2500 + page.encode()}
        table = {"a": {"url": self.host.at("/a.mp4", File(media.mp4(1, 3000))), "attachments": [
            {"title": name, "url": self.host.at(f"/{name}.pdf", File(body, kind="application/pdf"))}
            for name, body in {**bodies, "right": b"%PDF-1.7 right"}.items()]}}
        self.stage.urls(table)
        self.stage.write([{"id": "c", "title": "C", "videos": [{"id": "a", "title": "A"}]}])
        run = self.stage.sync("--max-wait", "0")
        self.assertEqual(sorted(self.stage.files()), ["C/01 A - right.pdf", "C/01 A.mp4"], run)

    def test_an_answer_for_programs_in_the_place_of_a_document_is_no_attachment(self):
        refusal = json.dumps({"error": "Invalid token", "errorcode": "invalidtoken"}).encode()
        files = {name: File(body, kind=kind) for name, body, kind in (
            ("slides.pdf", refusal, "application/json; charset=utf-8"), ("code.zip", b"<Error/>", "application/xml"),
            ("data.json", refusal, "application/json"), ("notes.ipynb", b"{}", "application/json"), ("get", b"{}", "application/json"))}
        table = {"a": {"url": self.host.at("/a.mp4", File(media.mp4(1, 3000))), "attachments": [
            {"title": name, "url": self.host.at(f"/{name}", file)} for name, file in files.items()]}}
        self.stage.urls(table)
        self.stage.write([{"id": "c", "title": "C", "videos": [{"id": "a", "title": "A"}]}])
        run = self.stage.sync("--max-wait", "0")
        kept = ["C/01 A - data.json.json", "C/01 A - get.json", "C/01 A - notes.ipynb.json", "C/01 A.mp4"]
        self.assertEqual(sorted(self.stage.files()), kept, run)
        self.host.at("/slides.pdf", File(b"%PDF-1.7 right", kind="application/pdf"))
        self.stage.sync("--retry-failed", "--max-wait", "0")
        self.assertIn("C/01 A - slides.pdf.pdf", self.stage.files())
