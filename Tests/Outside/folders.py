"""The providers of folders (`index`, `webdav`) against nginx, Apache and wsgidav."""

import os
import sys
import urllib.parse
import urllib.request

import asking
from asking import CANARY, ODD, Case, Scripted

MODULES = "/usr/lib/apache2/modules"


def fetch(resolution):
    """What a host does with a resolution; returns the bytes."""
    request = urllib.request.Request(resolution["url"])
    if "token" in resolution:
        token = resolution["token"]
        request.add_header(token["name"], token["prefix"] + token["value"])
    with urllib.request.urlopen(request, timeout=20) as response:
        return response.read()


class Folders(Case):
    def fill(self, *place, end=b""):
        """A course in a folder; returns its files' contents by their paths. Text isn't a video, unless it has an `end`."""
        names = ["Lecture 10.mp4", "Lecture 2.mp4", "Week 1/b.webm", "Week 1/a.MP3", "Week 10/x.mp4", "Week 2/Part A/y.mkv"]
        names += [f"odd/{o}.mp4" for o in ODD] + [f"odd {ODD[n]}/v.mp4" for n in (1, 3, 4, 9)]
        files = {name: f"content of {name}".encode() + end for name in names}
        for name in [*files, "notes.pdf", ".hidden.mp4", "Week 1/readme.txt"]:
            self.write(files.get(name, b"other"), *place, name)
            os.utime(self.path(*place, name), (1794000000, 1794000000))
        return files

    def check(self, provider, where, files, **more):
        listing = provider.list(where, **more)
        self.assertEqual(sorted(listing["ids"]), sorted(files))
        self.assertEqual([v["id"] for v in listing["videos"]], ["Lecture 2.mp4", "Lecture 10.mp4"])
        self.assertEqual([v["title"] for v in listing["videos"]], ["Lecture 2", "Lecture 10"])
        titles = [c["title"] for c in listing["chapters"] if c["title"].startswith("Week")]
        self.assertEqual(titles, ["Week 1", "Week 2 / Part A", "Week 10"])
        for video in listing["all"]:
            got = provider.resolve(where, video, **more)
            self.assertEqual(fetch(got), files[video["id"]], video["id"])
            if "size" in video:
                self.assertEqual(video["size"], len(files[video["id"]]))
        self.assertTrue(provider.page(where, known=listing["known"], **more)["unchanged"])
        return listing


class Index(Folders):
    provider_name = "index"

    def test_what_nginx_lists(self):
        files = self.fill("www", "course")
        for more in ("", "autoindex_exact_size off; autoindex_localtime on;"):
            base = self.nginx(f"autoindex on; {more}")
            listing = self.check(self.provider(), {"endpoint": base + "/course/"}, files)
            self.assertEqual(listing["videos"][0]["published_at"], "2026-11-06T21:20:00Z")

    def test_what_nginx_lists_in_json(self):
        files = self.fill("www", "course")
        base = self.nginx("autoindex on; autoindex_format json;")
        listing = self.check(self.provider(), {"endpoint": base + "/course"}, files)
        self.assertEqual(listing["videos"][0], {"id": "Lecture 2.mp4", "title": "Lecture 2", "size": 24,
                                                "published_at": "2026-11-06T21:20:00Z"})

    def apache(self, options):
        port = asking.free_port()
        loads = "".join(f"LoadModule {m}_module {MODULES}/mod_{m}.so\n" for m in (
            "mpm_event", "authz_core", "autoindex", "dir", "alias", "mime", "unixd") if os.path.exists(f"{MODULES}/mod_{m}.so"))
        self.write(f"""ServerRoot {self.folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {self.folder}/apache-{port}.pid
ErrorLog {self.folder}/apache.error
DefaultRuntimeDir {self.folder}
Mutex posixsem
{loads}DocumentRoot {self.folder}/www
TypesConfig /etc/mime.types
Alias /icons/ {self.folder}/www/
<Directory {self.folder}/www>
Options +Indexes
Require all granted
IndexOptions {options}
AddIcon /icons/movie.gif .mp4
</Directory>
""", f"apache-{port}.conf")
        self.run_server([asking.which("apache2"), "-f", f"{self.folder}/apache-{port}.conf", "-DFOREGROUND"], port,
                        name=f"apache-{port}")
        return f"http://127.0.0.1:{port}"

    def test_what_apache_lists_in_each_of_its_forms(self):
        files = self.fill("www", "course")
        for options in ("None", "FancyIndexing NameWidth=10", "FancyIndexing HTMLTable VersionSort NameWidth=*",
                        "FancyIndexing HTMLTable XHTML IconsAreLinks SuppressColumnSorting", "FancyIndexing Charset=UTF-8"):
            with self.subTest(options):
                base = self.apache(options)
                listing = self.check(self.provider(), {"endpoint": base + "/course/"}, files)
                if "Fancy" in options:
                    self.assertEqual(listing["videos"][0]["published_at"][:10], "2026-11-06")

    def test_files_and_depth_choose(self):
        self.fill("www", "course")
        base = self.nginx("autoindex on;")
        where = {"endpoint": base + "/course/"}
        provider = self.provider()
        self.assertEqual(provider.list({**where, "depth": 0})["ids"], ["Lecture 2.mp4", "Lecture 10.mp4"])
        self.assertEqual(provider.list({**where, "files": "*.PDF"})["ids"], ["notes.pdf"])
        self.assertEqual(provider.list({**where, "depth": 1, "files": ["?.webm", "x*", "y*", "*re 1?.m*4"]})["ids"],
                         ["Lecture 10.mp4", "Week 1/b.webm", "Week 10/x.mp4"])

    def test_a_login_is_asked_for_and_used(self):
        files = self.fill("www", "course")
        self.password_file("anna", CANARY)
        base = self.nginx(f"autoindex on; auth_basic x; auth_basic_user_file {self.folder}/passwords;")
        where = {"endpoint": base + "/course/"}
        provider = self.provider()
        self.refused(lambda: provider.list(where), "auth_required")
        self.refused(lambda: provider.login(where, {"username": "anna", "password": "wrong"}), "auth_required")
        credentials = provider.login(where, {"username": "anna", "password": CANARY})
        self.check(provider, where, files, credentials=credentials)
        refused = {"previous": {"reason": "rejected", "status": 401, "bytes": 0}}
        self.assertIn("asks for a login", self.refused(lambda: provider.resolve(where, "v", **refused), "auth_required").message)
        self.assertIn("refuses this login", self.refused(
            lambda: provider.resolve(where, "v", credentials=credentials, **refused), "auth_required").message)

    def test_the_address_of_a_file_is_told_and_nothing_beneath_it_is_asked_for(self):
        rss = '<?xml version="1.0"?><rss version="2.0"><channel><title>F</title></channel></rss>'
        atom = '<?xml version="1.0"?><!-- x --><atom:feed xmlns:atom="http://www.w3.org/2005/Atom"></atom:feed>'
        files = {
            "/feed.xml": ("text/xml; charset=utf-8", rss), "/c/atom.xml": ("application/atom+xml", atom),
            "/list.xml": ("application/xml", "<list/>"), "/a.mp4": ("video/mp4", "x"), "/page.php": ("text/html", "<html>x</html>"),
            "/list.json": ("application/json", "[]"), "/feed": ("application/rss+xml", rss), "/blog/feed/": ("text/xml", rss)}

        def answer(r):
            kind, text = files.get(r.path, ("text/html", ""))
            body = "" if r.command == "HEAD" else text
            r.reply(200 if r.path in files else 404, body, length=len(text) if r.command == "HEAD" else None, Content_Type=kind)

        server = Scripted(self, answer)
        for path, isFeed, seen in (
            ("/feed.xml", True, ["HEAD /feed.xml", "GET /feed.xml"]), ("/c/atom.xml", True, ["HEAD /c/atom.xml", "GET /c/atom.xml"]),
            ("/list.xml", False, ["HEAD /list.xml", "GET /list.xml"]), ("/a.mp4", False, ["HEAD /a.mp4"]),
            # A page or a list may be a folder's.
            ("/page.php", False, ["HEAD /page.php", "GET /page.php/"]), ("/list.json", False, ["HEAD /list.json", "GET /list.json/"]),
            ("/feed", True, ["GET /feed/", "HEAD /feed", "GET /feed"]), ("/blog/feed/", True, ["GET /blog/feed/"]),
        ):
            with self.subTest(path):
                del server.seen[:]
                error = self.refused(lambda: self.provider().list({"endpoint": server.url + path}), "invalid_parameters")
                self.assertIn(f"at this address {server.host} has a {'feed' if isFeed else 'file'}, not a folder", error.message)
                self.assertEqual("provider: feed" in error.message, isFeed)
                self.assertEqual([f"{method} {path}" for method, path, _ in server.seen], seen)
        self.refused(lambda: self.provider().list({"endpoint": server.url + "/nothing.xml"}), "not_found")

    def test_a_folder_whose_name_looks_like_a_files_is_listed(self):
        page = '<title>Index of</title><a href="a.mp4">a</a>'

        def answer(r):
            if r.path in ("/v1.data", "/2026.1"):
                r.reply(301, Location=r.path + "/")
            elif r.path == "/no.head" and r.command == "HEAD":
                r.reply(405)
            else:
                r.reply(200, "" if r.command == "HEAD" else page, Content_Type="text/html")

        server = Scripted(self, answer)
        for path, requests in (("/v1.data", 3), ("/v1.data/", 1), ("/2026.1", 1), ("/Lectures", 1), ("/no.head", 2), ("/plain.dir", 2)):
            with self.subTest(path):
                del server.seen[:]
                self.assertEqual(self.provider().list({"endpoint": server.url + path})["ids"], ["a.mp4"])
                self.assertEqual(len(server.seen), requests, server.seen)

    def test_a_page_that_is_no_listing_is_told_and_links_elsewhere_are_ignored(self):
        pages = {
            "/": "<html><title>Welcome</title><p>Under construction",
            "/l/": """<title>Index of /l/</title><!-- <a href="no.txt"> --><a href='../up.mp4'>x</a><a href="/l/abs.mp4">x</a>
<A HREF=bare.mp4>x</A><a href="https://elsewhere.example/l/e.mp4">x</a><a href="//elsewhere.example/l/e.mp4">x</a>
<a href="?C=N;O=D">x</a><a href="s/t.mp4">x</a><a href="./dot.mp4">x</a><a name="n">x</a><a href="%2e%2e/">x</a>
<a href="%ff.mp4">x</a><a href="a%2fb.mp4">x</a><a href="javascript:x.mp4">x</a><a href="amp&amp;.mp4?v=1">x</a>
<a href="amp&amp;.mp4">x</a><a class=b title='>' href = "late.mp4"><a href="abs.mp4"><a""",
        }
        server = Scripted(self, lambda r: r.reply(200, pages.get(r.path, ""), Content_Type="text/html"))
        provider = self.provider()
        self.assertIn("no listing of a folder",
                      self.refused(lambda: provider.list({"endpoint": server.url}), "unavailable").message)
        listing = provider.list({"endpoint": server.url + "/l", "depth": 0})
        self.assertEqual(listing["ids"], ["abs.mp4", "amp&.mp4", "bare.mp4", "dot.mp4", "late.mp4"])
        for way in ("../x.mp4", "a/../../x.mp4", "/x.mp4", "a//b", "."):
            self.refused(lambda: provider.resolve({"endpoint": server.url + "/l"}, way), "not_found")


WSGIDAV = """
import sys
from cheroot import wsgi
from wsgidav.fs_dav_provider import FilesystemProvider
from wsgidav.wsgidav_app import WsgiDAVApp
port, folder, password, *mounts = sys.argv[1:]
users = {"*": True}
for mount in mounts:
    users[mount] = {"tok3nxyz": {"password": ""}, "anna": {"password": password}} if password != "-" else True
app = WsgiDAVApp({
    "provider_mapping": {m: FilesystemProvider(folder, readonly=True) for m in mounts}, "verbose": 1,
    "simple_dc": {"user_mapping": users}, "logging": {"enable_loggers": []}, "hotfixes": {"re_encode_path_info": True},
    "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False}})
server = wsgi.Server(("127.0.0.1", int(port)), app, numthreads=8)
server.start()
"""

NEXTCLOUD = """<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns">%s</d:multistatus>"""
ENTRY = """<d:response><d:href>%s</d:href><d:propstat><d:prop>%s<d:getetag>"%s"</d:getetag><oc:permissions>R</oc:permissions>
</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat><d:propstat><d:prop><d:getcontentlength/></d:prop>
<d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response>"""
COLLECTION = "<d:resourcetype><d:collection/></d:resourcetype>"


class WebDAV(Folders):
    provider_name = "webdav"

    def wsgidav(self, password, *mounts):
        port = asking.free_port()
        self.run_server([sys.executable, "-c", WSGIDAV, str(port), self.path("www", "course"), password, *mounts],
                        port, name=f"wsgidav-{port}")
        return f"http://127.0.0.1:{port}"

    def test_what_wsgidav_serves_with_a_login(self):
        files = self.fill("www", "course")
        base = self.wsgidav(CANARY, "/remote.php/dav/files/anna")
        where = {"endpoint": base + "/remote.php/dav/files/anna"}
        provider = self.provider()
        self.refused(lambda: provider.list(where), "auth_required")
        self.refused(lambda: provider.login(where, {"username": "anna", "password": "wrong"}), "auth_required")
        credentials = provider.login(where, {"username": "anna", "password": CANARY})
        listing = self.check(provider, where, files, credentials=credentials)
        self.assertEqual(listing["videos"][0], {"id": "Lecture 2.mp4", "title": "Lecture 2", "size": 24,
                                                "published_at": "2026-11-06T21:20:00Z"})
        week = provider.list({**where, "folder": "Week 1/"}, credentials=credentials)
        self.assertEqual(week["ids"], ["a.MP3", "b.webm"])
        self.refused(lambda: provider.list({**where, "folder": "../x"}, credentials=credentials), "invalid_parameters")
        self.refused(lambda: provider.list({**where, "folder": "missing"}, credentials=credentials), "not_found")
        self.refused(lambda: provider.list({**where, "folder": "Lecture 2.mp4"}, credentials=credentials), "invalid_parameters")

    def test_public_shares_at_either_address(self):
        files = self.fill("www", "course")
        for mount in ("/public.php/webdav", "/public.php/dav/files/tok3nxyz", "/cloud/public.php/webdav"):
            with self.subTest(mount):
                base = self.wsgidav("pw", mount)
                root = base + mount.split("/public.php")[0]
                self.check(self.provider(), {"endpoint": root + "/index.php/s/tok3nxyz"}, files)
                self.assertEqual(self.provider().resolve({"endpoint": root + "/s/tok3nxyz"}, "x y.mp4")["url"],
                                 f"{base}{mount}/x%20y.mp4")
                self.refused(lambda: self.provider().list({"endpoint": root + "/s/nobody"}))

    def test_what_nginx_serves(self):
        files = self.fill("www", "course")
        base = self.nginx("dav_ext_methods PROPFIND OPTIONS; dav_methods PUT;", modules=["ngx_http_dav_ext_module"])
        self.check(self.provider(), {"endpoint": base + "/course/"}, files)
        # Without the module there is no PROPFIND.
        plain = Scripted(self, lambda r: r.reply(405))
        error = self.refused(lambda: self.provider().list({"endpoint": plain.url}), "invalid_parameters")
        self.assertEqual(error.message, f"{plain.host} doesn't offer WebDAV at this address (405)")

    def test_an_unchanged_folder_of_nextcloud_costs_one_request(self):
        tags = {"root": "1", "deep": "1"}

        def answer(request):
            root = "/remote.php/dav/files/anna/c/"
            own = ENTRY % (request.path, COLLECTION, tags["root"] if request.path == root else tags["deep"])
            files = [] if request.headers["Depth"] == "0" else (
                [ENTRY % ("https://internal.example" + root + "a%20b/", COLLECTION, tags["deep"])] if request.path == root
                else [ENTRY % (root + "a b/v.mp4", "<d:resourcetype/><d:getcontentlength>5</d:getcontentlength>", tags["deep"])])
            request.reply(207, NEXTCLOUD % "".join([own, *files]), Content_Type="application/xml")

        server = Scripted(self, answer)
        where = {"endpoint": server.url + "/remote.php/dav/files/anna/c/"}
        provider = self.provider()
        listing = provider.list(where)
        self.assertEqual((listing["ids"], listing["all"][0]["size"]), (["a b/v.mp4"], 5))
        del server.seen[:]
        self.assertTrue(provider.page(where, known=listing["known"])["unchanged"])
        self.assertEqual(len(server.seen), 1)
        tags["root"] = "2"
        again = provider.page(where, known=listing["known"])
        self.assertTrue(again["unchanged"], "another ETag, and the same files")
        self.assertNotEqual(again["known"], listing["known"])
