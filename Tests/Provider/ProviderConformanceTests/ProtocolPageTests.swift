import Checkout
import CommandOutput
import Foundation
import ProviderConformance
import Testing

@Suite("The conformance suite and the protocol's page")
struct ProtocolPageTests {
    private static let page = Checkout.root.appending(path: "docs/protocol.md")

    @Test("the sentence of each check stands on the page", arguments: ConformanceCheck.allCases)
    func sentences(check: ConformanceCheck) throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(text.contains(check.sentence), "\(check.rawValue)")
        #expect(check.sentence.count > 20)
    }

    @Test("titles are different and short")
    func titles() {
        let titles = ConformanceCheck.allCases.map(\.title)
        #expect(Set(titles).count == titles.count)
        for title in titles { #expect(title.count <= 65, "\(title)") }
    }
}
