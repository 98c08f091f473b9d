import Testing

@testable import MediaLibrary

@Suite("file extensions")
struct FileExtensionTests {
    struct Case: Sendable {
        var purpose = FileExtension.Purpose.video
        var stated: String?
        var mediaType: String?
        var contentType: String?
        var url: String?
        var result: String
    }

    @Test(
        "the first source of information decides",
        arguments: [
            Case(stated: "webm", mediaType: "video/mp4", contentType: "video/ogg", url: "/a.mkv", result: "webm"),
            Case(mediaType: "video/mp4", contentType: "video/ogg", url: "/a.mkv", result: "mp4"),
            Case(contentType: "Video/OGG; codecs=theora", url: "/a.mkv", result: "ogv"),
            Case(contentType: "application/octet-stream", url: "https://h/a.MKV?x=y.exe#z", result: "mkv"),
            Case(contentType: "text/html", url: "https://h/watch.php", result: "mp4"),
            Case(url: "https://example.com", result: "mp4"), Case(url: "https://h/a.tar/b", result: "mp4"),
            Case(url: "/.mp4", result: "mp4"), Case(result: "mp4"),
            Case(stated: "exe", mediaType: "video/webm", result: "webm"),
            Case(stated: "../../x", url: "/a.mov", result: "mov"), Case(stated: "mp4\0", url: "/a.mov", result: "mov"),
            Case(stated: ".MP3", result: "mp3"), Case(stated: "ninechars", result: "mp4"),
            Case(stated: "part", result: "mp4"), Case(stated: "", contentType: "audio/mp4", result: "m4a"),
            Case(stated: "ｍｐ４", contentType: "audio/mpeg", result: "mp3"),
            Case(mediaType: "audio/x-mpeg", url: "https://h/get", result: "mp3"),
            Case(mediaType: "audio/x-m4b", result: "m4b"),
            Case(purpose: .cover, stated: "mp4", contentType: "image/png", result: "png"),
            Case(purpose: .cover, contentType: "image/svg+xml", url: "/x.svg", result: "jpg"),
            Case(purpose: .cover, url: "/x.webp?y", result: "webp"),
            Case(purpose: .attachment, contentType: "application/pdf", url: "/x.zip", result: "pdf"),
            Case(purpose: .attachment, contentType: "application/octet-stream", url: "/x.ipynb", result: "ipynb"),
            Case(purpose: .attachment, contentType: "text/plain", url: "https://h/s.pptx", result: "pptx"),
            Case(purpose: .attachment, contentType: "text/plain", url: "https://h/s.php", result: "txt"),
            Case(purpose: .attachment, mediaType: "text/plain", url: "https://h/s.pdf", result: "txt"),
            Case(purpose: .attachment, url: "/setup.exe", result: "bin"),
            Case(purpose: .attachment, contentType: "text/html", url: "/x.html", result: "bin"),
        ])
    func choice(_ one: Case) {
        let chosen = FileExtension.choose(
            one.purpose, stated: one.stated, mediaType: one.mediaType, contentType: one.contentType, url: one.url)
        #expect(chosen.text == one.result)
    }

    @Test("a document of pages, an archive, a picture and media are never HTML, XML or JSON")
    func excludesMarkup() {
        for url in ["https://h/a.PDF?x=1", "https://h/a.zip", "https://h/a.png", "https://h/a.webm"] {
            #expect(FileExtension.excludesMarkup(mediaType: nil, url: url))
        }
        for url in [
            "https://h/a.json", "https://h/a.ipynb", "https://h/a.svg", "https://h/get?file=a.pdf", "https://h/",
        ] {
            #expect(!FileExtension.excludesMarkup(mediaType: nil, url: url))
        }
        #expect(FileExtension.excludesMarkup(mediaType: "application/pdf", url: "https://h/get"))
        #expect(!FileExtension.excludesMarkup(mediaType: "application/json", url: "https://h/a.pdf"))
    }

    @Test(
        "what isn't a video by its name and its types has an extension of its own",
        arguments: [
            Case(contentType: "application/pdf", url: "https://h/01%20Skript.pdf", result: "pdf"),
            Case(contentType: "application/octet-stream", url: "https://h/a.pdf", result: "pdf"),
            Case(contentType: "application/zip", url: "https://h/code.zip", result: "zip"),
            Case(contentType: "text/plain", url: "https://h/notes.txt", result: "txt"),
            Case(contentType: "text/plain", url: "https://h/solution.py", result: "py"),
            Case(contentType: "text/vtt", url: "https://h/a.vtt", result: "vtt"),
            Case(contentType: "application/gzip", url: "https://h/a.tar.gz", result: "gz"),
            Case(contentType: "application/pdf", url: "https://h/get?file=7", result: "pdf"),
            Case(contentType: "image/png", url: "https://h/board", result: "png"),
            Case(contentType: "application/octet-stream", url: "https://h/a", result: "mp4"),
            Case(contentType: "application/octet-stream", url: "https://h/setup.exe", result: "mp4"),
            Case(contentType: "text/plain", url: "https://h/video/7", result: "mp4"),
            // A video whose server gives a wrong type keeps its name's.
            Case(contentType: "text/plain", url: "https://h/a.ts", result: "ts"),
            Case(contentType: "application/pdf", url: "https://h/a.mp4", result: "mp4"),
            Case(contentType: "video/mp4", url: "https://h/a.pdf", result: "mp4"),
        ])
    func documents(_ one: Case) {
        #expect(
            FileExtension.choose(.video, mediaType: one.mediaType, contentType: one.contentType, url: one.url).text
                == one.result)
        #expect(FileExtension(one.result)?.isMedia == ["mp4", "ts"].contains(one.result))
    }

    @Test("no media type leads to an unsafe extension")
    func table() {
        for purpose in [FileExtension.Purpose.video, .cover, .attachment] {
            for type in ["video/mp4", "video/mp2t", "audio/flac", "image/jpeg", "application/zip", "text/plain"] {
                let chosen = FileExtension.choose(purpose, contentType: type)
                #expect(FileExtension(chosen.text) == chosen)
            }
        }
    }
}
