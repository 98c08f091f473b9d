import ArgumentParser

/// How a sync transfers, what it may delete and what it limits itself to.
struct TransferOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("Downloads at the same time (default: 3).", valueName: "n"))
    var jobs: String?

    @Option(help: ArgumentHelp("Bytes a second for each download, such as 2M; off for no limit.", valueName: "rate"))
    var limitRate: String?

    @Option(
        help: ArgumentHelp(
            """
            Bytes a second for the whole run: 10M, off, or by the time of day as in rclone, such as "08:00,512K 23:00,off", \
            with weekdays such as Sat-10:00,off.
            """, valueName: "rate"))
    var bwlimit: String?

    @Option(
        help: ArgumentHelp(
            "Connections to one host (default: 8, or --jobs or --segments-per-download if that is higher).",
            valueName: "n"))
    var maxConnectionsPerHost: String?

    @Option(help: ArgumentHelp("Segments of a stream at the same time (default: 8).", valueName: "n"))
    var segmentsPerDownload: String?

    @Option(
        help: ArgumentHelp(
            "What makes one .mp4 of a stream: a path, or none to keep it as it comes (default: ffmpeg of the PATH).",
            valueName: "path|none"), completion: .file())
    var ffmpeg: String?

    @Option(
        help: ArgumentHelp(
            "What a stream becomes: a file, or a package: a folder with a playlist that plays offline (default: file).",
            valueName: "file|package"), completion: .list(["file", "package"]))
    var container: String?

    @Option(help: ArgumentHelp("Attempts without progress before a download fails (default: 10).", valueName: "n"))
    var retries: String?

    @Option(
        help: ArgumentHelp(
            "Wait within this run for retries that are due this soon (default: 10m).", valueName: "duration"))
    var maxWait: String?

    @Option(
        help: ArgumentHelp("Certificate authorities to trust instead of the system's, as PEM.", valueName: "file"),
        completion: .file(extensions: ["pem", "crt"]))
    var caFile: String?

    @Flag(inversion: .prefixedNo, help: "Hash every file and record its SHA-256 (default: --checksum).")
    var checksum: Bool?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Limit the run to a selector; may be given several times.", valueName: "selector"))
    var only: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Remove what is no longer in the catalogs, once all that is in them is there (default: --no-prune).")
    var prune: Bool?

    @Option(
        help: ArgumentHelp(
            "Remove nothing if --prune would remove more downloads that have begun than this (default: 10%).",
            valueName: "n|n%"))
    var maxDelete: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Fetch anew what is gone from the library, however much it is; else a course that has lost more files at once than \
            --max-delete allows is left alone (default: --no-refetch-lost).
            """)
    var refetchLost: Bool?

    @Flag(name: [.customShort("n"), .long], help: "Say what would be done and why; do nothing.")
    var dryRun = false

    /// The texts given, by the names of their settings.
    var texts: [String: [String]] {
        var texts = [
            "jobs": jobs, "limit-rate": limitRate, "bwlimit": bwlimit,
            "max-connections-per-host": maxConnectionsPerHost,
            "segments-per-download": segmentsPerDownload, "ffmpeg": ffmpeg, "container": container, "retries": retries,
            "max-wait": maxWait,
            "ca-file": caFile, "max-delete": maxDelete,
            "checksum": checksum.map(String.init), "prune": prune.map(String.init), "dry-run": dryRun ? "true" : nil,
            "refetch-lost": refetchLost.map(String.init),
        ].compactMapValues { $0.map { [$0] } }
        if !only.isEmpty { texts["only"] = only }
        return texts
    }
}
