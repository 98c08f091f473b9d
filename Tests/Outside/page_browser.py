"""The page of `serve` in Chromium: no page says anything to the console, the rules of axe, the running sync in several tabs.

The media are a clip of six seconds, repeated. COURSEFETCH_SOAK=1 opens eight tabs.
"""

import json
import os
import shutil
import subprocess
import time
import unittest
import urllib.parse

import stage
from axe_playwright_python.base import AXE_SCRIPT
from host import File, Host
from page import SERVER, Page
from playwright.sync_api import expect, sync_playwright
from samples import once

SOAK = bool(os.environ.get("COURSEFETCH_SOAK"))
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
# In seconds; only what hangs should reach it.
WAIT = 90
LONG, SHORT = (1260 if SOAK else 90), 12
expect.set_options(timeout=WAIT * 1000)
HOSTILE = "x y/z?#%<"
# `<` as a part of a character, by a combining mark behind it or a prepending one before: both have to be escaped all the same.
EVIL = "<script>alert(1)</script> &amp; \"'\u202egpj.exe <\u0301img src=x onerror=alert(2)> \u0600<b>"

# A headless page is always visible: this does what a tab's own window would do.
VISIBILITY = """
window.setHidden = hidden => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => hidden ? 'hidden' : 'visible' })
  document.dispatchEvent(new Event('visibilitychange'))
}
"""


def film(seconds, name="", sound=True):
    """The clip with 50 pictures a second, repeated; copies with other names differ in their bytes."""
    def ffmpeg(*arguments):
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], check=True)

    def clip(path):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x90:rate=50:duration=6", "-f", "lavfi", "-i",
               "sine=frequency=220:beep_factor=4:duration=6", "-pix_fmt", "yuv420p", "-c:v", "libvpx-vp9", "-deadline",
               "realtime", "-cpu-used", "8", "-g", "50", "-b:v", "60k", "-c:a", "libopus", "-b:a", "24k", "-f", "webm", path)

    def repeated(path):
        ffmpeg("-stream_loop", "-1", "-i", once("page clip", clip), "-t", str(seconds), "-c", "copy", "-metadata",
               f"title={name}", *([] if sound is True else ["-an"] if sound is False else ["-vn"]), "-f", "webm", path)

    return once(("page film", seconds, name, sound), repeated).read_bytes()


def lines(words, form="vtt", seconds=LONG):
    """Subtitles with a line every three seconds."""
    def stamp(t):
        text = f"{t // 3600:02}:{t // 60 % 60:02}:{t % 60:02}.000"
        return text if form == "vtt" else text.replace(".", ",")

    cues = [f"{number + 1}\n{stamp(at)} --> {stamp(at + 2)}\n{words.format(number + 1)}\n"
            for number, at in enumerate(range(0, seconds, 3))]
    return ("WEBVTT\n\n" if form == "vtt" else "") + "\n".join(cues)


@unittest.skipUnless(os.access(CHROMIUM, os.X_OK), "there is no Chromium: contrib/needs test")
@unittest.skipUnless(os.environ.get("COURSEFETCH_BROWSER"), "beside other cases a browser starves: make test-browser")
class Browser(unittest.TestCase):
    def __init_subclass__(cls):
        for name, case in vars(cls).items():
            if name.startswith("test_"):
                case.seconds = 300

    def setUp(self):
        self.host, self.stage, self.table = Host(), stage.Stage(), {}
        self.addCleanup(self.host.close)
        self.addCleanup(self.stage.close)
        playwright = sync_playwright().start()
        self.addCleanup(playwright.stop)
        self.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
        self.addCleanup(self.browser.close)
        self.said, self.posts = [], []

    # MARK: the library

    def at(self, path, body, **how):
        return self.host.at(path, File(body if isinstance(body, bytes) else body.encode(), **how))

    def webm(self, name, seconds=LONG, **how):
        return self.at(f"/{name}.webm", film(seconds, name, **how), kind="video/webm")

    def video(self, name, url=None, views=None, texts=(), **catalog):
        """An entry of the catalog, and what the plugin answers for it. Subtitles are pairs of a language and a text."""
        def subtitles(lang, text):
            form = "vtt" if text.startswith("WEBVTT") else "srt"
            return {"lang": lang, "url": self.at(f"/{name}.{lang}.{form}", text, kind="text/plain")}

        self.table[name] = {"url": url or self.webm(name), "subtitles": [subtitles(*pair) for pair in texts]}
        if views:
            self.table[name] |= {"role": "presenter", "streams": [
                {"role": role, "url": self.webm(f"{name}-{role}", seconds, sound=False)} for role, seconds in views.items()]}
        return {"id": name, **catalog}

    def everything(self, folder):
        """A library with something of every kind, and its state."""
        self.table["gone"] = {"refuse": {"kind": "not_found"}}
        texts = [("de", lines("Zeile {}", "srt")), ("en", lines("<v Emmy><i>line {}</i></v> &lt;b&gt;"))]
        algebra = [
            self.video("one", title="Rings", texts=texts),
            self.video("tiny", self.webm("tiny", SHORT), title="Sylow’s theorems"),
            self.video("three", views={"presentation": LONG, "screen": LONG}),
            self.video("uneven", views={"screen": SHORT}),
            self.video("sound", self.at("/sound.weba", film(LONG, sound="only"), kind="audio/webm"), texts=texts[1:]),
            self.video("broken", self.at("/broken.webm", film(SHORT)[:48] + os.urandom(90_000), kind="video/webm")),
            {"id": "gone"}]
        hostile = [self.video("v", title=EVIL, texts=[("en", "WEBVTT\n\n00:01.000 --> 00:09.000\n" + EVIL)])]
        self.stage.urls(self.table)
        self.stage.write([
            {"id": "algebra", "title": "Algebra I", "subtitles": "all", "streams": "all", "videos": algebra},
            {"id": HOSTILE, "title": EVIL, "subtitles": "all", "videos": hostile}])
        self.stage.sync(exit=1, seconds=10 * WAIT)
        folder.mkdir()
        for path in (self.stage.library, self.stage.state):
            shutil.move(path, folder)

    def serve(self, *arguments, is_empty=False, settings=None):
        """Starts the server beside a copy of the library, and logs a browser in."""
        if not is_empty:
            shutil.copytree(once("page library", self.everything), self.stage.folder, dirs_exist_ok=True)
        if settings:
            file = self.stage.folder / "home/.config/coursefetch/config.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(settings)
            file.chmod(0o600)
        self.server = Page(self.stage, *arguments)
        self.addCleanup(self.server.running.stop)
        self.root = f"http://{self.server.host}{self.server.base}"
        self.context = self.visitor()

    def visitor(self, **how):
        context = self.browser.new_context(**how)
        self.addCleanup(context.close)
        context.set_default_timeout(WAIT * 1000)
        context.add_init_script(VISIBILITY)
        context.on("console", lambda message: self.said.append(f"{message.location['url']}: {message.text}"))
        context.on("weberror", lambda error: self.said.append(str(error.error)))
        context.on("dialog", lambda dialog: self.said.append("a stranger's script ran"))
        context.on("request", self.note)
        context.new_page().goto(f"{self.root}?{self.server.query}")
        context.pages[0].close()
        return context

    def note(self, request):
        if request.method == "POST":
            fields = urllib.parse.parse_qs(request.post_data or "", keep_blank_values=True)
            self.posts.append((request.url.removeprefix(self.root), {name: values[0] for name, values in fields.items()}))

    def sent(self, path, field):
        return [fields[field] for address, fields in self.posts if address == path and field in fields]

    # MARK: the player

    def open(self, path, page=None):
        """A page of the server; that of a video when its media are known."""
        page = page or self.context.new_page()
        # Its end is `load`, which waits for a picture that ffmpeg may still make.
        page.goto(self.root + path, wait_until="domcontentloaded")
        self.until(page, "[...document.querySelectorAll('[data-src]')].every(m => m.readyState > 0 || m.error)")
        return page

    def until(self, page, expression):
        """`wait_for_function` would need eval, which the page's security policy refuses."""
        end = time.monotonic() + WAIT
        while not page.evaluate(expression):
            self.assertLess(time.monotonic(), end, f"never: {expression}")
            page.wait_for_timeout(50)

    def place(self, page):
        return page.evaluate("document.getElementById('player').player.group.time")

    def play(self, page):
        page.keyboard.press("k")
        self.until(page, "!document.querySelector('[data-lead]').paused")


class Everywhere(Browser):
    hostile = urllib.parse.quote(HOSTILE, safe="")
    paths = ["", "courses", "course/algebra", f"course/{hostile}", f"video/{hostile}/v", "search?q=line", "search?q=onerror",
             "search", *(f"video/algebra/{name}" for name in ("one", "three", "sound", "broken", "gone")), "now", "nights",
             "settings", "course/none"]

    def test_no_page_says_anything_to_the_console(self):
        self.serve()
        page = self.context.new_page()
        for path in self.paths:
            self.open(path, page)
            page.wait_for_load_state("load")
            page.mouse.wheel(0, 5000)
            page.wait_for_timeout(500)
            self.assertEqual(page.locator("main").count(), 1, path)
            # Whatever a stranger wrote is text: neither an element nor an attribute came of it.
            self.assertEqual(page.locator("[onerror], script:not([src]), main img[src=x], main b").count(), 0, path)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, path)
        # The answer to an address that isn't there is an error by intention.
        self.assertEqual([text for text in self.said if "/course/none: Failed to load resource" not in text], [])

    def test_axe_finds_nothing(self):
        self.serve()
        found = []
        cookies = self.context.cookies()
        screens = [("light", 1280), ("dark", 390)] + ([("light", 390), ("dark", 1280)] if SOAK else [])
        for scheme, width in screens:
            context = self.visitor(color_scheme=scheme, viewport={"width": width, "height": 844}, reduced_motion="reduce")
            context.add_cookies(cookies)
            page = context.new_page()
            for path in self.paths:
                self.open(path, page)
                page.evaluate(AXE_SCRIPT)
                for rule in page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]:
                    nodes = "; ".join(node["html"][:200] for node in rule["nodes"][:3])
                    found.append(f"{path} ({scheme}, {width}): {rule['id']}: {rule['help']}: {nodes}")
        self.assertEqual(found, [])

    def test_below_a_path(self):
        self.serve(settings="serve:\n  base: /a/b/\n")
        page = self.open("")
        self.assertTrue(page.url.endswith("/a/b/"))
        page.click("a:has-text('Rings')")
        self.until(page, "document.querySelector('video')?.readyState > 0")
        self.play(page)
        self.until(page, "document.querySelector('video').currentTime > 1")
        page.keyboard.press("k")
        expect(page.locator("#cues li")).to_have_count(LONG // 3)
        page.click("#watched button")
        expect(page.locator("#watched button")).to_have_text("Mark as not watched")
        page.click("nav a:has-text('Settings')")
        page.click("main button:text('Save')")
        self.assertIn("/a/b/settings", page.url)
        self.assertEqual(self.said, [])


class Live(Browser):
    INDICATOR = "document.getElementById('now-indicator')"

    def syncing(self, **how):
        """A server beside a sync that takes minutes."""
        # First, since the library that it shows is made by another catalog.
        self.serve(**how)
        slow = [self.video(name, self.at(f"/{name}.webm", film(LONG, name) * 4, kind="video/webm"), title="<b>Groups</b>")
                for name in ("s1", "s2")]
        self.stage.urls(self.table)
        self.stage.write([{"id": "slow", "title": "Slow", "videos": slow}])
        self.sync = self.stage.start_sync("--limit-rate", "40K", "--jobs", "2")
        self.sync.wait_for(lambda events: sum(e["event"] == "download_started" for e in events) >= 2, WAIT)

    def test_the_page_now(self):
        self.syncing(is_empty=True)
        page = self.open("now")
        page.evaluate("window.stays = true")
        item = page.locator("[data-now-list=active] > li")
        expect(item).to_have_count(2)
        expect(item.locator("[data-item=title]").first).to_have_text("<b>Groups</b>")
        item.first.locator("button").focus()
        received = "document.querySelector('[data-now-list=active] [data-item=bytes]').textContent"
        before = page.evaluate(received)
        self.until(page, f"{received} !== {json.dumps(before)}")
        self.until(page, "document.querySelector('[data-now=rate]').textContent.endsWith('/s')")
        self.assertTrue(page.evaluate("stays && document.activeElement.closest('[data-now-list=active] li') !== null"))
        video = item.first.get_attribute("data-key")
        item.first.locator("button").press("Enter")
        expect(page.locator("main > .notice[role=status]")).to_be_visible()
        self.sync.wait_for(
            lambda events: any(e["event"] == "download_paused" and video.endswith(e["video"]) for e in events), WAIT)
        expect(item).to_have_count(1)
        expect(page.locator("[data-now=paused]")).to_have_text("1")
        # Its end arrives without a click, even of one that was killed and could say nothing.
        page.evaluate("window.stays = true")
        self.sync.process.kill()
        expect(page.locator("[data-now-if=idle]").first).to_be_visible(timeout=WAIT * 1000)
        self.assertTrue(page.evaluate("stays"))
        self.assertEqual(self.said, [])

    def grows(self, page):
        """Whether a page gets states: that one changes takes a second one."""
        page.evaluate("{ window.states = 0; const old = " + self.INDICATOR + "; new MutationObserver(() => states++)"
                      ".observe(old, { attributes: true, childList: true, characterData: true, subtree: true }) }")
        self.until(page, "states > 0")

    def test_one_connection_for_all_tabs(self):
        self.syncing(is_empty=True)
        first, second = self.open("video/slow/s1"), self.open("course/slow")
        self.grows(second)
        first.close()
        self.grows(second)
        third = self.open("")
        second.evaluate("setHidden(true)")
        self.grows(third)
        self.assertEqual(self.said, [])

    def test_polls_where_locks_are_missing(self):
        self.syncing(is_empty=True)
        self.context.add_init_script("delete Navigator.prototype.locks")
        self.grows(self.open(""))

    @unittest.skipUnless(SOAK, "eight tabs of a browser: only with --soak")
    def test_eight_tabs_with_two_of_three_streams(self):
        self.syncing()
        pages = [self.open(f"video/algebra/three?t={10 * number}") for number in (1, 2)]
        pages += [self.open("video/algebra/tiny") for _ in range(5)] + [self.open("now")]
        for page in pages[:2]:
            self.play(page)
        pages[0].evaluate("setHidden(true)")
        for page in pages[1:]:
            self.grows(page)
        for page in pages[:2]:
            begin = self.place(page)
            self.until(page, f"document.querySelector('[data-lead]').currentTime > {begin + 2}")
        self.grows(self.open("video/algebra/tiny"))
        self.assertEqual(self.said, [])
