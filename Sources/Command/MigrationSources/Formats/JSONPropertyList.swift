import TextFormats

/// Reads JSON as a property list: an app's archive may be either.
enum JSONPropertyList {
    /// The value that the text is.
    static func read(_ bytes: [UInt8]) throws(FormatFault) -> PropertyList {
        guard bytes.count <= PropertyList.textBound else { throw .tooLarge }
        var budget = NodeBudget(ofFile: bytes.count)
        let value: JSONValue
        do throws(JSONReader.Fault) {
            value = try JSONReader.value(of: bytes)
        } catch {
            throw error == .tooDeep ? .tooDeep : .malformed
        }
        return try self.value(value, &budget, depth: 0)
    }

    private static func value(
        _ value: JSONValue, _ budget: inout NodeBudget, depth: Int
    ) throws(FormatFault) -> PropertyList {
        guard depth < PropertyList.depthBound else { throw .tooDeep }
        try budget.take(1)
        switch value {
        case .null: return .null
        case .bool(let truth): return .boolean(truth)
        case .int(let number): return .integer(number)
        case .double(let number): return .real(number)
        case .string(let text): return .string(text)
        case .array(let members):
            var values: [PropertyList] = []
            for member in members { values.append(try self.value(member, &budget, depth: depth + 1)) }
            return .array(values)
        case .object(let members):
            var values: [String: PropertyList] = [:]
            for (key, member) in members { values[key] = try self.value(member, &budget, depth: depth + 1) }
            return .dictionary(values)
        }
    }
}
