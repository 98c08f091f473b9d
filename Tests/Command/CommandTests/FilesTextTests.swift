import DownloadStore
import Foundation
import Operations
import SyncFacts
import Testing

@testable import CommandOutput

@Suite("The text of path and open")
struct FilesTextTests {
    static func row(_ id: String, _ state: DownloadState, path: String? = nil) -> StatusRow {
        StatusRow(
            reference: VideoReference(course: "phys101", chapter: "optics", video: id, title: "Title \(id)"),
            courseTitle: "Physics", chapterTitle: "Optics", state: state, size: 9, path: path,
            updatedAt: Date(timeIntervalSince1970: 0), provider: "direct", file: "/c.yaml", sha256: "ab")
    }

    static func files(_ rows: [StatusRow], missing: Set<String> = []) -> FinishedFiles {
        var files = FinishedFiles { !missing.contains($0) }
        for row in rows { _ = files.add(row, library: "/lib") }
        return files
    }

    @Test("a path is absolute and ends with a line break or NUL; as JSON it has ids, title, size and checksum")
    func lines() throws {
        let files = Self.files([Self.row("a", .finished, path: "P/01 'A'.mp4"), Self.row("b", .waiting)])
        let item = try #require(files.first)
        #expect(String(decoding: FilesText.path(item, endsWithNUL: false), as: UTF8.self) == "/lib/P/01 'A'.mp4\n")
        #expect(FilesText.path(item, endsWithNUL: true).last == 0)
        #expect(
            String(decoding: FilesText.json(item), as: UTF8.self) == """
                {"course":"phys101","chapter":"optics","video":"a","title":"Title a","selector":"phys101/optics/a","path":"/lib/P/01 'A'.mp4",\
                "bytes":9,"sha256":"ab"}

                """)
        #expect(files.count == 1 && files.unfinished == 1)
    }

    @Test("without a playable file it says why, and what to do")
    func nothing() throws {
        let one = try Selector("phys101/optics/b")
        #expect(
            FilesText.nothing(Self.files([Self.row("b", .failed)]), [one])
                == "phys101/optics/b isn't finished; see: coursefetch status phys101/optics/b")
        #expect(
            FilesText.nothing(Self.files([Self.row("b", .failed), Self.row("c", .waiting)]), [try Selector("phys*")])
                == "none of 2 videos is finished; see: coursefetch status 'phys*'")
        #expect(
            FilesText.nothing(Self.files([]), [])
                == "there are no videos yet; fetch some with: coursefetch sync CATALOG")
        let lost = Self.files([Self.row("a", .finished, path: "a.mp4")], missing: ["/lib/a.mp4"])
        #expect(
            FilesText.nothing(lost, [])
                == "a file is missing: /lib/a.mp4; to see what a sync would do: coursefetch sync --dry-run")
    }

    @Test("only a course that is named as a whole is opened as its page; a title opens its video")
    func opened() throws {
        let files = Self.files([Self.row("a", .finished, path: "a.mp4")])
        for (text, path) in [
            ("phys101", "/page/phys101"), ("title:Title*", "/lib/a.mp4"), ("phys101/optics/a", "/lib/a.mp4"),
            ("phys101/optics", "/lib/a.mp4"), ("*/*/a", "/lib/a.mp4"),
        ] {
            #expect(files.target(of: try Selector(text), page: { "/page/\($0)" })?.path == path, "\(text)")
        }
        #expect(files.target(of: try Selector("phys101"), page: { _ in nil })?.path == "/lib/a.mp4")
        let two = Self.files([Self.row("a", .finished, path: "a.mp4"), Self.row("b", .finished, path: "b.mp4")])
        #expect(two.target(of: try Selector("title:*"), page: { "/page/\($0)" }) == nil)
    }

    @Test("if several match, none is chosen: it names one to paste")
    func ambiguous() {
        let files = Self.files([Self.row("a", .finished, path: "a.mp4"), Self.row("b", .finished, path: "b.mp4")])
        #expect(FilesText.nothing(files, []) == nil && FilesText.missing(files) == nil)
        #expect(
            FilesText.ambiguous(files)
                == "2 finished videos are selected; name one, such as: coursefetch open phys101/optics/a. A course has a page "
                + "to open after: coursefetch sync --write-index")
    }
}
