import Checkout
import Foundation
import Testing

/// The counterpart of `BorderTests` for folders within rooms: checks the code against their order in
/// docs/architecture.md.
@Suite("The folders within the rooms")
struct FolderTests {
    /// From the page: each room with its folders; one uses those before it.
    static let rooms = ((try? Page("docs/architecture.md").table("folders of", "from the first to the last")) ?? [])
        .flatMap { row in
            Page.quoted(row[0]).map { room in (room: room, order: Page.quoted(row[1]).filter { !isType($0, of: room) })
            }
        }

    /// A row may name a type or two of a folder.
    private static func isType(_ name: String, of room: String) -> Bool {
        !(Room.named(room)?.folders ?? []).contains(name)
    }

    /// For each folder of a room the others whose types it uses, with one of these.
    static func arrows(in room: String) -> [String: [String: String]] {
        guard let root = Room.named(room)?.folder else { return [:] }
        let files = Checkout.swiftFiles(under: root).compactMap { file -> (folder: String, words: SwiftWords)? in
            guard let text = try? Checkout.text(file) else { return nil }
            return (String(file.dropFirst(root.count + 1).prefix { $0 != "/" }), SwiftWords(text))
        }
        var homes: [String: Set<String>] = [:]
        for file in files { for type in file.words.declared { homes[type, default: []].insert(file.folder) } }
        var arrows: [String: [String: String]] = [:]
        for file in files {
            for word in file.words.capitalized {
                // What two folders declare counts for neither.
                guard let home = homes[word], home.count == 1, let folder = home.first, folder != file.folder else {
                    continue
                }
                arrows[file.folder, default: [:]][folder] = word
            }
        }
        return arrows
    }

    @Test("every room of several folders has its row")
    func rows() {
        let several = Room.all.filter { $0.folders.count > 1 && !$0.files.isEmpty }
        #expect(several.map(\.name).sorted() == Self.rooms.map(\.room).sorted())
    }

    @Test("the page names every folder of a room", arguments: rooms)
    func folders(room: String, order: [String]) {
        #expect(order.sorted() == Room.named(room)?.folders)
    }

    @Test("a folder uses only types of folders that come before it on the page", arguments: rooms)
    func uses(room: String, order: [String]) {
        let arrows = Self.arrows(in: room)
        #expect(arrows.count > 0)
        for (number, folder) in order.enumerated() {
            for (other, type) in arrows[folder] ?? [:] where order[number...].contains(other) {
                Issue.record("\(room): \(folder) uses \(type) of \(other), which stands after it")
            }
        }
    }

    @Test("words are those of the code: comments, strings and members are left out")
    func words() {
        let words = SwiftWords(
            #"""
            // Comment
            /// Doc of ``Thing``
            @Attribute final class Outer: Base<Element> {
                enum Inner { case one(Other), two(Other.Nested) }
                let text = "Quoted \"Again\" \(x)", more = Value()
            }
            func make(_ kind: Kind) {}
            """#)
        #expect(words.declared == ["Outer"])
        #expect(words.capitalized == ["Attribute", "Outer", "Base", "Element", "Inner", "Other", "Value", "Kind"])
    }
}
