"""`index` against each web server that can be had: what it lists, in which folders, with which dates, and what lies beside."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import asking
import folders
from asking import Scripted, free_port
from folders import fetch

AIOHTTP = """
import sys
from aiohttp import web
app = web.Application()
app.router.add_static("/", sys.argv[2], show_index=True)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
OLD, NEW = 1730000000, 1794000000
OLD_DATE, NEW_DATE = "2024-10-27T03:33", "2026-11-06T21:20"
NAMES = ["Lecture 10.mp4", "Lecture 2.mp4", "Week 1/a b.mp4", "Week 1/Part A/100%.mkv", "ünï/é&.mp4",
         # The oldest one has a name that looks like a date.
         "2026-11-20 10:00 Old.mp4"]


class Listings(folders.Folders):
    provider_name = "index"

    def which(self, name):
        found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        if not found:
            self.skipTest(f"{name} can't be had here")
        return found

    def fill(self):
        files = {name: f"content of {name}".encode() for name in NAMES}
        others = ["Lecture 2.pdf", "Lecture 2.de.vtt", "Lecture 2.vtt", "Lecture 20.pdf", "README", "notes.pdf",
                  "Week 1/a b.zip", ".hidden.mp4"]
        for name in [*files, *others]:
            self.write(files.get(name, b"content of " + name.encode()), "www", "course", name)
            stamp = OLD if "Old" in name else NEW
            os.utime(self.path("www", "course", name), (stamp, stamp))
        os.makedirs(self.path("www", "course", "Empty", ""), exist_ok=True)
        os.makedirs(self.path("www", "course", "Week 1", "nothing", ""), exist_ok=True)
        return files

    def lists(self, base, files, dated=True):
        provider = self.provider()
        where = {"endpoint": base + "/course/"}
        listing = provider.list(where)
        self.assertEqual(sorted(listing["ids"]), sorted(files))
        for video in listing["all"]:
            self.assertEqual(fetch(provider.resolve(where, video)), files[video["id"]], video["id"])
            if dated:
                self.assertEqual(video["published_at"][:16], OLD_DATE if "Old" in video["id"] else NEW_DATE, video)
            else:
                self.assertNotIn("published_at", video)
        self.assertEqual([c["title"] for c in listing["chapters"]], ["ünï", "Week 1", "Week 1 / Part A"]
                         if listing["chapters"][0]["title"] == "ünï" else ["Week 1", "Week 1 / Part A", "ünï"])
        # What has a video's name comes with it, whether it was just listed or not.
        for one in (provider, self.provider()):
            got = one.resolve(where, "Lecture 2.mp4")
            self.assertEqual([a["title"] for a in got["attachments"]], ["PDF"])
            self.assertEqual([s["lang"] for s in got["subtitles"]], ["de", "und"])
            self.assertEqual(fetch({**got, "url": got["attachments"][0]["url"]}), b"content of Lecture 2.pdf")
            self.assertEqual(fetch({**got, "url": got["subtitles"][0]["url"]}), b"content of Lecture 2.de.vtt")
            self.assertEqual([a["title"] for a in one.resolve(where, "Week 1/a b.mp4")["attachments"]], ["ZIP"])
            self.assertNotIn("attachments", one.resolve(where, "Lecture 10.mp4"))
        self.assertTrue(provider.page(where, known=listing["known"])["unchanged"])

    def test_what_caddy_lists(self):
        caddy, files, port = self.which("caddy"), self.fill(), free_port()
        self.run_server([caddy, "file-server", "--browse", "--root", self.path("www", ""), "--listen", f"127.0.0.1:{port}"],
                        port, {"HOME": self.folder, "XDG_CONFIG_HOME": self.folder, "XDG_DATA_HOME": self.folder}, "caddy")
        self.lists(f"http://127.0.0.1:{port}", files)

    def test_what_caddys_page_lists(self):
        caddy, files, port, inner = self.which("caddy"), self.fill(), free_port(), free_port()
        self.write(f""":{port} {{
 bind 127.0.0.1
 reverse_proxy 127.0.0.1:{inner} {{
  header_up Accept text/html
 }}
}}
:{inner} {{
 bind 127.0.0.1
 root * {self.path("www", "")}
 file_server browse
}}
{{
 admin off
 auto_https off
}}
""", "Caddyfile")
        text = open(self.path("Caddyfile")).read()
        at = text.index("{\n admin")
        self.write(text[at:] + text[:at], "Caddyfile")
        self.run_server([caddy, "run", "--config", self.path("Caddyfile"), "--adapter", "caddyfile"], port,
                        {"HOME": self.folder, "XDG_CONFIG_HOME": self.folder, "XDG_DATA_HOME": self.folder}, "caddy")
        self.lists(f"http://127.0.0.1:{port}", files)

    def test_what_lighttpd_lists(self):
        lighttpd, files, port = self.which("lighttpd"), self.fill(), free_port()
        self.write(f'''server.document-root = "{self.path("www", "")}"
server.port = {port}
server.bind = "127.0.0.1"
server.modules = ("mod_dirlisting")
dir-listing.activate = "enable"
''', "lighttpd.conf")
        self.run_server([lighttpd, "-D", "-f", self.path("lighttpd.conf")], port, {"TZ": "UTC"})
        self.lists(f"http://127.0.0.1:{port}", files)

    def test_what_fancyindex_of_nginx_lists(self):
        if not os.path.exists("/usr/lib/nginx/modules/ngx_http_fancyindex_module.so"):
            self.skipTest("nginx's fancyindex can't be had here")
        files = self.fill()
        for more in ("", "fancyindex_exact_size off; fancyindex_hide_parent_dir on;"):
            with self.subTest(more):
                self.lists(self.nginx(f"fancyindex on; {more}", modules=["ngx_http_fancyindex_module"]), files)

    def test_what_mini_httpd_lists_whose_folders_have_no_slash(self):
        mini, files, port = self.which("mini_httpd"), self.fill(), free_port()
        self.run_server([mini, "-D", "-p", str(port), "-h", "127.0.0.1", "-d", self.path("www", ""), "-u", "root"], port,
                        {"TZ": "UTC"})
        self.lists(f"http://127.0.0.1:{port}", files)

    def test_what_webfs_lists_without_dates_that_can_be_read(self):
        webfs, files, port = self.which("webfsd"), self.fill(), free_port()
        self.run_server([webfs, "-F", "-p", str(port), "-i", "127.0.0.1", "-r", self.path("www", "")], port)
        self.lists(f"http://127.0.0.1:{port}", files, dated=False)

    def test_what_rclone_serves(self):
        rclone, files, port = self.which("rclone"), self.fill(), free_port()
        self.run_server([rclone, "serve", "http", "--addr", f"127.0.0.1:{port}", self.path("www", "")], port,
                        {"HOME": self.folder})
        self.lists(f"http://127.0.0.1:{port}", files)

    def test_what_aiohttp_lists_whose_folders_have_no_slash(self):
        if not importlib.util.find_spec("aiohttp"):
            self.skipTest("aiohttp can't be had here")
        files, port = self.fill(), free_port()
        self.run_server([sys.executable, "-c", AIOHTTP, str(port), self.path("www", "")], port)
        self.lists(f"http://127.0.0.1:{port}", files, dated=False)

    def test_what_wsgidav_lists_in_its_page(self):
        if not importlib.util.find_spec("wsgidav"):
            self.skipTest("wsgidav can't be had here")
        files, port = self.fill(), free_port()
        self.run_server([sys.executable, "-c", "from wsgidav.server.server_cli import run; run()", "--host", "127.0.0.1", "--port", str(port), "--root",
                         self.path("www", ""), "--auth", "anonymous"], port)
        self.lists(f"http://127.0.0.1:{port}", files)

    def test_what_pythons_own_server_lists(self):
        files, port = self.fill(), free_port()
        self.run_server([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "-d", self.path("www", "")],
                        port)
        # It has hidden files, too, which no pattern wants.
        self.lists(f"http://127.0.0.1:{port}", files, dated=False)

    def test_what_apache_and_nginx_list(self):
        files = self.fill()
        self.lists(self.nginx("autoindex on;"), files)
        self.lists(self.nginx("autoindex on; autoindex_format json;"), files)
        if not shutil.which("apache2", path=os.environ["PATH"] + ":/usr/sbin"):
            self.skipTest("Apache can't be had here")
        for options in ("FancyIndexing NameWidth=*", "FancyIndexing HTMLTable IconsAreLinks NameWidth=10"):
            with self.subTest(options):
                self.lists(folders.Index.apache(self, options), files)

    def test_a_page_without_end_costs_no_time(self):
        pages = {"/a/": b"<title>Index of /</title>" + b"<a " * 200_000,
                 "/b/": b"<title>Index of /</title>" + b"<a href=x.mp4><!--" * 40_000,
                 "/c/": b"<title>Index of /</title>" + b"<script><a href='" * 40_000}
        server = Scripted(self, lambda r: r.reply(200, pages[r.path], Content_Type="text/html"))
        for path in pages:
            self.assertIn(self.provider().list({"endpoint": server.url + path})["ids"], ([], ["x.mp4"]))

    def test_a_server_in_trouble_is_no_folder_without_files(self):
        """What can't be seen whole isn't listed: neither a folder that fails nor one that isn't marked as such."""
        page = '<title>Index of /</title><a href="..">..</a><a href="Week">Week</a><a href="a.mp4">a</a>'

        def answer(request):
            if request.path == "/":
                request.reply(200, page, Content_Type="text/html")
            else:
                request.reply(503)

        server = Scripted(self, answer)
        self.refused(lambda: self.provider().list({"endpoint": server.url}), "unavailable")
        welcome = Scripted(self, lambda r: r.reply(200, '<a href="/">Home</a><a href="http://x/a.mp4">a</a>'
                                                   if r.path != "/" else page.replace("Week", "Week/"),
                                                   Content_Type="text/html"))
        self.refused(lambda: self.provider().list({"endpoint": welcome.url}), "unavailable")
