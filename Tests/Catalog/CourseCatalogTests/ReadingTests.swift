import Foundation
import Testing
import YAMLSource

@testable import CourseCatalog

@Suite("Reading a file that changes") struct ReadingTests {
    private func reader(
        _ folder: CatalogFolder, didDecode: @escaping (Int) -> Void
    ) -> CatalogFileReader {
        var reader = CatalogFileReader(
            path: folder.path + "/catalog.yaml", source: SourceName("catalog.yaml"), folder: folder.path,
            limits: .catalog)
        reader.didDecode = didDecode
        return reader
    }

    private func text(_ videos: Int) -> String {
        "version: 1\ncourses:\n- id: a\n  videos:\n" + (0..<videos).map { "  - v\($0)\n" }.joined()
    }

    @Test("a file that grows while it is read is read again, mistakes and all")
    func grows() throws {
        let folder = try CatalogFolder(["catalog.yaml": text(3) + "  - {id: x, size: -1}\n"])
        var attempts = 0
        let outcome = reader(folder) { attempt in
            attempts = attempt
            if attempt == 1 { try? folder.write(text(5), to: "catalog.yaml") }
        }.read()
        #expect(attempts == 2)
        #expect(outcome.draft.records.count == 5)
        #expect(outcome.mistakes.isEmpty && outcome.refusal == nil)
    }

    @Test("a file that is replaced by one of the same size is read again")
    func replaced() throws {
        let folder = try CatalogFolder(["catalog.yaml": text(3), "other.yaml": text(3)])
        var attempts = 0
        _ = reader(folder) { attempt in
            attempts = attempt
            if attempt == 1 { rename(folder.path + "/other.yaml", folder.path + "/catalog.yaml") }
        }.read()
        #expect(attempts == 2)
    }

    @Test("a file that keeps changing is given up after five readings")
    func restless() throws {
        let folder = try CatalogFolder(["catalog.yaml": text(1)])
        var attempts = 0
        let outcome = reader(folder) { attempt in
            attempts = attempt
            try? folder.write(text(attempt + 1), to: "catalog.yaml")
        }.read()
        #expect(attempts == 5)
        #expect(outcome.refusal == "changes while it is being read; try again when it is complete")
    }

    @Test("a named pipe doesn't block")
    func pipe() throws {
        let folder = try CatalogFolder([:])
        #expect(mkfifo(folder.path + "/catalog.yaml", 0o600) == 0)
        #expect(folder.messages(folder.read()) == ["0:0: is not a regular file; a catalog is a file"])
    }
}
