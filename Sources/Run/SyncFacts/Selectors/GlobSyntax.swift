import DownloadStore
import TextFormats

extension Glob {
    /// Reads wildcards and percent-encoding. An encoded character is never a wildcard.
    static func parsed(_ bytes: [UInt8], text: String) throws(SelectorError) -> [Step] {
        var steps: [Step] = []
        var run: [UInt8] = []
        var position = 0

        func flush() throws(SelectorError) {
            guard !run.isEmpty else { return }
            guard let decoded = String(validating: run, as: UTF8.self) else { throw .badPercentEncoding(text) }
            steps += Identifier.normalized(decoded).unicodeScalars.map { .literal($0) }
            run = []
        }

        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "%"):
                run.append(try decodedByte(bytes, at: position, text: text))
                position += 3
            case UInt8(ascii: "*"):
                try flush()
                if steps.last != .many { steps.append(.many) }
                position += 1
            case UInt8(ascii: "?"):
                try flush()
                steps.append(.one)
                position += 1
            case UInt8(ascii: "["):
                try flush()
                let (step, end) = try bracket(bytes, from: position + 1, text: text)
                steps.append(step)
                position = end
            default:
                run.append(bytes[position])
                position += 1
            }
        }
        try flush()
        return steps
    }

    private static func decodedByte(_ bytes: [UInt8], at position: Int, text: String) throws(SelectorError) -> UInt8 {
        guard let byte = PercentEncoding.byte(at: position, of: bytes[...]) else { throw .badPercentEncoding(text) }
        return byte
    }

    /// The members between `[` and `]`; a `]` right after the opening is itself a member.
    private static func bracket(
        _ bytes: [UInt8], from start: Int, text: String
    ) throws(SelectorError) -> (Step, end: Int) {
        var position = start
        let negated =
            position < bytes.count && (bytes[position] == UInt8(ascii: "!") || bytes[position] == UInt8(ascii: "^"))
        if negated { position += 1 }
        var members: [UInt8] = []
        /// Positions in `members` of a `-` that wasn't encoded: only these make ranges.
        var dashes: Set<Int> = []
        while position < bytes.count, members.isEmpty || bytes[position] != UInt8(ascii: "]") {
            if bytes[position] == UInt8(ascii: "%") {
                members.append(try decodedByte(bytes, at: position, text: text))
                position += 3
            } else {
                if bytes[position] == UInt8(ascii: "-") { dashes.insert(members.count) }
                members.append(bytes[position])
                position += 1
            }
        }
        guard position < bytes.count else { throw .openBracket(text) }
        guard let decoded = String(validating: members, as: UTF8.self) else { throw .badPercentEncoding(text) }
        // Dashes are identified by position, which another spelling would shift.
        let normalized = dashes.isEmpty ? Identifier.normalized(decoded) : decoded
        return (.oneOf(ranges(of: normalized, dashes: dashes), negated: negated), position + 1)
    }

    private static func ranges(of members: String, dashes: Set<Int>) -> [ClosedRange<Unicode.Scalar>] {
        var scalars: [(scalar: Unicode.Scalar, isDash: Bool)] = []
        var offset = 0
        for scalar in members.unicodeScalars {
            scalars.append((scalar, dashes.contains(offset)))
            offset += UTF8.width(scalar)
        }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var index = 0
        while index < scalars.count {
            let low = scalars[index].scalar
            if index + 2 < scalars.count, scalars[index + 1].isDash {
                let high = scalars[index + 2].scalar
                if low <= high { ranges.append(low...high) }
                index += 3
            } else {
                ranges.append(low...low)
                index += 1
            }
        }
        return ranges
    }
}

extension Glob: CustomStringConvertible {
    /// The text that reads back as this part.
    package var description: String {
        if let id { return Self.encoded(id) }
        return pattern
    }

    /// An id with everything percent-encoded that a selector, a shell or a terminal would interpret.
    package static func encoded(_ id: String) -> String {
        var text = ""
        for (index, scalar) in id.unicodeScalars.enumerated() {
            if isPlain(scalar, first: index == 0) {
                text.unicodeScalars.append(scalar)
            } else {
                text += PercentEncoding.encoded(String(scalar)) { _ in false }
            }
        }
        return text
    }

    private static func isPlain(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
        guard !scalar.isASCII else {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", ".", ",", ":", "+", "@": return true
            case "-": return !first
            default: return false
            }
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            return false
        // It would join with the separator before it.
        case .nonspacingMark, .enclosingMark, .spacingMark: return !first
        default: return true
        }
    }
}

extension Glob.Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .literal(let scalar): Glob.encoded(String(scalar))
        case .one: "?"
        case .many: "*"
        case .oneOf(let ranges, let negated):
            "[" + (negated ? "!" : "")
                + ranges.map {
                    $0.lowerBound == $0.upperBound
                        ? Self.member($0.lowerBound) : "\(Self.member($0.lowerBound))-\(Self.member($0.upperBound))"
                }.joined() + "]"
        }
    }

    private static func member(_ scalar: Unicode.Scalar) -> String {
        scalar == "-" ? "%2D" : Glob.encoded(String(scalar))
    }
}
