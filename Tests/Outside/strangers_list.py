"""A stranger's list doesn't reach into a network that it doesn't come from."""

import media
from host import File, Host
from wrong_file import Case


class Lists(Case):
    def text(self, enclosure, image=None):
        cover = f'<itunes:image href="{image}"/>' if image else ""
        return f'''<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>F</title>
<item><guid>one</guid><title>One</title>{cover}<enclosure url="{enclosure}" type="video/mp4" length="3000"/></item></channel></rss>'''.encode()

    def at(self, address, text):
        return self.host.at(address, lambda x: x.answer(200, text, content_type="application/rss+xml"))

    def feed(self, enclosure, image=None):
        return self.at("/feed.xml", self.text(enclosure, image))

    def sync(self, endpoint, provider="feed"):
        self.stage.write([{"id": "c", "title": "C", "provider": provider, "parameters": {"endpoint": endpoint}, "discover": True}])
        return self.stage.sync("--max-wait", "0")


class StrangersList(Lists):
    """The list comes from this machine: what isn't there stands for the network that it must not reach."""

    def test_what_a_feed_names_beyond_its_own_network_isnt_asked_for(self):
        for address in ("http://169.254.169.254/latest/meta-data", "http://10.1.2.3/a.mp4", "http://[fe80::1]/a.mp4",
                        "http://192.168.0.1/a.mp4", "http://2852039166/a.mp4"):
            with self.subTest(address):
                run = self.sync(self.feed(address, image=address + ".jpg"))
                self.assertEqual(run.exit, 1, run)
                self.assertIn("on this machine or in a private network", run.out + run.err)
                self.assertEqual(self.stage.files(), {})

    def test_a_redirect_of_what_a_feed_names_doesnt_lead_there_either(self):
        self.host.at("/a.mp4", lambda x: x.answer(302, location="http://169.254.169.254/latest/meta-data"))
        run = self.sync(self.feed(self.host.url("/a.mp4")))
        self.assertEqual(run.exit, 1, run)
        self.assertIn("on this machine or in a private network", run.out + run.err)
        self.assertEqual(self.stage.files(), {})

    def test_a_feed_of_this_machine_names_what_is_on_it(self):
        self.host.at("/a.mp4", File(media.mp4(1, 3000)))
        self.host.at("/b.mp4", lambda x: x.answer(302, location=self.host.url("/a.mp4")))
        for name in ("127.0.0.1", "localhost"):
            run = self.sync(self.feed(self.host.url("/b.mp4", name)).replace("127.0.0.1", name))
            self.assertEqual(run.exit, 0, run)

    def test_a_plugin_of_ones_own_names_what_it_likes(self):
        self.stage.urls({"a": "http://10.255.255.1:9/a.mp4"})
        self.stage.write({"c": ["a"]})
        run = self.stage.sync("--max-wait", "0", "--connect-timeout", "1")
        self.assertNotIn("private network", run.out + run.err)


class AskedByTheProvider(Lists):
    """The same for what a provider of ours asks for itself."""

    NEAR = ("http://169.254.169.254/latest/meta-data", "http://10.1.2.3/", "http://[fe80::1]/", "http://2852039166/")

    def refused(self, run, *hosts):
        self.assertNotEqual(run.exit, 0, run)
        self.assertIn("on this machine or in a private network", run.out + run.err)
        self.assertEqual(self.stage.files(), {})
        for host in hosts:
            self.assertEqual(host.asked(), [])

    def test_a_feed_or_a_folder_doesnt_redirect_its_reader_there(self):
        for provider, address in zip(("feed", "index", "webdav", "feed"), self.NEAR):
            with self.subTest(provider, address=address):
                endpoint = self.host.at("/list/", lambda x: x.answer(302, location=address))
                self.refused(self.sync(endpoint, provider))

    def test_nor_does_a_folder_in_it_or_an_older_page(self):
        page = b'<html><body><a href="../">../</a> <a href="sub/">sub/</a></body></html>'
        self.host.at("/list/", lambda x: x.answer(200, page, content_type="text/html"))
        self.host.at("/list/sub/", lambda x: x.answer(302, location="http://10.1.2.3/"))
        self.refused(self.sync(self.host.url("/list/"), "index"))
        feed = f'''<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>F</title>
<atom:link rel="next" href="{self.host.url("/older.xml")}"/></channel></rss>'''
        self.host.at("/older.xml", lambda x: x.answer(302, location="http://10.1.2.3/"))
        self.refused(self.sync(self.at("/feed.xml", feed.encode())))

    def through_proxy(self, endpoint):
        self.stage.variables.update(http_proxy=self.host.url(""), no_proxy="none.invalid", NO_PROXY="none.invalid")
        return self.sync(endpoint)

    def test_behind_a_proxy_a_public_feed_leads_neither_itself_nor_its_media_to_this_machine(self):
        secret = Host()
        self.addCleanup(secret.close)
        secret.at("/a.mp4", File(media.mp4(1, 3000)))
        for name in ("127.0.0.1", "localhost", "2130706433"):
            with self.subTest(name):
                there = secret.url("/a.mp4", name)
                self.host.at("http://feeds.example/feed.xml", lambda x: x.answer(302, location=there))
                self.refused(self.through_proxy("http://feeds.example/feed.xml"), secret)
                self.at("http://feeds.example/feed.xml", self.text(there))
                self.refused(self.through_proxy("http://feeds.example/feed.xml"), secret)
        self.assertEqual([r for r in self.host.asked() if "feeds.example" not in r.path], [])

    def test_the_proxy_itself_may_be_on_this_machine(self):
        self.host.at("http://media.example/a.mp4", File(media.mp4(1, 3000)))
        self.at("http://feeds.example/feed.xml", self.text("http://media.example/a.mp4"))
        run = self.through_proxy("http://feeds.example/feed.xml")
        self.assertEqual(run.exit, 0, run)
        self.assertEqual(len(self.stage.files()), 1)
