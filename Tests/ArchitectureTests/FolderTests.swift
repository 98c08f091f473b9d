import Foundation
import Testing

/// What `BorderTests` is for the rooms, this is for the folders of the largest one: docs/architecture.md has their order,
/// and the code is held to it.
@Suite("The folders of the runner")
struct FolderTests {
    static let root = "Sources/DownloadRunner"

    /// From the page: a folder uses those before it.
    static let order = ((try? Page("docs/architecture.md").table("folder", "owns")) ?? []).flatMap {
        Page.quoted($0[0])
    }

    /// For each folder the others whose types it uses, with one of these.
    static let arrows: [String: [String: String]] = {
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
    }()

    @Test("the page names every folder, and no other")
    func folders() {
        #expect(Self.order.sorted() == Checkout.folders(in: Self.root))
        #expect(Self.arrows.count > 8)
    }

    @Test("a folder uses types only of folders that stand above it on the page", arguments: order)
    func uses(folder: String) {
        let above = Self.order.prefix { $0 != folder }
        for (other, type) in Self.arrows[folder] ?? [:] where !above.contains(other) {
            Issue.record("\(folder) uses \(type) of \(other), which stands below it")
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
