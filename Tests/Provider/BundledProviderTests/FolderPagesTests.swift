import Foundation
import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

/// Pages of folders, the dates in them, and what lies beside a video.
@Suite struct FolderPagesTests {
    @Test(
        "dates are read as each server writes them",
        arguments: [
            ("20-Nov-2026 23:00   1048576", "2026-11-20T23:00:00Z"), ("2026-11-20 23:00  1.2M", "2026-11-20T23:00:00Z"),
            ("2026-Nov-20 23:00:01 0.1K video/mp4", "2026-11-20T23:00:01Z"),
            ("   20Nov2026 23:00    33", "2026-11-20T23:00:00Z"),
            ("MP4-File 18 Bytes Fri, 20 Nov 2026 23:00:00 GMT", "2026-11-20T23:00:00Z"),
            ("2026-11-20 23:00:00.123456789 +0200 CEST", "2026-11-20T21:00:00Z"),
            ("2026-11-20 23:00:00 &#43;0000 UTC", "2026-11-20T23:00:00Z"),
            ("a 1-2-3 4:5 2026-02-31 10:00", nil), ("2026-11-20", nil), ("20 Nov 2026", nil), ("", nil), ("23:00", nil),
            ("2026-13-01 10:00", nil), ("99-Nov-2026 10:00", nil), ("18 B", nil),
        ] as [(String, String?)])
    func dates(_ text: String, _ date: String?) {
        #expect(ListedDate.date(in: HTMLStripper.unescaped(text)).map(Timestamp.text) == date)
    }

    @Test("a link has the text of its own row: neither the next link's, nor the page's end")
    func rows() {
        let page = """
            <h1>Index</h1><pre><a href="../">../</a>
            <a href="a.mp4">a</a>
            made 2026-11-20 10:00
            <A class=x HREF = b.mp4><b>b</b></A><td>  2026-11-21 10:00</td>
            </pre><ul><li><a href='c.mp4'>c</a></li>2026-11-22 10:00
            <li><a href="2026-11-23 10:00.mp4">2026-11-23 10:00.mp4</a></li></ul>
            <table><tr><td><a href="d.mp4">d</a></td><td data-order="5">
            5</td><td><time datetime=" 2026-11-24T10:00:00Z">11/24/2026</time></td></tr><tr><td>2026-11-25 10:00</td></tr>
            </table><!-- <a href="e.mp4"> --><script>'<a href="f.mp4">'</SCRIPT><a name="x">y</a><a href="g.mp4
            """
        let links = PageLinks(Array(page.utf8)).links
        #expect(
            links.map(\.reference) == ["../", "a.mp4", "b.mp4", "c.mp4", "2026-11-23 10:00.mp4", "d.mp4", "g.mp4\n"]
                || links.map(\.reference).dropLast() == [
                    "../", "a.mp4", "b.mp4", "c.mp4", "2026-11-23 10:00.mp4", "d.mp4",
                ])
        #expect(
            links.prefix(6).map { ListedDate.date(of: $0).map(Timestamp.text) } == [
                nil, nil, "2026-11-21T10:00:00Z", nil, nil, "2026-11-24T10:00:00Z",
            ])
        #expect(links.prefix(3).map { String(decoding: $0.label, as: UTF8.self) } == ["../", "a", " b "])
    }

    @Test("a page costs time by its length, whatever is in it", .timeLimit(.minutes(1)))
    func linear() {
        for piece in ["<a ", "<a href='", "<!--", "<script>", "<a href=x>", "<", "</a", "<a href=x><time datetime="] {
            let page = Array(String(repeating: piece, count: (1 << 20) / piece.utf8.count).utf8)
            #expect(PageLinks(page).links.count <= 500_000)
        }
    }

    @Test(
        "what has the name of a video belongs to it",
        arguments: [
            ("Lecture 1.pdf", true), ("Lecture 1.zip", true), ("Lecture 1.vtt", true), ("Lecture 1.de.vtt", true),
            ("Lecture 1.pt-BR.srt", true), ("Lecture 1.mp4", false), ("Lecture 1.webm", false),
            ("Lecture 10.pdf", false),
            ("Lecture 1.2 Sums.pdf", false), ("Lecture 1.2 Sums.vtt", false), ("lecture 1.pdf", false),
            ("Lecture.pdf", false),
        ])
    func beside(_ other: String, _ belongs: Bool) {
        #expect(BesideVideos.belongs(other, to: "Lecture 1.mp4") == belongs)
    }

    @Test("a folder is read once for all its videos, and one that can't be read has nothing beside them")
    func once() async throws {
        let beside = BesideVideos()
        let video = Resolution(url: "https://h/a.mp4")
        var reads = 0
        for _ in 0..<3 {
            let got = await beside.adding(
                to: video, at: ["w", "a.mp4"], of: "c",
                read: { folder throws(ProviderError) in
                    reads += 1
                    #expect(folder == ["w"])
                    return ["a.pdf", "a.en.vtt", "b.pdf"]
                }, address: { "https://h/" + $0.joined(separator: "/") })
            #expect(got.attachments == [.init(title: "PDF", url: "https://h/w/a.pdf")])
            #expect(got.subtitles == [.init(lang: "en", url: "https://h/w/a.en.vtt")])
        }
        #expect(reads == 1)
        let none = await beside.adding(
            to: video, at: ["v", "a.mp4"], of: "c",
            read: { _ throws(ProviderError) in throw ProviderError(.unavailable, "x") }, address: { _ in nil })
        #expect(none == video)
        // What a listing has seen needs no request.
        await beside.note([FolderFile(path: ["a.zip"])], of: "d")
        let listed = await beside.adding(
            to: video, at: ["a.mp4"], of: "d",
            read: { _ throws(ProviderError) in throw ProviderError(.unavailable, "x") },
            address: { "https://h/" + $0.joined() })
        #expect(listed.attachments == [.init(title: "ZIP", url: "https://h/a.zip")])
    }

    @Test("a bucket's name brings no host of its own to the keys")
    func bucket() {
        for (name, style) in [
            ("evil.example/", "virtual"), ("evil.example#", "virtual"), ("evil.example?x=", "virtual"),
            ("u@evil", "virtual"),
        ] {
            #expect(throws: ProviderError.self, "\(name)") {
                try S3Bucket(
                    ["endpoint": "https://s3.example", "bucket": .string(name), "style": .string(style)],
                    Secret(["hosts": ["https://s3.example": ["access_key": "k", "secret_key": "s"]]]), now: .now)
            }
        }
    }
}
