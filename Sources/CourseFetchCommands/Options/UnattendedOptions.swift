import ArgumentParser

/// What a sync may use up, whom it waits for and whom it tells: for runs that nobody watches.
struct UnattendedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "End after this time, such as 4h; the next run goes on. Waiting for another sync counts.",
            valueName: "duration"))
    var maxDuration: String?

    @Option(
        help: ArgumentHelp(
            "End at this time of day, the next time it comes (06:00), or at an RFC 3339 time.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "End when this much has been received, such as 50G, sidecars included; off for no limit.",
            valueName: "size"))
    var maxTransfer: String?

    @Option(
        help: ArgumentHelp(
            """
            Keep this much free on the library's disk, such as 5G: what won't fit isn't begun; 0 looks only whether it \
            fits (default: off).
            """, valueName: "size"))
    var minFreeSpace: String?

    @Option(
        help: ArgumentHelp(
            """
            Wait this long for another sync of the same user to end (default: 0 where standard input or standard error \
            is a terminal, else 1h).
            """, valueName: "duration"))
    var wait: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Stay when all is done, and look again every --every and when a catalog file changes (default: --no-watch).
            """)
    var watch: Bool?

    @Option(help: ArgumentHelp("How often --watch looks again (default: 1h).", valueName: "duration"))
    var every: String?

    @Option(
        help: ArgumentHelp(
            "Write how it ended to this file, as JSON; with --watch after each look.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Run this with /bin/sh when it has ended, the same JSON on its standard input; 5 minutes at most.",
            valueName: "command"))
    var onFinish: String?

    /// The texts given, by the names of their settings.
    var texts: [String: [String]] {
        [
            "max-duration": maxDuration, "until": until, "max-transfer": maxTransfer, "min-free-space": minFreeSpace,
            "wait": wait, "watch": watch.map(String.init), "every": every, "report": report, "on-finish": onFinish,
        ].compactMapValues { $0.map { [$0] } }
    }
}
