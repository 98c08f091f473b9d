import ArgumentParser

/// `--json`, of a command that prints facts.
struct JSONOption: ParsableArguments {
    @Flag(help: "Print JSON on standard output, one object a line; see docs/json.md.")
    var json = false
}
