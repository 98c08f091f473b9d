extension SourceRecord {
    /// What may name it: without what is missing, and each only once.
    static func names(_ candidates: String?...) -> [String] {
        var names: [String] = []
        for case let name? in candidates where !name.isEmpty && !names.contains(name) { names.append(name) }
        return names
    }

    static func lastComponent(_ path: String?) -> String? { path?.split(separator: "/").last.map(String.init) }

    /// A file's name without its ending.
    static func stem(_ name: String?) -> String? {
        guard let name, let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }
}
