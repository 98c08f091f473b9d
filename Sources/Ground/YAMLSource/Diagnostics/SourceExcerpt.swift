/// The source line of a diagnostic, made safe to print, with the position to point at.
package struct SourceExcerpt: Sendable, Hashable {
    /// The line as shown: control characters visible, tabs as spaces, a long line cut around the position.
    package let line: String
    /// Columns of the terminal to the left of the position.
    package let indent: Int

    package var caretLine: String { String(repeating: " ", count: indent) + "^" }

    /// The limit on a shown line's columns.
    package static let widest = 110

    /// The line of `text` at `position`; nil if there is none, or it is empty.
    ///
    /// Lines end where YAML 1.1 ends them (LF, CR, CRLF, NEL, LS, PS), since that is how positions were counted.
    ///
    /// Secrets of addresses in it are masked; with `paths: false` their paths, too.
    package init?(of position: SourcePosition, in text: UnsafeRawBufferPointer, paths: Bool = true) {
        guard position.line > 0, let start = Self.start(ofLine: position.line, in: text) else { return nil }
        self.init(at: Int(position.column), inLine: UnsafeRawBufferPointer(rebasing: text[start...]), paths: paths)
        if line.isEmpty { return nil }
    }

    /// Shows the first line of `text` around a column.
    private init(at column: Int, inLine text: UnsafeRawBufferPointer, paths: Bool) {
        // What is shown, piece by piece, from so far before the place to so far behind it.
        var before: [(text: String, width: Int)] = []
        var beforeWidth = 0
        var head = 0
        var isCutBefore = false
        var after = ""
        var afterWidth = 0
        var isCutAfter = false
        var offset = 0
        var at = 1
        while offset < text.count {
            let (scalar, length) = Self.scalar(at: offset, in: text)
            if let scalar, Self.isBreak(scalar) { break }
            let piece: (text: String, width: Int)
            if let scalar {
                let replacement = PrintableScalars.replacement(for: scalar)
                piece = (
                    replacement ?? String(Character(scalar)), replacement?.count ?? PrintableScalars.width(of: scalar)
                )
            } else {
                let hex = String(text[offset], radix: 16, uppercase: true)
                piece = ("<\(hex.count < 2 ? "0" : "")\(hex)>", hex.count < 2 ? 4 : hex.count + 2)
            }
            if at < column {
                before.append(piece)
                beforeWidth += piece.width
                while beforeWidth > Self.widest {
                    beforeWidth -= before[head].width
                    head += 1
                    isCutBefore = true
                }
                if head > 4096 {
                    before.removeFirst(head)
                    head = 0
                }
            } else {
                // At least a third of the room is for the text after it.
                guard min(beforeWidth, Self.widest * 2 / 3) + afterWidth + piece.width <= Self.widest else {
                    isCutAfter = true
                    break
                }
                after += piece.text
                afterWidth += piece.width
            }
            offset += length
            at += 1
        }
        while beforeWidth + afterWidth > Self.widest, head < before.count {
            beforeWidth -= before[head].width
            head += 1
            isCutBefore = true
        }
        let shownBefore = before[head...].map(\.text).joined()
        let shown = AddressRedactor.masked(
            shownBefore + after, paths: !paths, isCutBefore: isCutBefore, isCutAfter: isCutAfter)
        line = (isCutBefore ? "…" : "") + shown + (isCutAfter ? "…" : "")
        indent = beforeWidth + (isCutBefore ? 1 : 0)
    }

    private static func start(ofLine wanted: UInt32, in text: UnsafeRawBufferPointer) -> Int? {
        var line: UInt32 = 1
        var offset = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while line < wanted {
            guard offset < text.count else { return nil }
            switch text[offset] {
            case 0x0A: (line, offset) = (line + 1, offset + 1)
            case 0x0D:
                let isPair = offset + 1 < text.count && text[offset + 1] == 0x0A
                (line, offset) = (line + 1, offset + (isPair ? 2 : 1))
            case 0xC2, 0xE2:
                let (scalar, length) = scalar(at: offset, in: text)
                if let scalar, isBreak(scalar) { line += 1 }
                offset += length
            default: offset += 1
            }
        }
        return offset
    }

    static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// The scalar at an offset and its length; nil and 1 for invalid UTF-8.
    static func scalar(at offset: Int, in text: UnsafeRawBufferPointer) -> (Unicode.Scalar?, Int) {
        if text[offset] < 0x80 { return (Unicode.Scalar(text[offset]), 1) }
        var decoder = UTF8()
        var bytes = text[offset..<min(offset + 4, text.count)].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return (nil, 1) }
        return (scalar, UTF8.width(scalar))
    }
}
