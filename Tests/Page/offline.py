"""The pages of `sync --write-index` in Chromium, as local files.

    offline.py [-v] [-k NAME]

COURSEFETCH_PROGRAM  the program that makes the library
COURSEFETCH_SHOTS    a folder for pictures of the pages, dark and light, on a phone and on a screen
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "Outside"))

from host import File, Host  # noqa: E402
from stage import Stage  # noqa: E402

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SHOTS = os.environ.get("COURSEFETCH_SHOTS")
WAIT = 120_000
HOSTILE = "<\u0338/script></script><script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"

TIMES = "[...document.querySelectorAll('details[open] .views video')].map(media => media.currentTime)"
APART = f"(() => {{ const times = {TIMES}; return Math.max(...times) - Math.min(...times) }})()"


def made(*arguments: str, ending: str) -> bytes:
    with tempfile.NamedTemporaryFile(suffix=ending) as file:
        subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments, file.name], check=True)
        return Path(file.name).read_bytes()


def film(picture: str, *sound: str) -> bytes:
    return made("-f", "lavfi", "-i", f"{picture}=size=320x180:rate=15:duration=40", *sound, "-c:v", "libx264", "-preset",
                "ultrafast", "-g", "15", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-shortest", ending=".mp4")


class OfflinePages(unittest.TestCase):
    page: Page

    @classmethod
    def setUpClass(cls) -> None:
        tone = ("-f", "lavfi", "-i", "sine=frequency=300:duration=40", "-c:a", "aac")
        loud, silent = film("testsrc2", *tone), film("testsrc")
        sound = made("-f", "lavfi", "-i", "sine=frequency=400:duration=5", ending=".mp3")
        host, stage = Host(), Stage()
        cls.addClassCleanup(host.close)
        cls.addClassCleanup(stage.close)

        def at(name: str, body: bytes) -> str:
            return host.at(f"/{name}", File(body, kind="audio/mpeg" if name.endswith(".mp3") else "video/mp4"))

        stage.urls({
            "v1": {"url": at("1.mp4", loud), "role": "presenter",
                   "streams": [{"role": "slides", "url": at("1s.mp4", silent)}, {"role": "board", "url": at("1b.mp4", silent)}]},
            "v2": {"url": at("2.mp4", silent), "role": "slides", "streams": [{"role": "presenter", "url": at("2p.mp4", loud)}]},
            "v3": at("3.mp4", loud), "v4": at("4.mp4", loud), "s1": at("s1.mp3", sound), "s2": at("s2.mp3", sound)})
        (stage.catalog.parent / "cover.jpg").write_bytes(
            made("-f", "lavfi", "-i", "mandelbrot=size=640x360:rate=1", "-frames:v", "1", ending=".jpg"))
        videos = [{"id": "v1", "title": "Position and velocity", "description": "Where it is.\nWith an eigenvalue.",
                   "date": "2026-10-05", "cover": "cover.jpg"}, {"id": "v2", "title": "Énergie"}]
        chapter = {"id": "k", "title": "Kinematics", "videos": videos}
        other = {"id": "f", "title": "Forces", "videos": [{"id": "v3", "title": HOSTILE, "description": HOSTILE}]}

        def write(*chapters: dict) -> None:
            stage.write([
                {"id": "m", "title": "Mechanics", "streams": "all", "cover": "cover.jpg", "description": "Bodies in motion.",
                 "chapters": list(chapters)},
                {"id": "s", "title": "Über Öfen", "videos": [{"id": "s1", "title": "Wood"}, {"id": "s2", "title": "Coal"}]}])

        write(chapter, {**other, "videos": [*other["videos"], {"id": "v4", "title": "A guest"}]})
        stage.sync("--write-index", seconds=600, exit=0)
        write(chapter, other)
        stage.sync("--write-index", seconds=600, exit=0)
        cls.library = stage.library
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        self.said: list[str] = []
        self.page = self.open()

    def open(self, **settings: object) -> Page:
        context = self.browser.new_context(**settings)
        self.addCleanup(context.close)
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        return page

    def tearDown(self) -> None:
        # A policy that is violated is told there, too.
        self.assertEqual(self.said, [])

    def go(self, path: str, page: Page | None = None) -> None:
        (page or self.page).goto((self.library / path).as_uri())

    def search(self, text: str) -> str:
        self.page.fill("input", text)
        return self.page.inner_text("[role=status]")

    def shown(self, selector: str) -> list[str]:
        return [element.inner_text() for element in self.page.locator(selector).all() if element.is_visible()]

    def open_video(self, title: str) -> None:
        self.go("Mechanics/index.html")
        self.page.click(f"summary:has-text('{title}')")

    def play(self) -> None:
        """With the button of the browser's controls; a click into the picture is the same."""
        lead = self.page.locator("details[open] .views video").first
        self.wait_until(f"{TIMES}.length > 0 && document.querySelector('details[open] .views video').readyState > 1")
        lead.scroll_into_view_if_needed()
        box = lead.bounding_box()
        assert box
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)

    def wait_until(self, expression: str) -> None:
        """As Page.wait_for_function, which evaluates a string inside the page: its policy forbids that."""
        end = time.monotonic() + WAIT / 1000
        while not self.page.evaluate(expression):
            self.assertLess(time.monotonic(), end, expression)
            self.page.wait_for_timeout(50)

    def media(self, expression: str) -> list:
        return self.page.evaluate(f"[...document.querySelectorAll('details[open] .views video')].map(media => {expression})")

    # MARK: Search

    def test_a_course_is_searched_by_titles_and_descriptions(self) -> None:
        self.go("Mechanics/index.html")
        for text, status, titles in [
            ("ENERGIE", "1 video", ["Énergie"]), ("eigenvalue position", "1 video", ["Position and velocity"]),
            ("guest", "1 video", ["A guest"]), ("nothing of it", "0 videos", []),
            ("", "", ["Position and velocity", "Énergie", HOSTILE, "A guest"]),
        ]:
            self.assertEqual(self.search(text), status)
            self.assertEqual(self.shown(".title"), titles)
        self.search("eigenvalue")
        self.assertEqual(self.shown("section h2"), ["Kinematics"])

    def test_the_page_of_all_courses_finds_videos_and_leads_to_them(self) -> None:
        self.go("index.html")
        self.page.keyboard.press("/")
        self.page.keyboard.type("OFEN")
        self.assertEqual(self.page.inner_text("[role=status]"), "1 course, 0 videos")
        self.assertEqual(self.shown(".cards .title"), ["Über Öfen"])
        self.assertEqual(self.search("document.title"), "0 courses, 1 video")
        self.assertEqual(self.shown("#hits a"), [HOSTILE])
        self.search("energie")
        self.page.click("#hits a")
        self.page.wait_for_url("**/Mechanics/index.html#video-2")
        self.page.wait_for_selector("#video-2 details[open]")
        self.page.click("text=Courses")
        self.page.wait_for_url("**/index.html")
        self.assertEqual(self.page.title(), "Courses")

    # MARK: Views in step

    def test_views_start_together_and_stay_in_step(self) -> None:
        self.open_video("Position")
        self.page.evaluate(f"""() => {{
          const medias = [...document.querySelectorAll('details[open] .views video')]
          for (const media of medias) media.addEventListener('timeupdate', () => {{
            if (medias.every(media => !media.paused)) window.apart ??= {APART}
          }})
        }}""")
        self.play()
        self.wait_until(f"{TIMES}.every(time => time > 1)")
        self.wait_until("window.apart !== undefined")
        # On a busy machine a tick may come late.
        self.assertLess(self.page.evaluate("apart"), 1)
        self.wait_until(f"{APART} < 0.1")
        self.assertEqual(self.media("[media.muted, media.controls]"), [[False, True], [True, False], [True, False]])
        # Where the leader is put, and at the rate that it gets.
        self.page.evaluate("document.querySelector('details[open] .views video').currentTime = 20")
        self.wait_until(f"{TIMES}.every(time => time > 20.5) && {APART} < 0.1")
        self.page.evaluate("document.querySelector('details[open] .views video').playbackRate = 0.5")
        self.wait_until("[...document.querySelectorAll('.views video')].slice(0, 3)"
                                    ".every(media => Math.abs(media.playbackRate - 0.5) <= 0.051)")
        self.page.evaluate("document.querySelector('details[open] .views video').pause()")
        self.wait_until("[...document.querySelectorAll('video')].every(media => media.paused)")
        self.assertLess(self.page.evaluate(APART), 0.5)

    def test_one_that_waits_holds_all(self) -> None:
        self.open_video("Position")
        self.play()
        self.wait_until(f"{TIMES}.every(time => time > 0.5)")
        self.page.evaluate("""() => {
          window.slow = document.querySelectorAll('details[open] .views video')[1]
          Object.defineProperty(slow, 'readyState', { configurable: true, get: () => 2 })
          slow.dispatchEvent(new Event('waiting'))
        }""")
        before = self.media("media.currentTime")
        self.page.wait_for_timeout(1000)
        self.assertLess(max(b - a for a, b in zip(before, self.media("media.currentTime"))), 0.3)
        self.assertEqual(self.media("[media.paused, media.playbackRate]")[0], [False, 0])
        self.page.evaluate("() => { delete slow.readyState; slow.dispatchEvent(new Event('canplay')) }")
        self.wait_until(f"{TIMES}.every(time => time > {max(before) + 0.5})")

    def test_the_view_with_sound_leads(self) -> None:
        self.open_video("Énergie")
        self.play()
        self.wait_until("!document.querySelectorAll('details[open] .views video')[1].muted")
        self.assertEqual(self.media("[media.muted, media.controls, media.paused]"), [[True, False, False], [False, True, False]])

    def test_one_video_plays_at_a_time(self) -> None:
        self.open_video("Position")
        self.play()
        self.wait_until(f"{TIMES}[0] > 0")
        self.page.click("summary:has-text('A guest')")
        self.page.evaluate("document.querySelector('#gone video').play()")
        self.wait_until("[...document.querySelectorAll('.views video')].every(media => media.paused)")

    # MARK: What a page is

    def test_nothing_of_a_title_is_run(self) -> None:
        for path in ("index.html", "Mechanics/index.html"):
            self.go(path)
            self.assertNotEqual(self.page.title(), "run")
            self.assertEqual(self.page.locator("img[src=x]").count(), 0)
        self.page.evaluate("""() => {
          const script = document.createElement('script')
          script.textContent = 'window.ran = 1'
          document.body.append(script)
        }""")
        self.assertIsNone(self.page.evaluate("window.ran ?? null"))
        self.assertIn("script-src", self.said.pop())

    def test_without_scripts_each_view_has_its_controls_and_there_is_no_box(self) -> None:
        self.page = self.open(java_script_enabled=False)
        self.go("index.html")
        self.assertFalse(self.page.is_visible("[role=search]"))
        self.page.click("a:has-text('Mechanics')")
        self.assertFalse(self.page.is_visible("[role=search]"))
        self.page.click("summary:has-text('Position')")
        self.assertEqual(self.page.locator(".views video[controls]:visible").count(), 3)
        self.assertEqual(self.page.locator("button:visible").count(), 0)
        self.go("Über Öfen/index.html")
        self.assertEqual(self.page.locator("audio[controls]:visible").count(), 2)

    def test_it_fits_a_phone_and_a_screen(self) -> None:
        for width, height in ((390, 844), (1280, 800)):
            for scheme in ("light", "dark"):
                page = self.open(viewport={"width": width, "height": height}, color_scheme=scheme)
                for path in ("index.html", "Mechanics/index.html", "Über Öfen/index.html"):
                    self.go(path, page)
                    if "Mechanics" in path:
                        page.locator("summary").first.click()
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, path)
                    if SHOTS:
                        name = f"{path.partition('/')[0].removesuffix('.html')}-{width}-{scheme}.png"
                        page.screenshot(path=Path(SHOTS) / name, full_page=True)
                page.context.close()


if __name__ == "__main__":
    unittest.main()
