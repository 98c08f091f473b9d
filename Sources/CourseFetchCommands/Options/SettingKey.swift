import DownloadRunner

/// A setting: one name for the option, the variable and the key in the settings file, and how its text is read.
struct SettingKey<Value: Sendable>: Sendable {
    let name: String
    /// What holds where nobody says anything.
    let standard: Value
    /// Whether the text is a path: `~` is the home folder then, and in the settings file it is relative to that file.
    var isPath = false
    /// Texts that aren't paths all the same.
    var words: Set<String> = []
    let parse: @Sendable (String) throws(ValueError) -> Value

    /// The variable that holds it: `COURSEFETCH_MAX_WAIT` for `max-wait`.
    var variable: String { SettingNames.variable(for: name) }
}

/// The names of all settings, which are those of the long options of `sync`.
enum SettingNames {
    /// Names that take a value.
    static let values = [
        "library", "state", "user", "plugins", "jobs", "limit-rate", "bwlimit", "max-connections-per-host",
        "segments-per-download", "ffmpeg", "container", "retries",
        "max-wait", "ca-file", "max-delete", "only", "max-duration", "until", "max-transfer", "min-free-space", "wait",
        "every", "report", "on-finish",
    ]
    /// Names that are true or false; `no-` before one of them says the opposite.
    static let flags = [
        "prune", "refetch-lost", "checksum", "dry-run", "quiet", "verbose", "json", "progress", "watch",
    ]
    /// Names that take several values.
    static let lists: Set<String> = ["plugins", "only"]

    static func variable(for name: String) -> String {
        "COURSEFETCH_" + name.uppercased().replacing("-", with: "_")
    }
}

extension SettingKey<String?> {
    static let library = SettingKey(name: "library", standard: nil, isPath: true, parse: SettingText.nonEmpty)
    static let state = SettingKey(name: "state", standard: nil, isPath: true, parse: SettingText.nonEmpty)
    static let user = SettingKey(name: "user", standard: nil, parse: SettingText.nonEmpty)
    static let caFile = SettingKey(name: "ca-file", standard: nil, isPath: true, parse: SettingText.nonEmpty)
    static let report = SettingKey(name: "report", standard: nil, isPath: true, parse: SettingText.nonEmpty)
    static let onFinish = SettingKey(name: "on-finish", standard: nil, parse: SettingText.nonEmpty)
}

extension SettingKey<String> {
    static let plugins = SettingKey(name: "plugins", standard: "", isPath: true) { text throws(ValueError) in
        guard !text.isEmpty else { throw .empty }
        return text
    }
}

extension SettingKey<Int> {
    static let jobs = SettingKey(name: "jobs", standard: 3) { text throws(ValueError) in
        try SettingText.wholeNumber(text, 1...256)
    }
    static let segmentsPerDownload = SettingKey(name: "segments-per-download", standard: 8) {
        text throws(ValueError) in try SettingText.wholeNumber(text, 1...64)
    }
    static let retries = SettingKey(name: "retries", standard: 10) { text throws(ValueError) in
        try SettingText.wholeNumber(text, 0...1000)
    }
}

extension SettingKey<Int?> {
    static let maxConnectionsPerHost = SettingKey(name: "max-connections-per-host", standard: nil) {
        text throws(ValueError) in try SettingText.wholeNumber(text, 1...256)
    }
}

extension SettingKey<Int64?> {
    static let limitRate = SettingKey(name: "limit-rate", standard: nil, parse: ByteAmount.parseRate)
    static let maxTransfer = SettingKey(name: "max-transfer", standard: nil, parse: ByteAmount.parseRate)
    /// `0` keeps nothing free, but looks whether what is begun will fit.
    static let minFreeSpace = SettingKey(name: "min-free-space", standard: nil) { text throws(ValueError) in
        if text.lowercased() == "off" { return nil }
        return text == "0" ? 0 : try ByteAmount.parse(text)
    }
}

extension SettingKey<BandwidthTimetable> {
    static let bwlimit = SettingKey(name: "bwlimit", standard: .unlimited, parse: BandwidthText.parse)
}

extension SettingKey<RunWindow.End?> {
    static let until = SettingKey(name: "until", standard: nil) { text throws(ValueError) in
        guard let end = RunWindow.End(text) else { throw .notATime(text) }
        return end
    }
}

extension SettingKey<Duration?> {
    static let maxDuration = SettingKey(name: "max-duration", standard: nil) { text throws(ValueError) in
        try DurationText.parse(text)
    }
    /// Nil: it depends on whether there is a terminal.
    static let wait = SettingKey(name: "wait", standard: nil) { text throws(ValueError) in
        try DurationText.parse(text)
    }
}

extension SettingKey<Duration> {
    static let maxWait = SettingKey(name: "max-wait", standard: .seconds(600), parse: DurationText.parse)
    static let every = SettingKey(name: "every", standard: .seconds(3600)) { text throws(ValueError) in
        let every = try DurationText.parse(text)
        guard every >= .seconds(1) else { throw .tooShort(text, least: "1s") }
        return every
    }
}

extension SettingKey<MaxDelete> {
    static let maxDelete = SettingKey(name: "max-delete", standard: .percent(10), parse: SettingText.maxDelete)
}

extension SettingKey<Selector?> {
    static let only = SettingKey(name: "only", standard: nil) { text throws(ValueError) in
        do throws(SelectorError) { return try Selector(text) } catch { throw .selector(SelectorText.message(error)) }
    }
}

extension SettingKey<Bool> {
    static let prune = SettingKey(name: "prune", standard: false, parse: SettingText.flag)
    static let refetchLost = SettingKey(name: "refetch-lost", standard: false, parse: SettingText.flag)
    static let checksum = SettingKey(name: "checksum", standard: true, parse: SettingText.flag)
    static let watch = SettingKey(name: "watch", standard: false, parse: SettingText.flag)
    static let dryRun = SettingKey(name: "dry-run", standard: false, parse: SettingText.flag)
    static let quiet = SettingKey(name: "quiet", standard: false, parse: SettingText.flag)
    static let verbose = SettingKey(name: "verbose", standard: false, parse: SettingText.flag)
    static let json = SettingKey(name: "json", standard: false, parse: SettingText.flag)
}

extension SettingKey<FFmpegChoice> {
    static let ffmpeg = SettingKey(name: "ffmpeg", standard: .automatic, isPath: true, words: ["none"]) {
        text throws(ValueError) in
        guard !text.isEmpty else { throw .empty }
        return text == "none" ? .none : .path(text)
    }
}

extension SettingKey<StreamContainer> {
    static let container = SettingKey(name: "container", standard: .file) { text throws(ValueError) in
        guard let container = StreamContainer(rawValue: text) else {
            throw .notOneOf(text, StreamContainer.allCases.map(\.rawValue))
        }
        return container
    }
}

extension SettingKey<Bool?> {
    static let progress = SettingKey(name: "progress", standard: nil) { text throws(ValueError) in
        try SettingText.flag(text)
    }
}
