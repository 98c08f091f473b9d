import Foundation

/// Reads JSON as a property list: an app's archive may be either.
enum JSONPropertyList {
    /// The value that the text is.
    static func read(_ bytes: [UInt8]) throws(FormatFault) -> PropertyList {
        guard bytes.count <= PropertyList.textBound else { throw .tooLarge }
        var budget = NodeBudget(ofFile: bytes.count)
        guard let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) else {
            throw .malformed
        }
        return try self.value(value, &budget, depth: 0)
    }

    private static func value(
        _ value: Any, _ budget: inout NodeBudget, depth: Int
    ) throws(FormatFault) -> PropertyList {
        guard depth < PropertyList.depthBound else { throw .tooDeep }
        try budget.take(1)
        switch value {
        case let text as String: return .string(text)
        case let members as [String: Any]:
            var values: [String: PropertyList] = [:]
            for (key, member) in members { values[key] = try self.value(member, &budget, depth: depth + 1) }
            return .dictionary(values)
        case let members as [Any]:
            var values: [PropertyList] = []
            for member in members { values.append(try self.value(member, &budget, depth: depth + 1)) }
            return .array(values)
        case let number as NSNumber:
            // Integers beyond Int64 come as decimals.
            if number.objCType.pointee == CChar(UInt8(ascii: "c")) {
                return .boolean(number.boolValue)
            } else if let whole = Int64(exactly: number.doubleValue), abs(whole) < 1 << 53 {
                return .integer(whole)
            } else {
                return Int64(number.stringValue).map { .integer($0) } ?? .real(number.doubleValue)
            }
        default: return .null
        }
    }
}
