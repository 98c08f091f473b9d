"""The providers of learning platforms, all in one table: each through a proxy that makes trouble, and all in one catalog."""

import collections
import http.client
import http.server
import json
import socket
import threading

import kolibri_host
import media
import stage
from archive_host import Archive
from asking import CANARY, Case
from baijiayun_host import BaijiaYun
from bigbluebutton_host import BigBlueButton
from canvas_host import Canvas
from ilias_host import Ilias
from kaltura_host import Kaltura
from moodle_host import Moodle
from opencast_host import Opencast
from openedx_host import OpenEdX
from panopto_host import Panopto
from peertube_host import PeerTube

# What to ask: parameters and credentials; how to log in in a sync, or nil; how many videos there are.
Host = collections.namedtuple("Host", "parameters credentials secrets count")
# The parameters that are about a host, and not about a course.
SITE = ("endpoint", "partner", "session")
HOTEL = "<!DOCTYPE html><html><head><title>Hotel Wi-Fi</title></head><body>Welcome</body></html>"
LOGIN = '<!DOCTYPE html><html><body><form><input name="user"><input type="password" name="p"></form></body></html>'


class Proxy(http.server.ThreadingHTTPServer):
    """Passes requests on, unless `trouble`, a function of the handler, answers them."""

    daemon_threads = True

    def __init__(self, case):
        super().__init__(("127.0.0.1", 0), Passing)
        self.target, self.trouble, self.count, self.connections = None, None, 0, []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        case.addCleanup(self.stop)

    def stop(self):
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            hang_up(connection)

    def handle_error(self, request, client_address):
        pass


def hang_up(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.server.connections.append(self.connection)

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.count += 1
        if self.server.trouble:
            return self.server.trouble(self)
        connection = http.client.HTTPConnection(self.server.target, timeout=30)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("connection", "content-length")}
        connection.request(self.command, self.path, body, headers)
        answer = connection.getresponse()
        self.reply(answer.status, answer.read(), headers=[h for h in answer.getheaders() if h[0].lower() not in (
            "content-length", "transfer-encoding", "connection")])
        connection.close()
        return None

    do_GET = do_POST = do_HEAD = do

    def reply(self, status, body="", length=None, headers=()):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        if length is not None:
            self.close_connection = True

    def log_message(self, *_):
        pass


JSON, HTML = [("Content-Type", "application/json")], [("Content-Type", "text/html")]
# What a host does, what its provider says of it, and after how many seconds it may be asked again.
TROUBLES = {
    "500": (lambda h: h.reply(500, HOTEL, headers=HTML), "unavailable", None),
    "503": (lambda h: h.reply(503, HOTEL, headers=[*HTML, ("Retry-After", "77")]), "unavailable", 77),
    "429": (lambda h: h.reply(429, "", headers=[("Retry-After", "78")]), "rate_limited", 78),
    "401": (lambda h: h.reply(401, "", headers=[("WWW-Authenticate", "Basic")]), "auth_required", None),
    "a page": (lambda h: h.reply(200, HOTEL, headers=HTML), "unavailable", None),
    "a page to log in at": (lambda h: h.reply(200, LOGIN, headers=HTML), "auth_required", None),
    "half a body": (lambda h: h.reply(200, '{"a": [', 1000, headers=JSON), "unavailable", None),
    "broken JSON": (lambda h: h.reply(200, '{"a": [', headers=JSON), "unavailable", None),
    "other JSON": (lambda h: h.reply(200, '{"hello": "world"}', headers=JSON), "unavailable", None),
    "a text": (lambda h: h.reply(200, '"hello"', headers=JSON), "unavailable", None),
    "nothing": (lambda h: h.reply(200, "", headers=JSON), "unavailable", None),
    "no answer": (lambda h: hang_up(h.connection), "unavailable", None),
}


def moodle(case, proxy):
    site = Moodle(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url + "/moodle"
    site.user("anna", CANARY)
    course = site.course(42, "Optics", "opt", users=["anna"])
    for week in range(5):
        section = course.section(f"Week {week}")
        for number in range(20):
            section.resource(f"Lecture {week}.{number}", f"l{week}-{number}.mp4", media.mp4(f"moodle {week} {number}", 2000))
    login = {"hosts": {proxy.url: {"token": site.token_of("anna"), "user": str(site.people["anna"][0])}}}
    return Host({"endpoint": site.base, "course": 42}, login, {"username": "anna", "password": CANARY}, 100)


def kolibri(case, proxy):
    units = [kolibri_host.topic(f"Unit {u}", *[kolibri_host.video(f"Lesson {u}.{n}") for n in range(20)]) for u in range(5)]
    server = kolibri_host.KolibriServer(case, kolibri_host.topic("Physics", *units))
    proxy.target = server.url.split("/")[2]
    return Host({"endpoint": proxy.url, "channel": server.ids["channel Physics"]}, None, None, 100)


def peertube(case, proxy):
    site = PeerTube(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url
    site.user("anna", CANARY)
    channel = site.channel("optics", "Optics", "anna")
    for number in range(20):
        site.video(channel, f"Talk {number}", web={720: media.mp4(f"peertube {number}", 2000)})
    return Host({"endpoint": proxy.url, "channel": "optics"}, None, {"username": "anna", "password": CANARY}, 20)


def bigbluebutton(case, proxy):
    host = BigBlueButton(case, secret=CANARY)
    proxy.target, host.base = host.base.split("/")[2], proxy.url
    for number in range(20):
        recording = host.recording("physics", f"Lecture {number}", start=1790000000000 + number * 1000)
        recording.presentation(webcams={"webm": media.webm(f"bbb {number}", 2000)})
    login = {"hosts": {proxy.url: {"secret": CANARY, "algorithm": "sha256"}}}
    return Host({"endpoint": proxy.url, "meeting": "physics"}, login, {"secret": CANARY}, 20)


def opencast(case, proxy):
    server = Opencast(case)
    proxy.target, server.base = server.base.split("/")[2], proxy.url
    server.user("anna", CANARY)
    series = server.series("Optics")
    for number in range(20):
        event = series.event(f"Lecture {number}", start=1790000000 + number)
        event.track("presenter/delivery", media.mp4(f"opencast {number}", 2000))
    return Host({"endpoint": proxy.url, "series": series.id}, None, {"username": "anna", "password": CANARY}, 20)


def internet_archive(case, proxy):
    site = Archive(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url
    site.collection("optics", "Optics")
    for number in range(20):
        item = site.item(f"optics-{number:02}", f"Film {number}", collection=["optics"], publicdate=f"2019-03-01 10:00:{number:02}")
        item.video("film.mp4", media.mp4(f"archive {number}", 2000))
    return Host({"endpoint": proxy.url, "collection": "optics"}, None, None, 20)


def kaltura(case, proxy):
    site = Kaltura(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url
    site.secret = site.admin_secret = CANARY
    site.category(7, "Optics")
    for number in range(20):
        site.entry(f"Lecture {number}", categories=[7]).flavor(media.mp4(f"kaltura {number}", 2000))
    login = {"hosts": {proxy.url: {"accounts": {str(site.partner): {"secret": CANARY}}}}}
    return Host({"endpoint": proxy.url, "partner": site.partner, "category": 7, "session": "secret"}, login, {"secret": CANARY}, 20)


def openedx(case, proxy):
    site = OpenEdX(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url
    site.user("anna", CANARY)
    course = site.course("course-v1:Uni+OPT1+2026", "Optics", users=["anna"])
    for section in range(2):
        unit = course.chapter(f"Section {section}").sequential("Lectures").vertical("Unit")
        for number in range(10):
            unit.video(f"Lecture {section}.{number}", {"mobile_low": media.mp4(f"openedx {section} {number}", 2000)})
    access, refresh = site.issue("anna")
    login = {"hosts": {proxy.url: {"access_token": access, "refresh_token": refresh, "token_type": "JWT", "user": "anna"}}}
    return Host({"endpoint": proxy.url, "course": course.key}, login, {"username": "anna", "password": CANARY}, 20)


def panopto(case, proxy):
    site = Panopto(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url
    site.person("anna", CANARY)
    id, secret = site.client()
    folder = site.folder("Optics", users=["anna"])
    for number in range(20):
        folder.video(f"Lecture {number}", media.mp4(f"panopto {number}", 2000), started=1790000000 + number)
    login = {"client_id": id, "client_secret": secret, "access_token": site.ticket("access", "anna"),
             "refresh_token": site.ticket("refresh", "anna", client=id, scope="api offline_access")}
    return Host({"endpoint": proxy.url, "folder": folder.id}, {"hosts": {proxy.url: login}},
                {"client_id": id, "client_secret": secret, "username": "anna", "password": CANARY}, 20)


def canvas(case, proxy):
    site = Canvas(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url
    token = site.user("anna")
    course = site.course("Optics", ["anna"])
    for week in range(5):
        module = course.module(f"Week {week}")
        for number in range(10):
            name = f"Lecture {week}.{number}"
            module.file(course.file(f"{name}.mp4", media.mp4(name, 2000)))
    login = {"hosts": {proxy.url: {"access_token": token}}}
    return Host({"endpoint": proxy.url, "course": course.id}, login, {"token": token}, 50)


def baijiayun(case, proxy):
    yun = BaijiaYun(case, partner_key=CANARY)
    # Both the program, whose clock is the real one, and requests of another time are signed.
    yun.timestamp_window = 1 << 40
    proxy.target, yun.base = yun.base.split("/")[2], proxy.url
    category = yun.category("Optics")
    for number in range(20):
        yun.video(f"Lecture {number}", {"720p": media.mp4(f"baijiayun {number}", 2000)}, category=category)
    login = {"partner_id": str(yun.partner_id), "partner_key": CANARY}
    return Host({"endpoint": proxy.url, "category": category}, {"hosts": {proxy.url: login}}, login, 20)


def ilias(case, proxy):
    site = Ilias(case)
    proxy.target, site.base = site.base.split("/")[2], proxy.url + site.path
    site.user("anna")
    course = site.course("Optics", ["anna"])
    # A file's address needs no request; that of a video on a page does.
    course.video("Lecture 0", "l0.mp4", media.mp4("ilias 0", 2000))
    for number in range(1, 20):
        course.file(f"Lecture {number}", f"l{number}.mp4", media.mp4(f"ilias {number}", 2000))
    names = {"PHPSESSID": CANARY, "ilClientId": site.client}
    site.sessions[CANARY] = ("anna", True)
    secrets = {"session": "".join(f"127.0.0.1\tFALSE\t/\tFALSE\t0\t{n}\t{v}\n" for n, v in names.items())}
    return Host({"endpoint": site.base, "course": course.ref}, {"hosts": {proxy.url: secrets}}, secrets, 20)


STARTS = {"moodle": moodle, "kolibri": kolibri, "bigbluebutton": bigbluebutton, "opencast": opencast, "peertube": peertube,
          "internet-archive": internet_archive, "kaltura": kaltura,
          "openedx": openedx, "panopto": panopto, "canvas": canvas, "baijiayun": baijiayun, "ilias": ilias}


class Platforms(Case):
    def check(self, name):
        proxy = Proxy(self)
        host = STARTS[name](self, proxy)
        provider = self.provider(name)
        listing = provider.list(host.parameters, credentials=host.credentials)
        self.assertEqual((len(listing["ids"]), len(set(listing["ids"]))), (host.count, host.count))
        asks = {"list": lambda: provider.list(host.parameters, credentials=host.credentials),
                "resolve": lambda: provider.resolve(host.parameters, listing["all"][0], credentials=host.credentials)}
        # An odd answer is no user without courses. PeerTube and the archive want a login, BigBlueButton has none.
        if name not in ("bigbluebutton", "peertube", "internet-archive"):
            site = {n: host.parameters[n] for n in SITE if n in host.parameters}
            asks["courses"] = lambda: provider.ask("courses", {"parameters": site, "cursor": None}, credentials=host.credentials)
            self.assertEqual(len(asks["courses"]()["courses"]), 1)
        for trouble, (answer, kind, after) in TROUBLES.items():
            for method, ask in asks.items():
                with self.subTest(f"{trouble}: {method}"):
                    proxy.trouble = answer
                    error = self.refused(ask, kind)
                    self.assertIn(proxy.url[7:], error.message)
                    self.assertEqual(error.data.get("retry_after"), after)
                    if kind in ("auth_required", "rate_limited"):
                        self.assertEqual(error.data.get("server"), proxy.url)
        proxy.trouble = None
        self.assertEqual(provider.list(host.parameters, credentials=host.credentials)["ids"], listing["ids"])
        proxy.stop()
        for ask in asks.values():
            self.assertEqual(self.refused(ask, "unavailable").message, f"can't connect to {proxy.url[7:]}")

    def test_moodle_in_trouble(self):
        self.check("moodle")

    def test_kolibri_in_trouble(self):
        self.check("kolibri")

    def test_bigbluebutton_in_trouble(self):
        self.check("bigbluebutton")

    def test_opencast_in_trouble(self):
        self.check("opencast")

    def test_peertube_in_trouble(self):
        self.check("peertube")

    def test_internet_archive_in_trouble(self):
        self.check("internet-archive")

    def test_kaltura_in_trouble(self):
        self.check("kaltura")

    def test_openedx_in_trouble(self):
        self.check("openedx")

    def test_panopto_in_trouble(self):
        self.check("panopto")

    def test_canvas_in_trouble(self):
        self.check("canvas")

    def test_baijiayun_in_trouble(self):
        self.check("baijiayun")

    def test_ilias_in_trouble(self):
        self.check("ilias")

    def test_all_in_one_catalog_and_the_trouble_of_one_costs_no_other(self):
        scene = stage.Stage()
        self.addCleanup(scene.close)
        proxies = {name: Proxy(self) for name in STARTS}
        hosts = {name: start(self, proxies[name]) for name, start in STARTS.items()}
        scene.write([{"id": name, "provider": name, "parameters": host.parameters, "discover": True} for name, host in hosts.items()])
        for name, host in hosts.items():
            if host.secrets:
                self.log_in(scene, name, host)
        troubled = {"moodle": "500", "peertube": "a page"}
        for name, trouble in troubled.items():
            proxies[name].trouble = TROUBLES[trouble][0]
        run = scene.sync("--max-wait", "0")
        self.assertEqual(run.of("sync_finished")[0]["courses_unlisted"], 2, run)
        for name in troubled:
            warned = [w["message"] for w in run.of("warning") if name in w["message"] and proxies[name].url[7:] in w["message"]]
            self.assertEqual(len(warned), 1, run)
            proxies[name].trouble = None
        self.assertEqual(self.videos(scene), sum(host.count for name, host in hosts.items() if name not in troubled), run)
        last = scene.sync(exit=0)
        self.assertEqual(self.videos(scene), sum(host.count for host in hosts.values()), last)
        before = {name: proxy.count for name, proxy in proxies.items()}
        second = scene.sync(exit=0)
        self.assertEqual((second.of("download_started"), second.of("course_listed")), ([], []), second)
        asked = {name: proxy.count - before[name] for name, proxy in proxies.items()}
        # Canvas has the course, its modules, its files and its media objects at four addresses.
        self.assertTrue(all(count <= (4 if name == "canvas" else 3) for name, count in asked.items()), asked)

    test_all_in_one_catalog_and_the_trouble_of_one_costs_no_other.seconds = 300

    def videos(self, scene):
        return len([path for path in scene.files() if not path.endswith(".jpg")])

    def log_in(self, scene, name, host):
        file = scene.folder / "secrets.json"
        file.write_text(json.dumps(host.secrets))
        file.chmod(0o600)
        site = [w for n in SITE if n in host.parameters for w in ("--set", f"{n}={host.parameters[n]}")]
        run = scene.command("login", "--provider", name, "--secrets-from", file, *site)
        self.assertEqual(run.exit, 0, run)
