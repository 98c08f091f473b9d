"""A stranger's list doesn't reach into a network that it doesn't come from."""

import media
from host import File
from wrong_file import Case


class StrangersList(Case):
    """The list comes from this machine: what isn't there stands for the network that it must not reach."""

    def feed(self, enclosure, image=None):
        cover = f'<itunes:image href="{image}"/>' if image else ""
        text = f'''<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>F</title>
<item><guid>one</guid><title>One</title>{cover}<enclosure url="{enclosure}" type="video/mp4" length="3000"/></item></channel></rss>'''
        return self.host.at("/feed.xml", lambda x: x.answer(200, text.encode(), content_type="application/rss+xml"))

    def sync(self, endpoint, provider="feed"):
        self.stage.write([{"id": "c", "title": "C", "provider": provider, "parameters": {"endpoint": endpoint}, "discover": True}])
        return self.stage.sync("--max-wait", "0")

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
