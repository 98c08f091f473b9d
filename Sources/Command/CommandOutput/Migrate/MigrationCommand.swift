import SyncFacts

/// The command line of a migration, to be pasted with other options.
struct MigrationCommand {
    /// From `migrate` on.
    var words: [String]

    /// Options that a new one replaces, and those that aren't for the next run.
    private static let methods: Set = ["--copy", "--link", "--move"]

    /// The command with these options; what was only for trying is left out.
    func adding(_ options: [String]) -> String {
        var kept: [String] = []
        for word in words {
            if ["--dry-run", "-n", "--json"].contains(word) { continue }
            if !Self.methods.isDisjoint(with: options), Self.methods.contains(word) { continue }
            kept.append(word)
        }
        let isThere = options.first.map { option in kept.contains { $0 == option || $0.hasPrefix(option + "=") } }
        // The catalog that was written before is one like the others now.
        if isThere == true, options.first == "--write-catalog" {
            kept = kept.map { $0 == "--write-catalog" ? "--catalog" : $0 }
                .map { $0.hasPrefix("--write-catalog=") ? "--catalog=" + $0.dropFirst(16) : $0 }
            return (["coursefetch"] + (kept + ["--write-catalog", "migrated-2.yaml"]).map(Self.written))
                .joined(separator: " ")
        }
        return (["coursefetch"] + (kept + (isThere == true ? [] : options)).map(Self.written)).joined(separator: " ")
    }

    /// Quoted where a shell would read it otherwise. An option stays one.
    private static func written(_ word: String) -> String {
        guard word.hasPrefix("-"), word.count > 1 else { return ShellWord.quoted(word) }
        guard let sign = word.firstIndex(of: "=") else {
            return word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
                ? word : ShellWord.quoted(word)
        }
        return word[...sign] + ShellWord.quoted(String(word[word.index(after: sign)...]))
    }
}
