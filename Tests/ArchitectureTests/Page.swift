import Checkout
import Foundation

/// A Markdown page, taken apart as far as the tests ask for.
struct Page {
    let file: String
    let text: String

    init(_ file: String) throws {
        self.file = file
        text = try Checkout.text(file)
    }

    /// The fenced blocks in a language, in the order of the page.
    func blocks(_ language: String) -> [String] {
        text.matches(of: /(?m)^```([a-z]*)\n((?s:.*?))^```$/).filter { $0.1 == language }.map { String($0.2) }
    }

    /// The rows of the first table whose heading begins with these cells, without the heading.
    func table(_ heading: String...) -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { Self.cells($0).starts(with: heading) }) else { return [] }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map(Self.cells)
    }

    /// The targets of links that lead into the checkout, without their fragments.
    var localLinks: [String] {
        text.matches(of: /\]\(([^)#\s]+)(#[^)]*)?\)/).map { String($0.1) }.filter { !$0.contains("://") }
    }

    /// The words in backticks of a text.
    static func quoted(_ text: String) -> [String] { text.matches(of: /`([^`]+)`/).map { String($0.1) } }

    private static func cells(_ line: Substring) -> [String] {
        guard line.hasPrefix("|") else { return [] }
        return line.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
