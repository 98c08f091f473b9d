import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("a web page instead of a sidecar")
struct LoginPageTests {
    @Test("it is refused and reported with course and address; a page is kept where one is wanted")
    func pages() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let page = "<!DOCTYPE html><title>Log in</title>"
        host.script("/files/notes.pdf", [.text(page, "text/html")])
        // Not even the type is right.
        host.script("/files/sheet.pdf", [.text("\n" + page, "application/octet-stream")])
        host.script("/files/reading.html", [.text(page, "text/html")])
        host.script("/files/data.json", [.text("{}", "application/json")])
        host.script("/files/cover.jpg", [.text(page, "image/jpeg")])
        host.script("/files/en.vtt", [.text(page, "text/html; charset=utf-8")])
        host.script("/files/course.jpg", [.text(page, "text/html")])
        func url(_ name: String) -> String { CatalogText.quoted(host.url("/files/\(name)?token=secret")) }
        let attachments = ["Notes": "notes.pdf", "Sheet": "sheet.pdf", "Reading": "reading.html", "Data": "data.json"]
            .sorted { $0.key < $1.key }.map { "{title: \($0.key), url: \(url($0.value))}" }
        let video = CatalogText.Video(
            id: "v", title: "One",
            extra: [
                "cover: \(url("cover.jpg"))", "subtitle_files: [{lang: en, url: \(url("en.vtt"))}]",
                "attachments: [\(attachments.joined(separator: ", "))]",
            ])
        try stage.catalog(
            CatalogText(
                url: host.url("/media/1/9000.mp4"),
                courses: [.init(id: "c", title: "Course", videos: [video], extra: ["cover: \(url("course.jpg"))"])]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let place = host.baseURL.dropFirst("http://".count)
        func told(_ what: String, _ name: String) -> String {
            "\(what) wasn't downloaded: the server sent a web page instead of the file at "
                + "\(place)/files/\(name); is a login needed?"
        }
        #expect(
            Set(outcome.events("warning").compactMap(\.message)) == [
                told("attachment Notes", "notes.pdf"), told("attachment Sheet", "sheet.pdf"),
                told("cover", "cover.jpg"),
                told("subtitle en", "en.vtt"), told("cover of c", "course.jpg"),
            ])
        #expect(
            outcome.events("warning").filter { $0.course == "c" && $0.video == "v" }.count == 4, "\(outcome.output)")
        #expect(!outcome.output.contains("secret"))
        #expect(
            LibraryFiles(stage.library).paths == [
                "Course/01 One - Data.json", "Course/01 One - Reading.bin", "Course/01 One.mp4",
            ], "\(LibraryFiles(stage.library).paths)")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a page with a video's type, or none, is no video: the provider is asked once more, then the download fails")
    func videos() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let page = "<!-- x -->\n<!DOCTYPE html><title>Log in</title>"
        for (name, type) in [("typed", "video/mp4"), ("bare", "")] {
            host.script("/files/\(name).mp4", [.text(page, type), .text(page, type), .text(page, type)])
        }
        host.script("/files/once.mp4", [.text(page, "video/mp4"), .bytes([0, 0, 0, 1, 2], "video/mp4")])
        let videos = ["typed", "bare", "once"].map {
            let url = CatalogText.quoted(host.url("/files/\($0).mp4?s=hush"))
            return CatalogText.Video(id: $0, title: $0, extra: ["parameters: {url: \(url)}"])
        }
        try stage.catalog(CatalogText(url: host.url("/x"), courses: [.init(id: "c", title: "Course", videos: videos)]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        let failed = outcome.events("download_failed")
        #expect(Set(failed.compactMap(\.video)) == ["typed", "bare"], "\(outcome.output)")
        #expect(
            failed.allSatisfy {
                $0.error?.message.hasPrefix("the server sent a web page instead of a video at ") == true
            })
        #expect(LibraryFiles(stage.library).paths == ["Course/03 once.mp4"], "\(LibraryFiles(stage.library).paths)")
        #expect(host.requests(path: "/files/typed.mp4").count == 2)
        #expect(!outcome.output.contains("hush"))
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
