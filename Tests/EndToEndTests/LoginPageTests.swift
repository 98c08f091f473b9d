import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("a page in the place of what belongs beside a video")
struct LoginPageTests {
    @Test("it is refused and told with course and address; a page that is wanted as one is kept")
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
}
