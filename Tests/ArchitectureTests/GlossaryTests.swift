import Checkout
import Testing

/// The glossary agrees with the code.
@Suite("The glossary")
struct GlossaryTests {
    static let rows = (try? Page("docs/glossary.md").table("word", "means", "type")) ?? []

    /// The types that the files of a folder declare, nested ones included.
    private static func declared(under folder: String) throws -> Set<String> {
        var names: Set<String> = []
        for file in Checkout.swiftFiles(under: folder) {
            for line in try Checkout.code(file) {
                if let match = line.firstMatch(of: /^ *(?:[a-z]+ )*(?:struct|class|enum|actor|protocol) (\w+)/) {
                    names.insert(String(match.1))
                }
            }
        }
        return names
    }

    @Test("every type that the glossary names is declared in Sources")
    func types() throws {
        let declared = try Self.declared(under: "Sources")
        #expect(Self.rows.count >= 20)
        for row in Self.rows {
            let types = Page.quoted(row[2])
            #expect(!types.isEmpty, "\(row[0])")
            for type in types {
                #expect(type.split(separator: ".").allSatisfy { declared.contains(String($0)) }, "\(row[0]): \(type)")
            }
        }
    }

    @Test("a type that ends in Text is printed text")
    func texts() throws {
        let texts = try Self.declared(under: "Sources/Command/CommandOutput").filter { $0.hasSuffix("Text") }
        #expect(texts.count > 10)
        #expect(try Self.declared(under: "Sources").filter { $0.hasSuffix("Text") } == texts)
    }

    @Test("a word is explained once, and the page is short enough to be read")
    func words() throws {
        #expect(Set(Self.rows.map(\.[0])).count == Self.rows.count)
        #expect(try Checkout.text("docs/glossary.md").split(separator: "\n").count <= 60)
    }
}
