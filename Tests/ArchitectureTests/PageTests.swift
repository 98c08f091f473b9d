import Checkout
import DownloadStore
import Foundation
import Testing

/// The pages agree with the code.
@Suite("The pages")
struct PageTests {
    static let pages =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        + Checkout.names(in: "docs").filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }

    @Test("the pages that people look for exist")
    func present() {
        let names = ["architecture", "catalog", "exit-codes", "invariants", "protocol", "threat-model"]
        #expect(Set(Self.pages).isSuperset(of: names.map { "docs/\($0).md" }))
    }

    @Test("links have targets", arguments: pages)
    func links(page: String) throws {
        let folder = (page as NSString).deletingLastPathComponent
        for link in try Page(page).localLinks {
            let target = folder.isEmpty ? link : folder + "/" + link
            #expect(FileManager.default.fileExists(atPath: Checkout.path(target)), "\(page): \(link)")
        }
    }

    @Test("files that a page names exist", arguments: pages)
    func files(page: String) throws {
        for name in Page.quoted(try Page(page).text) {
            guard name.contains(/^(?:Sources|Tests|Plugins|catalogs|contrib|docs)\/[\w\/.+-]*$/) else { continue }
            #expect(FileManager.default.fileExists(atPath: Checkout.path(name)), "\(page): \(name)")
        }
    }

    @Test("each invariant names its tests, and each of these exists under that name")
    func proofs() throws {
        let rows = try Page("docs/invariants.md").table("Rule", "Why", "How it is kept", "Which test proves it")
        #expect(rows.count > 15)
        let tests = Checkout.swiftFiles(under: "Tests")
        for row in rows {
            let proofs = row[3].matches(of: /`(\w+)`:((?: “[^”]+”,?)+)/)
            #expect(!proofs.isEmpty, "\(row[0])")
            for proof in proofs {
                let suites = tests.filter { $0.hasSuffix("/\(proof.1).swift") }
                let texts = try suites.map { try Checkout.text($0) }
                for name in proof.2.matches(of: /“([^”]+)”/) {
                    #expect(texts.contains { $0.contains("\"\(name.1)\"") }, "\(proof.1): \(name.1)")
                }
            }
        }
    }

    @Test("the state table of the page is that of the store")
    func states() throws {
        let page = try Page("docs/invariants.md")
        let engine: [StateTransition] = [.begin, .putBack, .suspend, .finish, .fail, .lose, .refetch, .revive]
        let person: [StateTransition] = [.pause, .resume, .cancel, .retry, .remove]
        #expect(Set(engine + person) == Set(StateTransition.allCases))
        for transitions in [engine, person] {
            let rows = page.table("from", "`\(transitions[0])`")
            #expect(rows.map(\.[0]) == DownloadState.allCases.map { "`\($0)`" })
            for (state, row) in zip(DownloadState.allCases, rows) {
                let expected = transitions.map { transition in
                    state.after(transition).map { $0 == state ? "=" : "\($0)" } ?? "–"
                }
                #expect(Array(row.dropFirst()) == expected, "\(state)")
            }
        }
    }

    @Test("the page on JSON names every event, and no other")
    func events() throws {
        let source = try Checkout.text("Sources/Command/CommandOutput/JSON/JSONEvents.swift")
        let names = source.matches(of: /case \.\w+: "(\w+)"/).map { String($0.1) }
        #expect(names.count > 15)
        let rows = try Page("docs/json.md").table("event", "fields")
        #expect(rows.flatMap { Page.quoted($0[0]) }.sorted() == names.sorted())
    }

    @Test("the page on JSON names every field and every kind of error of the schemas, and the schemas every kind")
    func fields() throws {
        let page = try Checkout.text("docs/json.md")
        var kinds: Set<String> = []
        for name in Checkout.names(in: "docs/schemas") {
            let text = try Checkout.text("docs/schemas/" + name)
            #expect(page.contains("(schemas/\(name))"), "\(name) is named nowhere")
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
            for field in Self.properties(object) {
                #expect(page.contains("`\(field)`"), "\(name): the page doesn't tell of \(field)")
            }
            kinds.formUnion(Self.kinds(object))
        }
        #expect(kinds == Set(DownloadError.Kind.allCases.map(\.rawValue)))
        let rows = try Page("docs/json.md").table("kind", "means")
        #expect(rows.flatMap { Page.quoted($0[0]) }.sorted() == kinds.sorted())
    }

    /// The names of all properties, however deep.
    private static func properties(_ value: Any) -> Set<String> {
        var names: Set<String> = []
        if let object = value as? [String: Any] {
            names = Set((object["properties"] as? [String: Any] ?? [:]).keys)
            for part in object.values { names.formUnion(properties(part)) }
        }
        for part in value as? [Any] ?? [] { names.formUnion(properties(part)) }
        return names
    }

    /// The values of each `kind` of an error.
    private static func kinds(_ value: Any) -> Set<String> {
        var found: Set<String> = []
        if let object = value as? [String: Any] {
            if let error = object["error"] as? [String: Any], let own = error["properties"] as? [String: Any],
                let kind = own["kind"] as? [String: Any]
            {
                found = Set(kind["enum"] as? [String] ?? [])
            }
            for part in object.values { found.formUnion(kinds(part)) }
        }
        for part in value as? [Any] ?? [] { found.formUnion(kinds(part)) }
        return found
    }

    @Test("the README's exit codes are those of their page")
    func exitCodes() throws {
        let codes = try Page("docs/exit-codes.md").table("exit", "means")
        #expect(codes.count == 11)
        #expect(try Page("README.md").table("exit", "means") == codes)
    }
}
