import ArgumentParser

/// The words of a command line that name a command.
struct CommandPath {
    /// The commands named, from the outside in.
    private(set) var path: [String] = []
    /// A word in the place of a command that isn't one.
    private(set) var unknown: String?
    /// The commands allowed in its place, without hidden ones.
    private(set) var names: [String] = []

    /// Reads them off the program's arguments.
    init(_ arguments: [String]) {
        var words = arguments[...]
        // help takes the same words.
        if words.first == "help" { words = words.dropFirst() }
        var commands = CourseFetch.configuration.subcommands
        while !commands.isEmpty {
            guard let word = words.popFirst(), !word.hasPrefix("-"), word != "help" else { return }
            let configurations = commands.map { $0.configuration }
            guard let next = configurations.first(where: { $0.commandName == word }) else {
                unknown = word
                names = configurations.filter(\.shouldDisplay).compactMap(\.commandName)
                return
            }
            path.append(word)
            commands = next.subcommands
        }
    }
}
