"""What the providers that ask a server say when it is stopped, slow, or answers something else than they want."""

import socket
import time

import asking
from asking import CANARY, Case, Scripted

HTML = "<!DOCTYPE html><html><head><title>Hotel Wi-Fi</title></head><body>Welcome, please log in</body></html>"
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><item><guid>1</guid>
<enclosure url="http://media.example.org/1.mp4" type="video/mp4"/></item></channel></rss>"""
INDEX = '<html><head><title>Index of /c/</title></head><body><a href="a.mp4">a.mp4</a><a href="b.mp4">b.mp4</a></body></html>'
DAV = """<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/c/</d:href><d:propstat><d:prop>
<d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
</d:multistatus>"""
S3 = """<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a.mp4</Key><Size>1</Size>
</Contents></ListBucketResult>"""
GOOD = {"feed": FEED, "index": INDEX, "webdav": DAV, "s3": S3}
TYPES = {"index": "text/html"}

# A feed that can't be read stays so; of other servers another answer may come.
UNREADABLE = {**dict.fromkeys(GOOD, "unavailable"), "feed": "invalid_parameters"}


class Trouble(Case):
    def where(self, name, url):
        return {"endpoint": url + ("" if name == "s3" else f"/c/?token={CANARY}" if name == "feed" else "/c/"),
                **({"bucket": "lectures"} if name == "s3" else {})}

    def ask_each(self, answer, kind, said, **data):
        """Each provider of a server that answers so; `said` is the message, or has one for each provider."""
        server = Scripted(self, answer)
        for name in GOOD:
            with self.subTest(name):
                wanted_kind = kind.get(name, "forbidden") if isinstance(kind, dict) else kind
                error = self.refused(lambda: self.provider(name).list(self.where(name, server.url)), wanted_kind)
                wanted = said[name] if isinstance(said, dict) else said
                self.assertEqual(error.message, wanted.replace("HOST", server.host))
                for key, value in data.items():
                    self.assertEqual(error.data.get(key), value)

    def test_a_good_answer_is_good(self):
        for name, body in GOOD.items():
            server = Scripted(self, lambda r: r.reply(207 if name == "webdav" else 200, body, Content_Type=TYPES.get(
                name, "application/xml")))
            self.provider(name).list(self.where(name, server.url))

    def test_a_stopped_server(self):
        for name in GOOD:
            error = self.refused(lambda: self.provider(name).list(self.where(name, "http://127.0.0.1:1")), "unavailable")
            self.assertEqual(error.message, "can't connect to 127.0.0.1:1")
            error = self.refused(lambda: self.provider(name).list(self.where(name, "http://nowhere.invalid")), "unavailable")
            self.assertEqual(error.message, "can't find nowhere.invalid")

    def test_statuses(self):
        for status, kind, said in (
                (500, "unavailable", "HOST answers 500"),
                # Without keys, a bucket that isn't everybody's wants some.
                (403, {"s3": "auth_required"}, {
                    **dict.fromkeys(GOOD, "HOST refuses access (403)"),
                    "s3": "HOST doesn't let everybody read this bucket: log in"}),
                (401, "auth_required", "HOST asks for a login (401)"),
                (404, "not_found", "HOST has nothing at this address (404)"),
                (410, "gone", "HOST has removed what was at this address (410)"),
                (451, "geo_blocked", "HOST doesn't offer this here (451)")):
            self.ask_each(lambda r: r.reply(status, HTML, Content_Type="text/html"), kind, said)

    def test_too_many_requests(self):
        self.ask_each(lambda r: r.reply(429, "", Retry_After="77"), "rate_limited", "HOST asks for fewer requests (429)",
                      retry_after=77)
        then = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(1800000090))
        self.ask_each(lambda r: r.reply(503, "", Retry_After=then, Date="Fri, 15 Jan 2027 08:00:00 GMT"), "unavailable",
                      "HOST answers 503")

    def test_a_web_page(self):
        page = "HOST answers with a web page where XML was expected"
        self.ask_each(lambda r: r.reply(200, HTML, Content_Type="text/html"), UNREADABLE, {
            "feed": page, "webdav": page, "s3": page, "index": "HOST answers with a page that is no listing of a folder"})

    def test_half_a_body(self):
        for name, body in GOOD.items():
            self.ask_one_half(name, lambda r: r.reply(200, body[:len(body) // 2], len(body), Content_Type=TYPES.get(
                name, "application/xml")), "the answer of HOST ends in the middle")
        for name in ("feed", "webdav", "s3"):
            body = GOOD[name]
            lines = body[:len(body) // 2].count("\n") + 1
            # Its length is right, and its text isn't.
            self.ask_one_half(name, lambda r: r.reply(200, body[:len(body) // 2], Content_Type="application/xml"),
                              f"the answer of HOST isn't XML: unclosed token, line {lines}",
                              f"the answer of HOST isn't XML: no element found, line {lines}", kind=UNREADABLE[name])

    def ask_one_half(self, name, answer, *said, kind="unavailable"):
        server = Scripted(self, answer)
        error = self.refused(lambda: self.provider(name).list(self.where(name, server.url)), kind)
        self.assertIn(error.message, [s.replace("HOST", server.host) for s in said], name)

    def test_something_else(self):
        self.ask_each(lambda r: r.reply(200, "<?xml version='1.0'?><other/>", Content_Type="application/xml"), UNREADABLE, {
            "feed": "HOST answers with XML that is no feed", "webdav": "HOST answers with XML that isn't WebDAV's",
            "s3": "HOST answers with XML that is no list of objects",
            "index": "HOST answers with a page that is no listing of a folder"})
        self.ask_each(lambda r: r.reply(302, "", Location=f"{r.path.split('?')[0]}?again={CANARY}"), "unavailable",
                      "HOST redirects more than 5 times")

    def test_a_slow_server(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        start = time.monotonic()
        providers = {name: self.provider(name) for name in GOOD}
        for name, provider in providers.items():
            # All are asked before the first answer is waited for.
            provider.send("list", {"course": {"id": "c", "title": "C", "parameters": self.where(name, url)},
                                   "cursor": None, "known": None})
        for provider in providers.values():
            error = self.refused(provider.answer, "unavailable")
            self.assertEqual(error.message, f"{url[7:]} doesn't answer within 25 s")
        self.assertLess(time.monotonic() - start, 29)

    def test_rclone_and_its_storage(self):
        for answer, kind, said in (
                (lambda r: r.reply(500), "unavailable",
                 "rclone can't list the folder (it ends with 1); to see why: rclone lsf 'cloud:'"),
                (lambda r: r.reply(429, Retry_After="7"), "rate_limited",
                 "the storage 'cloud' asks rclone for fewer requests"),
                (lambda r: r.reply(401), "auth_required",
                 "the storage 'cloud' refuses rclone's login: rclone config reconnect 'cloud:'"),
                (lambda r: r.reply(403), "forbidden", "the storage 'cloud' refuses rclone access to the folder"),
                (lambda r: r.reply(404), "not_found", "rclone finds no such folder in 'cloud'"),
                (lambda r: r.reply(207, DAV[:150], len(DAV), Content_Type="application/xml"), "unavailable",
                 "rclone can't list the folder (it ends with 1); to see why: rclone lsf 'cloud:'"),
                (None, "unavailable", "rclone can't reach the storage 'cloud'")):
            url = Scripted(self, answer).url if answer else "http://127.0.0.1:1"
            file = self.write(f"[cloud]\ntype = webdav\nurl = {url}/{CANARY}\nvendor = other\n", "rclone.conf")
            provider = self.provider("rclone", {"RCLONE_CONFIG": file})
            self.assertEqual(self.refused(lambda: provider.list({"remote": "cloud:x"}), kind).message, said)
