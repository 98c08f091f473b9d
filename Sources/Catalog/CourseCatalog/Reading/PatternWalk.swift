#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Finds the paths that a pattern matches, folder by folder, and gives up if there are too many names: a pattern may
/// come from a stranger, and `/usr/*/*/*/*` would search the whole disk.
struct PatternWalk {
    /// The limit on checked names.
    static let bound = 100_000

    /// Whether there were more names; the matches are meaningless then.
    private(set) var isOver = false
    private var left: Int
    private var found: [String] = []

    /// - Parameter bound: the limit on checked names.
    init(bound: Int = Self.bound) { left = bound }

    /// The paths that a pattern matches, sorted by their bytes; relative ones are searched in `folder`. At most one
    /// more than ``CatalogBounds/files``, which is an error already.
    ///
    /// As in a shell `*`, `?` and `[…]` match within a component, a leading dot has to be written, and a backslash
    /// escapes the next character.
    mutating func matches(_ pattern: String, in folder: String) -> [String] {
        let components = pattern.split(separator: "/")
        walk(pattern.hasPrefix("/") ? "/" : folder, components[...])
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private mutating func walk(_ folder: String, _ components: ArraySlice<Substring>) {
        guard let component = components.first, !isDone, folder.utf8.count < Int(PATH_MAX) else { return }
        let rest = components.dropFirst()
        guard IncludePattern.isPattern(component) else {
            return go(Self.path(folder, Self.literal(component)), rest, isKnown: false)
        }
        for name in names(in: folder, matching: String(component)) {
            go(Self.path(folder, name), rest, isKnown: true)
        }
    }

    private mutating func go(_ path: String, _ rest: ArraySlice<Substring>, isKnown: Bool) {
        guard !isDone else { return }
        guard rest.isEmpty else { return walk(path, rest) }
        var facts = stat()
        if isKnown || lstat(path, &facts) == 0 { found.append(path) }
    }

    private var isDone: Bool { isOver || found.count > CatalogBounds.files }

    /// Closes the folder before its entries are checked, so that a deep pattern doesn't use up descriptors.
    private mutating func names(in folder: String, matching pattern: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            guard left > 0 else {
                isOver = true
                return []
            }
            left -= 1
            withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 1) { name in
                    guard strcmp(name, ".") != 0, strcmp(name, "..") != 0, fnmatch(pattern, name, FNM_PERIOD) == 0
                    else { return }
                    names.append(String(cString: name))
                }
            }
        }
        return names
    }

    private static func path(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    /// Without escaping backslashes.
    private static func literal(_ component: Substring) -> String {
        var text = ""
        var isEscaped = false
        for character in component {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                text.append(character)
                isEscaped = false
            }
        }
        return text
    }
}
