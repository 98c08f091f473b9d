import ProviderHTTP
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
        #expect(HTMLMedia.references(in: "<").isEmpty && HTMLMedia.references(in: "<a href=").isEmpty)
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
        "nothing else is",
        arguments: [
            "https://www.youtube.com/", "https://www.youtube.com/@channel", "https://www.youtube.com/playlist?list=PL1",
            "https://www.youtube.com/embed/videoseries?list=PL1", "https://vimeo.com/user1",
            "https://notyoutube.com/watch?v=dQw4w9WgXcQ",
            "https://www.example.org/youtube.com/watch?v=dQw4w9WgXcQ",
            "https://youtube.com.example.org/watch?v=dQw4w9WgXcQ",
        ])
    func left(address: String) throws { #expect(HandOver(try #require(WebAddress(address)))?.provider == nil) }
}
