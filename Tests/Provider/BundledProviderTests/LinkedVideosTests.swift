import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

@Suite("videos that a course links to")
struct LinkedVideosTests {
    @Test("players, sources, embedded pages and links, each once, in their order")
    func references() {
        let html = """
            <p>a < b <!-- <a href="no"> --> <script>"<a href='no'>"</script>
            <VIDEO controls src="1.mp4?a=1&amp;b=2"><source type=x src='2.webm'><a href="1.mp4?a=1&amp;b=2">again</a></video>
            <iframe width=1 src=https://www.example.org/3 ></iframe><img src="4.png"><a name="x">no</a><a href="5
            """
        #expect(
            HTMLMedia.references(in: html) == ["1.mp4?a=1&b=2", "2.webm", "https://www.example.org/3", "5"])
        #expect(HTMLMedia.references(in: "") == [])
        #expect(HTMLMedia.references(in: "<").isEmpty && HTMLMedia.references(in: "<a href").isEmpty)
    }

    @Test(
        "a single video of a site is handed over",
        arguments: [
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://m.youtube.com/watch?list=a&v=dQw4w9WgXcQ&t=4",
            "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0", "https://youtu.be/dQw4w9WgXcQ?si=x",
            "https://www.youtube.com/shorts/dQw4w9WgXcQ", "https://vimeo.com/76979871",
            "https://player.vimeo.com/video/76979871?h=1",
        ])
    func handedOver(address: String) throws {
        let handed = try #require(WebAddress(address).flatMap { HandOver($0) })
        #expect(handed.provider == "yt-dlp" && handed.parameters == ["endpoint": .string(address)])
    }

    @Test(
        "a platform under any name is known by its player's addresses",
        arguments: [
            (
                "https://oc.example.org/play/2706c453-5372-41fa-ba55-83c48565a84d", "opencast",
                "2706c453-5372-41fa-ba55-83c48565a84d"
            ),
            ("https://oc.example.org/paella7/ui/watch.html?x=1&id=ID-strong-river", "opencast", "ID-strong-river"),
            (
                "https://oc.example.org/engage/theodul/ui/core.html?id=ID-strong-river&t=1", "opencast",
                "ID-strong-river"
            ),
            (
                "https://v.example.org/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d?title=0", "peertube",
                "9c9de5e8-0a1e-484a-b099-e80766180a6d"
            ),
            ("https://v.example.org/w/3fbif9S3WmtTP8gGsC5HBd", "peertube", "3fbif9S3WmtTP8gGsC5HBd"),
            (
                "https://b.example.org/playback/presentation/2.3/183f0bf3a0982a127bdb8161e0c44eb696b3e75c-1790000001000?t=1m",
                "bigbluebutton", "183f0bf3a0982a127bdb8161e0c44eb696b3e75c-1790000001000"
            ),
            (
                "https://p.example.org/Panopto/Pages/Embed.aspx?autoplay=1&id=3c5d1a52-6c1e-4d5b-9a54-0f8f3a7b1c20&v=1",
                "panopto", "3c5d1a52-6c1e-4d5b-9a54-0f8f3a7b1c20"
            ),
            (
                "https://k.example.org/p/1082342/sp/108234200/playManifest/entryId/1_lectur01/format/url/a.mp4",
                "kaltura", "1_lectur01"
            ),
            (
                "https://k.example.org/p/1082342/embedPlaykitJs/uiconf_id/7?iframeembed=true&entry_id=1_lectur01",
                "kaltura", "1_lectur01"
            ),
        ])
    func platforms(address: String, provider: String, id: String) throws {
        let handed = try #require(WebAddress(address).flatMap { HandOver($0) })
        #expect(handed.provider == provider && handed.id == id)
        let server = try #require(handed.parameters["endpoint"]?.string.flatMap(WebAddress.init))
        #expect(server.path == "/" && server.host.hasSuffix(".example.org"))
    }

    @Test(
        "nothing else is",
        arguments: [
            "https://www.youtube.com/", "https://www.youtube.com/@channel", "https://www.youtube.com/playlist?list=PL1",
            "https://www.youtube.com/embed/videoseries?list=PL1", "https://vimeo.com/user1",
            "https://notyoutube.com/watch?v=dQw4w9WgXcQ",
            "https://www.example.org/play/", "https://www.example.org/play/x", "https://www.example.org/w/short",
            "https://www.example.org/w/page-with-more-than-22-letters",
            "https://www.example.org/playback/presentation/2.3/", "https://www.example.org/videos/watch/1",
            "https://www.example.org/youtube.com/watch?v=dQw4w9WgXcQ",
            "https://youtube.com.example.org/watch?v=dQw4w9WgXcQ",
        ])
    func left(address: String) throws { #expect(HandOver(try #require(WebAddress(address)))?.provider == nil) }
}
