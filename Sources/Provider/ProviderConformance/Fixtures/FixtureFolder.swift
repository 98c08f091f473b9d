import Foundation
import ProviderKit

/// A folder with a `fixture.yaml` and `*.http` files.
package struct FixtureFolder: Sendable, PrintsRedacted {
    /// The parameter that says what is asked.
    static let endpoint = "endpoint"

    /// What the plugin is checked with.
    package var description: FixtureDescription
    /// In the order of their files' names.
    let exchanges: [RecordedExchange]

    /// Whether there is anything to replay.
    package var hasExchanges: Bool { !exchanges.isEmpty }

    package init(_ folder: String) throws(FixtureProblem) {
        let file = folder + "/" + FixtureDescription.fileName
        guard let data = FileManager.default.contents(atPath: file) else { throw .unreadable(file) }
        description = try FixtureDescription.read([UInt8](data), file: file)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var found: [RecordedExchange] = []
        for name in names.sorted() where name.hasSuffix(".http") {
            let path = folder + "/" + name
            guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path) }
            do throws(RecordedExchange.Mistake) {
                var exchange = try RecordedExchange([UInt8](data))
                exchange.name = name
                found.append(exchange)
            } catch {
                throw .exchange(file: path, line: error.line)
            }
        }
        exchanges = found
    }
}
