import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("drafts of files")
struct DraftFileTests {
    let temporary = TemporaryFolder()

    func folder() throws -> FolderHandle { try FolderHandle(at: temporary.path) }

    @Test("the old file stays until the new one is complete, and is replaced in one step")
    func replacing() throws {
        try temporary.write("old", to: "f")
        let draft = try DraftFile(of: "f", in: folder())
        try draft.write(Data("new".utf8))
        #expect(temporary.files() == ["f": "old", "f.new": "new"])
        try draft.replace()
        #expect(temporary.files() == ["f": "new"])
    }

    @Test("an abandoned draft leaves nothing")
    func givenUp() throws {
        try temporary.write("old", to: "f")
        do {
            let draft = try DraftFile(of: "f", in: folder())
            try draft.write(Data("new".utf8))
        }
        #expect(temporary.files() == ["f": "old"])
        #expect(temporary.openDescriptors() == 0)
    }

    @Test("a draft never takes the place of a file that must stay")
    func placing() throws {
        let folder = try folder()
        func place(_ text: String) throws(Errno) {
            let draft = try DraftFile(of: "f", in: folder)
            try draft.write(Data(text.utf8))
            try draft.place()
        }
        try place("first")
        #expect(throws: Errno.fileExists) { try place("second") }
        #expect(temporary.files() == ["f": "first"])
    }

    @Test("a leftover of a kill under the draft's name is never written to: it may be a second name of another file")
    func leftover() throws {
        try temporary.write("precious", to: "other")
        try FileManager.default.linkItem(atPath: temporary.at("other").string, toPath: temporary.at("f.new").string)
        let draft = try DraftFile(of: "f", in: folder())
        try draft.write(Data("new".utf8))
        try draft.replace()
        #expect(temporary.files() == ["f": "new", "other": "precious"])
    }

    @Test("a file gets its intended permissions", arguments: [0o600, 0o640, 0o666] as [UInt16])
    func mode(mode: UInt16) throws {
        let draft = try DraftFile(of: "f", in: folder(), mode: mode)
        try draft.replace()
        let facts = try FileManager.default.attributesOfItem(atPath: temporary.at("f").string)
        #expect(facts[.posixPermissions] as? Int == Int(mode))
    }
}
