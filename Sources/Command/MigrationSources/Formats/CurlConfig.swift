/// Reads curl's configuration files (`-K`), line by line, for the URLs and the names of their files.
package struct CurlConfig {
    /// One URL.
    package struct Transfer: Sendable, Equatable {
        /// The line of its URL, from 1.
        package var line: Int
        /// As it is written.
        package var url: String
        /// What curl calls the file; nil for the name in the URL.
        package var output: String?
        /// The reason why the line can't be read.
        package var fault: FormatFault?
    }

    /// Names of files that wait for their URL, and URLs that wait for their names, beyond which the rest is refused.
    static let most = 100_000

    private var lines = TextLines()
    /// The URLs since the last `next`, and the names: the first is of the first.
    private var transfers: [Transfer] = []
    private var outputs: [String?] = []
    private var folder: String?

    package init() {}

    /// Takes the next bytes, and calls `body` with each transfer that is complete then.
    package mutating func feed(_ piece: UnsafeRawBufferPointer, _ body: (Transfer) throws -> Void) throws {
        var lines = lines
        try lines.feed(piece) { try take($0, body) }
        self.lines = lines
    }

    /// Hands out the last transfers.
    package mutating func finish(_ body: (Transfer) throws -> Void) throws {
        var lines = lines
        try lines.finish { try take($0, body) }
        try end(body)
    }

    private mutating func take(_ line: TextLines.Line, _ body: (Transfer) throws -> Void) throws {
        if let fault = line.fault { return try body(Transfer(line: line.number, url: "", fault: fault)) }
        let text = line.text.trimmed
        guard !text.isEmpty, !text.hasPrefix("#") else { return }
        guard let (name, value) = Self.option(text) else {
            return try body(Transfer(line: line.number, url: "", fault: .line(line.number)))
        }
        switch name {
        case "url", "--url":
            guard transfers.count < Self.most else {
                return try body(Transfer(line: line.number, url: value, fault: .tooLarge))
            }
            transfers.append(Transfer(line: line.number, url: value))
        case "output", "--output", "-o": if outputs.count < Self.most { outputs.append(value) }
        case "remote-name", "--remote-name", "-O": if outputs.count < Self.most { outputs.append(nil) }
        case "output-dir", "--output-dir": folder = value
        case "next", "--next", "-:": try end(body)
        case _ where name.contains("://"):
            // A list of URLs: nothing else belongs to them.
            try body(Transfer(line: line.number, url: name))
        case _ where !name.utf8.allSatisfy(Self.isOfName): try body(Transfer(line: line.number, url: name))
        default: break
        }
    }

    /// The outputs of a group belong to its URLs in their order.
    private mutating func end(_ body: (Transfer) throws -> Void) throws {
        let (group, names, prefix) = (transfers, outputs, folder.map { $0 + "/" } ?? "")
        (transfers, outputs, folder) = ([], [], nil)
        for (number, transfer) in group.enumerated() {
            var transfer = transfer
            if number < names.count, let name = names[number] { transfer.output = prefix + name }
            try body(transfer)
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(byte | 0x20)
    }

    /// The option's name and its value, which may be in quotes; nil if a quote isn't closed.
    private static func option(_ text: String) -> (name: String, value: String)? {
        let bytes = Array(text.utf8)
        let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
        let isBare = bytes[scheme.endIndex...].starts(with: "://".utf8) && scheme.allSatisfy { Self.isOfName($0) }
        let end =
            bytes.firstIndex {
                $0 == 0x20 || $0 == 0x09 || !isBare && ($0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":"))
            } ?? bytes.count
        // `-ofile` isn't split: curl's own files don't have it.
        if text == "-:" { return (text, "") }
        let name = String(decoding: bytes[..<end], as: UTF8.self)
        var rest = bytes[end...].drop { $0 == 0x20 || $0 == 0x09 }
        if let first = rest.first, first == UInt8(ascii: "=") || first == UInt8(ascii: ":") {
            rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
        }
        guard rest.first == UInt8(ascii: "\"") else {
            return (name, String(decoding: rest.prefix { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self))
        }
        var value: [UInt8] = []
        var isEscaped = false
        for byte in rest.dropFirst() {
            if isEscaped {
                isEscaped = false
                switch byte {
                case UInt8(ascii: "t"): value.append(0x09)
                case UInt8(ascii: "n"): value.append(0x0A)
                case UInt8(ascii: "r"): value.append(0x0D)
                case UInt8(ascii: "v"): value.append(0x0B)
                default: value.append(byte)
                }
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return (name, String(decoding: value, as: UTF8.self))
            } else {
                value.append(byte)
            }
        }
        return nil
    }
}

/// Its URL may hold a secret.
extension CurlConfig.Transfer: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: ["line": line]) }
}
