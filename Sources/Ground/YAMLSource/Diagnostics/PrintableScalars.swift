/// Makes text from outside safe to print on a terminal, and measures its width there.
package enum PrintableScalars {
    /// The text with control characters, direction marks and other invisible characters made visible.
    package static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { replacement(for: $0) != nil }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let shown = replacement(for: scalar) {
                result.append(contentsOf: shown.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The replacement of a scalar that mustn't reach a terminal; nil for one that may. Each is in one line.
    package static func replacement(for scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x20..<0x7F: return nil
        case 0x09: return " "
        case 0..<0x20: return Unicode.Scalar(0x2400 + scalar.value).map { String(Character($0)) }
        case 0x7F: return "\u{2421}"
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return hex(scalar)
        // Zero-width joiners are part of words and emoji; the other format characters can reorder text.
        case .format: return scalar.value == 0x200C || scalar.value == 0x200D ? nil : hex(scalar)
        default: return nil
        }
    }

    /// Columns that a scalar takes on a terminal: 0, 1 or 2.
    package static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "<U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)>"
    }

    /// East Asian wide and full-width ranges, and emoji, as terminals draw them (UAX #11, rounded to whole blocks).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x2614...0x2615, 0x26A1...0x26A1, 0x2705...0x2705,
        0x274C...0x274C, 0x2753...0x2755, 0x2795...0x2797, 0x2B50...0x2B50, 0x2E80...0x303E, 0x3041...0x33FF,
        0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x1F004...0x1F004,
        0x1F18E...0x1F19A, 0x1F200...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1FAFF,
        0x20000...0x3FFFD,
    ]
}
