import Checkout
import CourseCatalog
import Foundation
import Testing

@Suite("The catalogs shipped with coursefetch") struct ExampleTests {
    static let folder = Checkout.root.appending(path: "catalogs")

    static let names =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? [])
        .filter { $0.hasSuffix(".yaml") }.sorted()

    @Test("an example has no warnings", arguments: names)
    func clean(name: String) {
        let reading = CatalogReader.read([Self.folder.appending(path: name).path(percentEncoded: false)])
        #expect(reading.report == "")
        #expect(reading.catalog.videoCount > 0 || reading.catalog.courses.contains { $0.discover })
    }

    @Test("the three catalogs that explain the format exist")
    func present() {
        #expect(Set(Self.names).isSuperset(of: ["urls.yaml", "term.yaml", "signed.yaml"]))
    }
}
