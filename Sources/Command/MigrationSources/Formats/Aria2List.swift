/// Reads aria2's input files and saved sessions, line by line: URIs between tabs, then options on lines that begin with
/// a blank.
package struct Aria2List {
    package struct Entry: Sendable, Equatable {
        /// The line on which it begins, from 1.
        package var line: Int
        /// All addresses of one file.
        package var addresses: [String] = []
        /// By their names.
        package var options: [String: String] = [:]
        /// The reason why it can't be read.
        package var fault: FormatFault?
    }

    /// The URIs and options of one entry, beyond which the others are left out.
    static let most = 256

    private var lines = TextLines()
    private var entry: Entry?

    package init() {}

    /// Takes the next bytes, and calls `body` with each entry that ends in them.
    package mutating func feed(_ piece: UnsafeRawBufferPointer, _ body: (Entry) throws -> Void) throws {
        var lines = lines
        try lines.feed(piece) { try take($0, body) }
        self.lines = lines
    }

    /// Hands out the last entry.
    package mutating func finish(_ body: (Entry) throws -> Void) throws {
        var lines = lines
        try lines.finish { try take($0, body) }
        if let entry { try body(entry) }
        entry = nil
    }

    private mutating func take(_ line: TextLines.Line, _ body: (Entry) throws -> Void) throws {
        if let fault = line.fault {
            // Nobody knows whether it is an option.
            if let entry { try body(entry) }
            return entry = Entry(line: line.number, fault: fault)
        }
        let text = line.text.trimmed
        guard !text.isEmpty, !line.text.hasPrefix("#") else { return }
        if line.text.hasPrefix(" ") || line.text.hasPrefix("\t") {
            guard let sign = text.firstIndex(of: "=") else { return }
            // Options before the first URI belong to nothing.
            guard entry?.options.count ?? 0 < Self.most else { return }
            entry?.options[String(text[..<sign]).trimmed] = String(text[text.index(after: sign)...]).trimmed
            return
        }
        if let entry { try body(entry) }
        let addresses = text.split(separator: "\t", maxSplits: Self.most).prefix(Self.most)
        entry = Entry(line: line.number, addresses: addresses.map { String($0).trimmed })
    }
}
