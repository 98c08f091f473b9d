import ArgumentParser

/// What a sync prints.
struct OutputOptions: ParsableArguments {
    @Flag(name: [.short, .long], inversion: .prefixedNo, help: "Print nothing if all goes well.")
    var quiet: Bool?

    @Flag(name: [.short, .long], inversion: .prefixedNo, help: "Tell what is going on inside.")
    var verbose: Bool?

    @Flag(help: "Print events as JSON on standard output, one object a line.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "Draw the live view (default: on a terminal, without --quiet and --json).")
    var progress: Bool?

    /// The texts given, by the names of their settings.
    var texts: [String: [String]] {
        [
            "quiet": quiet.map(String.init), "verbose": verbose.map(String.init), "json": json ? "true" : nil,
            "progress": progress.map(String.init),
        ].compactMapValues { $0.map { [$0] } }
    }
}
