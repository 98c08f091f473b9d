import MediaTransfer

/// An address with identifiers for the number and time of a segment. Related: ISO/IEC 23009-1 §5.3.9.4.4.
struct AddressTemplate: Sendable, Equatable, RedactedInPrint {
    private enum Piece: Sendable, Equatable {
        case text(String)
        case number(width: Int)
        case time(width: Int)
    }

    private static let widthLimit = 64
    private var pieces: [Piece] = []

    /// Nil for an unknown identifier, one that doesn't end, or a format other than a width.
    init?(_ text: String, id: String, bandwidth: Int64) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return nil }
        for (number, part) in parts.enumerated() {
            if number % 2 == 0 {
                add(String(part))
                continue
            }
            let name = part.prefix { $0 != "%" }
            guard let width = Self.width(part.dropFirst(name.count)) else { return nil }
            switch name {
            case "": add("$")
            case "RepresentationID": add(id)
            case "Bandwidth": add(Self.digits(bandwidth, width))
            case "Number": pieces.append(.number(width: width))
            case "Time": pieces.append(.time(width: width))
            default: return nil
            }
        }
    }

    /// The address of one segment.
    func address(number: Int64 = 0, time: Int64 = 0) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .number(let width): text += Self.digits(number, width)
            case .time(let width): text += Self.digits(time, width)
            }
        }
        return text
    }

    private mutating func add(_ text: String) { if !text.isEmpty { pieces.append(.text(text)) } }

    /// The width in `%05d`; 1 without a format.
    private static func width(_ format: Substring) -> Int? {
        guard !format.isEmpty else { return 1 }
        guard format.hasPrefix("%0"), format.hasSuffix("d"), let width = Int(format.dropFirst(2).dropLast()),
            (0...widthLimit).contains(width)
        else { return nil }
        return width
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
