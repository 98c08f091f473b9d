import CourseCatalog
import PathLayout
import SyncFacts
import UserState

/// Every setting, once. The options of `sync`, the variables, the settings file, the manual and `doctor` are derived
/// from it; an option group determines only its place in the help.
struct SettingTable: Sendable {
    static let shared = SettingTable()

    // MARK: catalogs

    /// A positional argument on the command line.
    let catalogs = SettingKey<[String]>(
        "catalogs", .list("catalog", separator: " ", addsUp: false), standard: [],
        help: "Catalogs of a sync: files, - for standard input, or http(s) addresses.", isPath: true, words: ["-"]
    ) { text throws(ValueError) in
        guard !text.isEmpty else { throw .empty }
        return [text]
    }

    // MARK: places

    let library = SettingKey<String?>(
        "library", .value("folder"), standard: nil,
        help: """
            Folder for finished videos; {user} is replaced (default: where the last sync or library move has it, at \
            first ~/coursefetch/NAME).
            """, isPath: true,
        parse: SettingFormat.nonEmpty)
    let state = SettingKey<String?>(
        "state", .value("folder"), standard: nil,
        help: "Folder for the state (default: ~/.local/state/coursefetch).", isPath: true,
        parse: SettingFormat.nonEmpty)
    let user = SettingKey<String?>(
        "user", .value("name"), standard: nil, help: "User name (default: your account's name)."
    ) { text throws(ValueError) in
        guard (try? UserName(text)) != nil else { throw .userName(text) }
        return text
    }
    let shard = SettingKey<ShardSetting?>(
        "shard", .value("i/n|auto"), standard: nil,
        help: """
            The courses of one of n shards, such as 2/8, with a state of their own; auto: the task of an array of \
            Slurm, or of an Indexed Job with --shards.
            """
    ) { text throws(ValueError) in
        if text == "auto" { return .automatic }
        guard let shard = Shard(text) else { throw .notAShard(text) }
        return .given(shard)
    }
    let shards = SettingKey<Int?>(
        "shards", .value("n"), standard: nil, help: "The number of shards for --shard auto, where it can't be told."
    ) { text throws(ValueError) in try SettingFormat.wholeNumber(text, 1...Shard.bound) }
    let localState = SettingKey<String?>(
        "local-state", .value("folder"), standard: nil,
        help: """
            Folder for the states of shards, on a disk of this machine; session and logins stay in the folder of \
            --state (default: the same).
            """, isPath: true,
        parse: SettingFormat.nonEmpty)
    let plugins = SettingKey<[String]>(
        "plugins", .list("folder", separator: ":", addsUp: true), standard: [],
        help: "Folder with provider plugins, searched before all others; can be repeated.", isPath: true
    ) { text throws(ValueError) in
        guard !text.isEmpty else { throw .empty }
        return [text]
    }

    let layout = SettingKey<PathLayout>(
        "layout", .value("name|template"), standard: .standard,
        help: """
            How files are named: plain, plex, jellyfin, podcast, or a template such as \
            "{course}/{number:02} {title}.{ext}" (default: plain); a catalog may say otherwise.
            """
    ) { text throws(ValueError) in
        do throws(LayoutError) { return try PathLayout(text) } catch {
            throw .layout(
                error.suggestion.map { "\(error.message); did you mean '\($0)'?" } ?? error.message,
                offset: error.offset)
        }
    }

    /// Each is a command for all providers, or `PROVIDER=COMMAND`.
    let credentialHelper = SettingKey<[CredentialHelperSetting]>(
        "credential-helper", .list("command", separator: "\n", addsUp: true), standard: [],
        help: """
            Command that stores login secrets, in git-credential's protocol, or PROVIDER=COMMAND for one provider; \
            can be repeated.
            """
    ) { text throws(ValueError) in
        guard !text.isEmpty else { throw .empty }
        return [CredentialHelperSetting(text)]
    }

    // MARK: transfer

    let jobs = SettingKey<JobCount>(
        "jobs", .value("n|auto"), short: "j", standard: .automatic,
        help: "Number of downloads at the same time; auto: as many as make it faster, 16 at most (default: {standard})."
    ) { text throws(ValueError) in text == "auto" ? .automatic : .fixed(try SettingFormat.wholeNumber(text, 1...256)) }
    let limitRate = SettingKey<Int64?>(
        "limit-rate", .value("rate"), standard: nil,
        help: "Bandwidth limit for each download in bytes per second, such as 2M, or off.", parse: ByteAmount.parseRate)
    let bwlimit = SettingKey<BandwidthTimetable>(
        "bwlimit", .value("rate"), standard: .unlimited,
        help: """
            Bandwidth limit for the whole run: 10M, off, or a timetable as in rclone, such as "08:00,512K 23:00,off", \
            with weekdays such as Sat-10:00,off.
            """, parse: BandwidthParser.parse)
    let maxConnectionsPerHost = SettingKey<Int?>(
        "max-connections-per-host", .value("n"), standard: nil,
        help: """
            Connections to one host (default: 8, or --jobs, --connections-per-file or --segments-per-download if that \
            is higher).
            """
    ) { text throws(ValueError) in try SettingFormat.wholeNumber(text, 1...256) }
    let connectionsPerFile = SettingKey<ConnectionCount>(
        "connections-per-file", .value("n|auto"), standard: .automatic,
        help: "Connections for one file; auto: more than one while slots are free (default: {standard})."
    ) { text throws(ValueError) in text == "auto" ? .automatic : .fixed(try SettingFormat.wholeNumber(text, 1...64)) }
    let segmentsPerDownload = SettingKey<Int>(
        "segments-per-download", .value("n"), standard: 8,
        help: "Segments of a stream at the same time (default: {standard})."
    ) { text throws(ValueError) in try SettingFormat.wholeNumber(text, 1...64) }
    let ffmpeg = SettingKey<FFmpegChoice>(
        "ffmpeg", .value("path|none"), standard: .automatic,
        help: "Path of ffmpeg, which converts streams to .mp4; none to disable it (default: ffmpeg in PATH).",
        isPath: true, words: ["none"]
    ) { text throws(ValueError) in
        guard !text.isEmpty else { throw .empty }
        return text == "none" ? .none : .path(text)
    }
    let container = SettingKey<StreamContainer>(
        "container", .value("file|package"), standard: .file,
        help: """
            Store a stream as a file, or as a package: a folder with a playlist that plays offline (default: \
            {standard}).
            """
    ) { text throws(ValueError) in
        guard let container = StreamContainer(rawValue: text) else {
            throw .notOneOf(text, StreamContainer.allCases.map(\.rawValue))
        }
        return container
    }
    let retries = SettingKey<Int>(
        "retries", .value("n"), standard: 10,
        help: "Attempts without progress before a download fails (default: {standard})."
    ) { text throws(ValueError) in try SettingFormat.wholeNumber(text, 0...1000) }
    let maxWait = SettingKey<Duration>(
        "max-wait", .value("duration"), standard: .seconds(600),
        help: "Longest wait for a retry within this run (default: {standard}).",
        parse: DurationParser.parse)
    let maxSize = SettingKey<Int64?>(
        "max-size", .value("size"), standard: nil,
        help: """
            Download no file that is larger than this, such as 5G, or off; a file whose size nobody tells ends at \
            64 GiB. max_size in the catalog goes before it.
            """,
        parse: ByteAmount.parseRate)
    let caFile = SettingKey<String?>(
        "ca-file", .value("file"), standard: nil,
        help: "PEM file with certificate authorities of your own.", isPath: true,
        parse: SettingFormat.nonEmpty)
    let only = SettingKey<[Selector]>(
        "only", .list("selector", separator: " ", addsUp: false), standard: [],
        help: "Limit the run to a selector; can be repeated."
    ) { text throws(ValueError) in
        do throws(SelectorError) { return [try Selector(text)] } catch {
            throw .selector(SelectorSyntax.message(error))
        }
    }
    let discover = SettingKey<Bool>(
        "discover", standard: true,
        help: """
            Ask providers for the listings of courses with discover; without it, the last listings are used (default: \
            {standard}).
            """)
    let acceptListing = SettingKey<Bool>(
        "accept-listing", isInvertible: false,
        help: "Use listings at once that have lost many videos, or all of them.")
    let prune = SettingKey<Bool>(
        "prune",
        help: "Remove videos that are no longer in the catalogs, once all others are finished (default: {standard}).")
    let maxDelete = SettingKey<MaxDelete>(
        "max-delete", .value("n|n%"), standard: .standard,
        help: "Remove nothing if --prune would remove more videos than this (default: {standard}).",
        parse: SettingFormat.maxDelete)
    let refetchLost = SettingKey<Bool>(
        "refetch-lost",
        help: """
            Download all missing files again. Without it, a course that lost more than a tenth of its files at once is \
            left unchanged (default: {standard}).
            """)
    /// Nil: the default depends on whether there is a terminal.
    let retryFailed = SettingKey<Bool?>(
        "retry-failed", .flag(isInvertible: true), standard: nil,
        help: """
            Try what failed again before its time, where the cause may be gone (default: where standard input or \
            standard error is a terminal).
            """
    ) { text throws(ValueError) in try SettingFormat.flag(text) }
    let checksum = SettingKey<Bool>(
        "checksum", standard: true, help: "Hash every file and record its SHA-256 (default: {standard}).")
    let dryRun = SettingKey<Bool>(
        "dry-run", short: "n", isInvertible: false, help: "Show what sync would do and why; change nothing.")
    let list = SettingKey<Bool>(
        "list", isInvertible: false,
        help: "With --dry-run: ask providers for the listings of courses with discover, as sync does.")

    // MARK: beside the videos

    let writeNfo = SettingKey<Bool>(
        "write-nfo", help: "Write .nfo files for Kodi and Jellyfin (default: {standard}).")
    let writeInfoJson = SettingKey<Bool>(
        "write-info-json", help: "Write what is known of each video to an .info.json (default: {standard}).")
    let writePlaylist = SettingKey<Bool>(
        "write-playlist", help: "Write a playlist.m3u8 for each course and chapter (default: {standard}).")
    let writeIndex = SettingKey<Bool>(
        "write-index", help: "Write an index.html that plays each course in a browser (default: {standard}).")

    // MARK: output

    let quiet = SettingKey<Bool>("quiet", short: "q", help: "Print nothing unless something fails.")
    let verbose = SettingKey<Bool>("verbose", short: "v", help: "Print debug messages.")
    let trace = SettingKey<Bool>(
        "trace", short: "vv", isInvertible: false,
        help: "Also print every request to a plugin and its answer, without secrets.")
    let json = SettingKey<Bool>(
        "json", isInvertible: false, help: "Print events as JSON on standard output, one object per line.")
    let progress = SettingKey<Bool?>(
        "progress", .flag(isInvertible: true), standard: nil,
        help: "Show the live view (default: on a terminal, without --quiet and --json)."
    ) { text throws(ValueError) in try SettingFormat.flag(text) }

    let shardBy = SettingKey<ShardUnit>(
        "shard-by", .value("course|video"), standard: .course,
        help: """
            What shards divide: whole courses, or the videos of each course, for courses that are too large for one \
            shard (default: {standard}).
            """
    ) { text throws(ValueError) in
        guard let unit = ShardUnit(rawValue: text) else {
            throw .notOneOf(text, ShardUnit.allCases.map(\.rawValue))
        }
        return unit
    }
    let limitsPerShard = SettingKey<Bool>(
        "limits-per-shard",
        help: """
            --bwlimit, --max-transfer and --max-connections-per-host are those of each shard; without it, of all \
            shards together (default: {standard}).
            """)

    // MARK: unattended

    let maxDuration = SettingKey<Duration?>(
        "max-duration", .value("duration"), standard: nil,
        help: "Stop after this time, such as 4h; the next sync continues. Waiting for another sync counts."
    ) { text throws(ValueError) in try DurationParser.parse(text) }
    let until = SettingKey<RunWindow.End?>(
        "until", .value("time"), standard: nil,
        help: "Stop at this time of day (06:00) or at an RFC 3339 time; the next sync continues."
    ) { text throws(ValueError) in
        guard let end = RunWindow.End(text) else { throw .notATime(text) }
        return end
    }
    let between = SettingKey<RunWindow.Hours?>(
        "between", .value("hours"), standard: nil,
        help: "Begin only in these hours of the day (01:00-06:00), and stop at their end; the next sync continues."
    ) { text throws(ValueError) in
        guard let hours = RunWindow.Hours(text) else { throw .notHours(text) }
        return hours
    }
    let maxTransfer = SettingKey<Int64?>(
        "max-transfer", .value("size"), standard: nil,
        help: "Stop after this much was downloaded, such as 50G, or off; the next sync continues.",
        parse: ByteAmount.parseRate)
    /// `0` reserves nothing, but still checks whether a download will fit.
    let minFreeSpace = SettingKey<FreeSpaceFloor>(
        "min-free-space", .value("size"), standard: .standard,
        help: """
            Keep this much free on the library's disk, such as 5G: videos that don't fit aren't started; 0 only checks \
            that they fit, off checks nothing (default: {standard}).
            """
    ) { text throws(ValueError) in
        if text.lowercased() == "off" { return .off }
        return .bytes(text == "0" ? 0 : try ByteAmount.parse(text))
    }
    /// Nil: the default depends on whether there is a terminal.
    let wait = SettingKey<Duration?>(
        "wait", .value("duration"), standard: nil,
        help: """
            Wait this long for another sync of the same user to end (default: 0 on a terminal, otherwise 1h).
            """
    ) { text throws(ValueError) in try DurationParser.parse(text) }
    let watch = SettingKey<Bool>(
        "watch",
        help:
            "Keep running: sync again at each --every interval and when a catalog changes (default: {standard})."
    )
    let every = SettingKey<Duration>(
        "every", .value("duration"), standard: .seconds(3600),
        help: "Interval of --watch (default: {standard})."
    ) { text throws(ValueError) in
        let every = try DurationParser.parse(text)
        guard every >= .seconds(1) else { throw .tooShort(text, least: "1s") }
        return every
    }
    let report = SettingKey<String?>(
        "report", .value("file"), standard: nil,
        help: "Write a JSON report to this file; with --watch after each sync.", isPath: true,
        parse: SettingFormat.nonEmpty)
    let metricsFile = SettingKey<String?>(
        "metrics-file", .value("file"), standard: nil,
        help: """
            Write the measurements of the run to this file, such as coursefetch.prom for Prometheus's node exporter; \
            with --watch after each sync.
            """, isPath: true,
        parse: SettingFormat.nonEmpty)
    let onFinish = SettingKey<String?>(
        "on-finish", .value("command"), standard: nil,
        help:
            "Run this command with /bin/sh at the end, with the JSON report on its standard input; 5 minutes at most.",
        parse: SettingFormat.nonEmpty)

    /// All settings, in the order of their declaration.
    static let all: [any AnySettingKey] = Mirror(reflecting: shared).children.compactMap {
        $0.value as? any AnySettingKey
    }

    static func find(_ name: String) -> (any AnySettingKey)? { all.first { $0.name == name } }
}
