import FileSystem
import SystemPackage
import TestSupport
import Testing

@testable import MediaLibrary

@Suite("the library's marker")
struct LibraryMarkerTests {
    let temporary = TemporaryFolder()
    let alice = LibraryOwner(user: "alice", host: "here")
    let bob = LibraryOwner(user: "bob", host: "there")
    let one = LibraryID(rawValue: "one")
    let two = LibraryID(rawValue: "two")

    var root: FilePath { temporary.at("media/library") }

    @Test("the first sync makes the folder and its marker, and every later one finds it")
    func first() throws {
        let library = try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        #expect(library.id == one)
        #expect(
            temporary.read("media/library/.coursefetch/library.json") == #"{"host":"here","id":"one","user":"alice"}"#
                + "\n")
        #expect(temporary.has("media/library/.coursefetch/partials"))
        #expect(temporary.has("media/library/.coursefetch/moving"))
        _ = try LibraryFolder.open(root, expecting: .known(one), owner: alice)
        #expect(try LibraryFolder.marker(of: root) == LibraryMarker(id: one, owner: alice))
    }

    @Test("a kill between the marker and the state's record of it does no harm")
    func killedBetween() throws {
        _ = try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        #expect(try LibraryFolder.open(root, expecting: .new(one), owner: alice).id == one)
    }

    @Test("a missing folder is not made when the state knows its library")
    func notMounted() throws {
        #expect(throws: LibraryError.markerMissing(library: root.string, folderExists: false)) {
            try LibraryFolder.open(root, expecting: .known(one), owner: alice)
        }
        #expect(!temporary.has("media"))
        try temporary.make("media/library")
        #expect(throws: LibraryError.markerMissing(library: root.string, folderExists: true)) {
            try LibraryFolder.open(root, expecting: .known(one), owner: alice)
        }
        #expect(!temporary.has("media/library/.coursefetch"))
    }

    @Test("another's library is refused, for a new state and for one that knows its own")
    func another() throws {
        _ = try LibraryFolder.open(root, expecting: .new(two), owner: bob)
        let expected = LibraryError.markerOfAnother(library: root.string, found: LibraryMarker(id: two, owner: bob))
        #expect(throws: expected) { try LibraryFolder.open(root, expecting: .known(one), owner: alice) }
        #expect(throws: expected) { try LibraryFolder.open(root, expecting: .new(one), owner: alice) }
    }

    @Test("shards of as many shards and one user have a library in common, and nobody else has it")
    func shards() throws {
        func open(
            _ id: LibraryID, _ part: LibraryPart?, _ owner: LibraryOwner, isKnown: Bool = false
        ) throws(LibraryError) -> LibraryFolder {
            try LibraryFolder.open(root, expecting: isKnown ? .known(id) : .new(id), owner: owner, part: part)
        }
        let (first, second) = (LibraryPart(name: "1-of-2", count: 2), LibraryPart(name: "2-of-2", count: 2))
        #expect(try open(one, first, alice).id == one)
        #expect(try open(two, second, LibraryOwner(user: "alice", host: "there")).id == one, "it takes the id over")
        #expect(try open(one, second, alice, isKnown: true).id == one)
        for name in ["1-of-2", "2-of-2"] {
            #expect(temporary.has("media/library/.coursefetch/shards/\(name)/partials"))
        }
        #expect(!temporary.has("media/library/.coursefetch/partials"))
        let marker = LibraryMarker(id: one, owner: alice, shards: 2)
        let another = LibraryError.markerOfAnother(library: root.string, found: marker)
        let divided = LibraryError.dividedOtherwise(library: root.string, shards: 2)
        #expect(throws: divided) { try open(two, LibraryPart(name: "1-of-3", count: 3), alice) }
        #expect(throws: divided) { try open(two, nil, alice) }
        #expect(throws: another) { try open(two, first, bob) }
        #expect(throws: another) { try open(two, first, alice, isKnown: true) }
    }

    @Test("a library without shards is no shard's")
    func notDivided() throws {
        _ = try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        #expect(throws: LibraryError.dividedOtherwise(library: root.string, shards: nil)) {
            try LibraryFolder.open(
                root, expecting: .new(two), owner: alice, part: LibraryPart(name: "1-of-2", count: 2))
        }
    }

    @Test("a copy is opened as that of its library only, and belongs to nobody until it is adopted")
    func copies() throws {
        let copy = try LibraryFolder.openCopy(root, of: one, owner: alice)
        #expect(try LibraryFolder.marker(of: root)?.copyOf == "one")
        #expect(try LibraryFolder.openCopy(root, of: one, owner: bob).id == copy.id)
        #expect(throws: LibraryError.self) { try LibraryFolder.openCopy(root, of: two, owner: alice) }
        #expect(throws: LibraryError.self) { try LibraryFolder.open(root, expecting: .new(one), owner: alice) }
        _ = try LibraryFolder.adopt(root, as: two, owner: bob)
        #expect(try LibraryFolder.marker(of: root) == LibraryMarker(id: two, owner: bob))
        #expect(throws: LibraryError.self) { try LibraryFolder.openCopy(root, of: one, owner: alice) }
    }

    @Test("adopting writes a new marker, so that the other state is refused from then on")
    func adoption() throws {
        _ = try LibraryFolder.open(root, expecting: .new(two), owner: bob)
        #expect(try LibraryFolder.adopt(root, as: one, owner: alice).id == one)
        _ = try LibraryFolder.open(root, expecting: .known(one), owner: alice)
        #expect(throws: LibraryError.markerOfAnother(library: root.string, found: LibraryMarker(id: one, owner: alice)))
        {
            try LibraryFolder.open(root, expecting: .known(two), owner: bob)
        }
    }

    @Test("a folder without a marker can be adopted; a missing one can't")
    func adoptionOfPlainFolder() throws {
        #expect(throws: LibraryError.system(.open, path: root.string, .noSuchFileOrDirectory)) {
            try LibraryFolder.adopt(root, as: one, owner: alice)
        }
        try temporary.write("mine", to: "media/library/film.mp4")
        _ = try LibraryFolder.adopt(root, as: one, owner: alice)
        #expect(temporary.read("media/library/film.mp4") == "mine")
    }

    @Test(
        "an invalid marker is refused and not changed",
        arguments: [
            "", "{", "[]", #"{"id":"","user":"a","host":"b"}"#, #"{"id":"one"}"#, "\u{0}",
            String(repeating: "x", count: 70_000),
        ])
    func unreadable(text: String) throws {
        try temporary.write(text, to: "media/library/.coursefetch/library.json")
        for expectation in [LibraryExpectation.new(one), .known(one)] {
            #expect(throws: LibraryError.markerUnreadable(library: root.string)) {
                try LibraryFolder.open(root, expecting: expectation, owner: alice)
            }
        }
        #expect(temporary.read("media/library/.coursefetch/library.json") == text)
        #expect(try LibraryFolder.adopt(root, as: one, owner: alice).id == one)
    }

    @Test("links in place of coursefetch's own folders and files are not followed")
    func links() throws {
        try temporary.make("elsewhere/partials")
        try temporary.make("media/library")
        try temporary.link("media/library/.coursefetch", to: temporary.at("elsewhere").string)
        #expect(throws: LibraryError.leadsOut(path: ".coursefetch")) {
            try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        }
        let second = temporary.at("second")
        try temporary.make("second/.coursefetch")
        try temporary.link("second/.coursefetch/partials", to: temporary.at("elsewhere").string)
        #expect(throws: LibraryError.leadsOut(path: ".coursefetch/partials")) {
            try LibraryFolder.open(second, expecting: .new(one), owner: alice)
        }
        let third = temporary.at("third")
        try temporary.make("third/.coursefetch")
        try temporary.write(#"{"host":"h","id":"one","user":"u"}"#, to: "marker.json")
        try temporary.link("third/.coursefetch/library.json", to: temporary.at("marker.json").string)
        #expect(throws: LibraryError.markerUnreadable(library: third.string)) {
            try LibraryFolder.open(third, expecting: .known(one), owner: alice)
        }
        #expect(temporary.names().filter { $0.hasPrefix("elsewhere/") } == ["elsewhere/partials"])
    }

    @Test("the root itself may be reached through a link")
    func linkedRoot() throws {
        try temporary.make("disk")
        try temporary.link("library", to: "disk")
        _ = try LibraryFolder.open(temporary.at("library"), expecting: .new(one), owner: alice)
        #expect(temporary.has("disk/.coursefetch/library.json"))
    }

    @Test("a file where the library should be is an error")
    func file() throws {
        try temporary.write("", to: "media/library")
        #expect(throws: LibraryError.notAFolder(path: root.string)) {
            try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        }
    }

    @Test("a marker written by others can be printed safely")
    func harmless() throws {
        let text = #"{"host":"h\u001b[2J","id":"one","user":"\u202ealice\u0007"}"#
        try temporary.write(text, to: "media/library/.coursefetch/library.json")
        let marker = try #require(try LibraryFolder.marker(of: root))
        #expect(marker.host == "h?[2J" && marker.user == "?alice?")
    }

    @Test("an open library notices that it has been deleted, emptied or replaced since")
    func loss() throws {
        let library = try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        #expect(library.loss() == nil)
        try temporary.remove("media/library")
        #expect(library.loss() == .markerMissing(library: root.string, folderExists: false))
        try temporary.make("media/library")
        #expect(library.loss() == .markerMissing(library: root.string, folderExists: true))
        _ = try LibraryFolder.open(root, expecting: .new(two), owner: bob)
        #expect(library.loss() == .markerOfAnother(library: root.string, found: LibraryMarker(id: two, owner: bob)))
    }

    @Test("an open library notices a copy of itself at its path")
    func copied() throws {
        let library = try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        try temporary.move("media/library", to: "media/old")
        _ = try LibraryFolder.open(root, expecting: .new(one), owner: alice)
        #expect(library.loss() == .replaced(library: root.string))
        #expect(throws: LibraryError.replaced(library: root.string)) { try library.refreshFolders(of: ["a/b.mp4"]) }
    }

    @Test("ids are unique")
    func ids() {
        #expect(LibraryID.random() != LibraryID.random())
        #expect(LibraryID.random().rawValue.count == 32)
    }
}
