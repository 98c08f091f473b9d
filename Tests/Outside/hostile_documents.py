"""Documents that cost a provider its memory or its time, and feeds that are written without care."""

import gzip
import re
import time

import stage
from asking import Case, Scripted

BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ATTLIST x a CDATA "' + "A" * 60_000 + '">]><r>' + "<x/>" * 200_000 + "</r>"


def item(number, more=""):
    return (f'<item><guid>{number}</guid><title>T{number}</title>{more}'
            f'<enclosure url="/{number}.mp4" type="video/mp4"/></item>')


def feed(items, root='version="2.0"', title="T"):
    return f"<rss {root}><channel><title>{title}</title>{items}</channel></rss>"


class Documents(Case):
    def peak(self, provider):
        """The most memory that the process has had so far, in MiB."""
        with open(f"/proc/{provider.process.pid}/status") as status:
            return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) / 1024

    def serve(self, body, content_type="text/xml", **headers):
        return Scripted(self, lambda request: request.reply(200, body, Content_Type=content_type, **headers)).url

    def test_default_attributes_of_an_xml_document_cost_no_memory(self):
        url = self.serve(gzip.compress(BOMB.encode()), Content_Encoding="gzip")
        for name, more in [("feed", {}), ("webdav", {}), ("s3", {"bucket": "b"})]:
            provider = self.provider(name)
            refused = self.refused(lambda: provider.list({"endpoint": url + "/", **more}))
            self.assertIn("its DOCTYPE has declarations of its own", refused.message)
            self.assertLess(self.peak(provider), 64, name)

    def test_the_largest_document_costs_bounded_memory(self):
        # Compressed it is a few kilobytes.
        url = self.serve(gzip.compress(b"<r>" + b"<x/>" * ((16 << 20) // 4 - 10) + b"</r>"), Content_Encoding="gzip")
        provider = self.provider("feed")
        self.assertIn("too many elements", self.refused(lambda: provider.list({"endpoint": url})).message)
        self.assertLess(self.peak(provider), 400)

    def test_a_page_or_a_description_takes_time_by_its_length_only(self):
        start = time.monotonic()
        provider = self.provider("index")
        for piece in ("<a ", '<a href="', "<a href=x.mp4>"):
            url = self.serve("Index of /" + piece * ((1 << 20) // len(piece)), "text/html")
            try:
                provider.list({"endpoint": url + "/"})
            except AssertionError:
                raise
            except Exception:
                pass
        provider = self.provider("feed")
        for piece in ("&lt;a ", "&amp;", "&lt;!--"):
            body = feed(item(1, f"<description>{piece * ((1 << 20) // len(piece))}</description>"))
            self.assertEqual(provider.list({"endpoint": self.serve(body)})["ids"], ["1"])
        # Beside other tests it may wait; if the time grew with the square of the length, it would be hours.
        self.assertLess(time.monotonic() - start, 300)

    def test_feeds_are_read_as_they_are_written(self):
        episodes = item(1, "<pubDate>Sat, 21 Nov 2026 02:00:00 CEST</pubDate>")
        itunes = 'xmlns:itunes="https://www.itunes.com/DTDs/Podcast-1.0.dtd"'
        for what, body, content_type, title, mistakes in [
                ("a default namespace", feed(episodes, 'xmlns="http://backend.userland.com/rss2"'), "text/xml", "T", 0),
                ("a blank before it", " \n<?xml version='1.0'?>" + feed(episodes), "text/xml", "T", 1),
                ("text after it", feed(episodes) + "\n<!-- 0.2 s --> bye <br>", "text/xml", "T", 1),
                ("a bare ampersand", feed(episodes, title="Q & A"), "text/xml", "Q & A", 1),
                ("HTML's entities", feed(episodes, title="&Uuml;bung&nbsp;1"), "text/xml", "Übung\u00a01", 1),
                ("a charset of Content-Type", feed(episodes, title="Übung").encode("latin-1"),
                 "text/xml; charset=iso-8859-1", "Übung", 0)] + [
                (name, f"<?xml version='1.0' encoding='{name}'?>".encode() + feed(episodes, title=text).encode(codec),
                 "text/xml", text, 0)
                for name, codec, text in [("Shift_JIS", "shift_jis", "講義"), ("EUC-JP", "euc_jp", "講義"),
                                          ("GBK", "gbk", "讲义"), ("EUC-KR", "euc_kr", "강의")]]:
            provider = self.provider("feed")
            listing = provider.list({"endpoint": self.serve(body, content_type)})
            self.assertEqual((listing["ids"], listing["title"]), (["1"], title), what)
            self.assertEqual(listing["all"][0]["published_at"], "2026-11-21T00:00:00Z", what)
            told = [line["message"] for line in provider.log if line["level"] == "warning"]
            self.assertEqual(len(told), mistakes, (what, told))
        body = feed(item(1, "<itunes:season>3</itunes:season><itunes:duration>2:00</itunes:duration>"), itunes)
        listing = self.provider("feed").list({"endpoint": self.serve(body)})
        self.assertEqual((listing["chapters"][0]["title"], listing["all"][0]["duration"]), ("Season 3", 120))

    def test_older_pages_are_read_after_a_redirect_to_another_server(self):
        link = '<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="next" href="?page=2"/>'
        there = Scripted(self, lambda r: r.reply(200, feed(item(2) if "page" in r.path else link + item(1))))
        here = Scripted(self, lambda r: r.reply(301, Location=there.url + "/feed"))
        self.assertEqual(self.provider("feed").list({"endpoint": here.url + "/feed", "order": "feed"})["ids"], ["1", "2"])

    def test_a_feed_that_cannot_be_read_ends_with_its_own_sentence(self):
        scene = stage.Stage()
        self.addCleanup(scene.close)
        for body, content_type, words in [
                (feed(item(1))[:-20], "text/xml", "isn't XML"), ("<opml/>", "text/xml", "XML that is no feed"),
                ("<!DOCTYPE html><html><br></html>", "text/html", "answers with a web page")]:
            url = self.serve(body, content_type)
            scene.write([{"id": "f", "provider": "feed", "parameters": {"endpoint": url}, "discover": True}])
            run = scene.sync("--max-wait", "0", exit=1)
            self.assertIn(words, run.out + run.err)
