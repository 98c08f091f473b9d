import Foundation
import XMLSource

/// Reads the XML form of property lists.
enum XMLPropertyList {
    /// The value that the document is.
    static func read(_ bytes: [UInt8], _ budget: inout NodeBudget) throws(FormatFault) -> PropertyList {
        guard let root = XMLElement(bytes) else { throw .malformed }
        let value = root.name == "plist" ? root.children.first : root
        guard let value, root.name != "plist" || root.children.count == 1 else { throw .malformed }
        return try self.value(value, &budget, depth: 0)
    }

    private static func value(
        _ element: XMLElement, _ budget: inout NodeBudget, depth: Int
    ) throws(FormatFault) -> PropertyList {
        guard depth < PropertyList.depthBound else { throw .tooDeep }
        try budget.take(1)
        switch element.name {
        case "string": return .string(element.text)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "integer": return try integer(element.words ?? "")
        case "real":
            guard let number = Double(element.words ?? "") else { throw .malformed }
            return .real(number)
        case "date":
            guard let date = date(element.words ?? "") else { throw .malformed }
            return .date(date)
        case "data":
            let text = element.text.filter { !$0.isWhitespace }
            guard let data = Data(base64Encoded: text) else { throw .malformed }
            return .data(data)
        case "array":
            var values: [PropertyList] = []
            for child in element.children { values.append(try value(child, &budget, depth: depth + 1)) }
            return .array(values)
        case "dict":
            var values: [String: PropertyList] = [:]
            guard element.children.count.isMultiple(of: 2) else { throw .malformed }
            for place in stride(from: 0, to: element.children.count, by: 2) {
                let key = element.children[place]
                guard key.name == "key" else { throw .malformed }
                values[key.text] = try value(element.children[place + 1], &budget, depth: depth + 1)
            }
            // This form has no other way to write a reference.
            if values.count == 1, case .integer(let number)? = values["CF$UID"], let uid = UInt32(exactly: number) {
                return .uid(uid)
            }
            return .dictionary(values)
        default: throw .malformed
        }
    }

    private static func integer(_ text: String) throws(FormatFault) -> PropertyList {
        var digits = Substring(text)
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits = digits.dropFirst() }
        let isHex = digits.lowercased().hasPrefix("0x")
        let number = UInt64(isHex ? digits.dropFirst(2) : digits, radix: isHex ? 16 : 10)
        guard let number, digits.first != "+", digits.first != "-" else { throw .malformed }
        if !isNegative { return Int64(exactly: number).map { .integer($0) } ?? .real(Double(number)) }
        guard number <= Int64.max.magnitude + 1 else { throw .malformed }
        return .integer(Int64(truncatingIfNeeded: 0 &- number))
    }

    /// `2026-11-23T01:29:00Z`, the only form that there is.
    private static func date(_ text: String) -> Date? {
        let parts = text.split(omittingEmptySubsequences: false) { "-T:Z".contains($0) }
        guard text.utf8.count == 20, text.hasSuffix("Z"), parts.count == 7 else { return nil }
        let numbers = parts.prefix(6).compactMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
        guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), numbers[3] < 24,
            numbers[4] < 60, numbers[5] <= 60
        else { return nil }
        // Years begin in March, so that a leap day is the last of its year.
        let year = numbers[1] < 3 ? numbers[0] - 1 : numbers[0]
        let month = (numbers[1] + 9) % 12
        let leapDays = year >= 0 ? year / 4 - year / 100 + year / 400 : -1
        let days = 365 * year + leapDays + (153 * month + 2) / 5 + numbers[2] - 1 - 719_468
        return Date(timeIntervalSince1970: Double(days * 86400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]))
    }
}
