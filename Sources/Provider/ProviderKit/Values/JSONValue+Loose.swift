/// For hosts that don't keep to one form.
extension JSONValue {
    /// What hosts write as an array if there are several, as the thing itself if there is one, and as null or an empty
    /// text without any.
    public var list: [JSONValue] {
        switch self {
        case .null, .string(""): []
        case .array(let values): values
        default: [self]
        }
    }

    /// A number that may be given as text (`"12"`, `"4955801.0"`); nil for anything else, also for one that isn't
    /// finite.
    public var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number.isFinite ? number : nil
        case .string(let text):
            text.count <= 40 && text.wholeMatch(of: /\s*[-+]?[0-9]*\.?[0-9]+(\.|[eE][-+]?[0-9]{1,3})?\s*/) != nil
                ? Double(text.filter { !$0.isWhitespace }.trimmingSuffix(".")).flatMap { $0.isFinite ? $0 : nil } : nil
        default: nil
        }
    }

    /// A whole number, which may be given as text or with a fraction of zero; nil for anything else, and beyond ±2⁵³,
    /// where JSON's numbers aren't exact.
    public var wholeNumber: Int64? {
        if case .int(let number) = self { return number.magnitude <= 1 << 53 ? number : nil }
        return number.flatMap { Int64(exactly: $0) }.flatMap { $0.magnitude <= 1 << 53 ? $0 : nil }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
