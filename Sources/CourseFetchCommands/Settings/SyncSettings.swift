import DownloadRunner
import Foundation

/// The effective settings of a sync, each with where it comes from.
struct SyncSettings: Sendable {
    let library: Setting<String?>
    let state: Setting<String?>
    let user: Setting<String?>
    /// The folders of all places, the strongest first.
    let plugins: [Setting<String>]
    let jobs: Setting<Int>
    let limitRate: Setting<Int64?>
    let bwlimit: Setting<BandwidthTimetable>
    let maxConnectionsPerHost: Setting<Int?>
    let segmentsPerDownload: Setting<Int>
    let ffmpeg: Setting<FFmpegChoice>
    let container: Setting<StreamContainer>
    let retries: Setting<Int>
    let maxWait: Setting<Duration>
    let caFile: Setting<String?>
    let only: Setting<[Selector]>
    let prune: Setting<Bool>
    let maxDelete: Setting<MaxDelete>
    let refetchLost: Setting<Bool>
    let checksum: Setting<Bool>
    let dryRun: Setting<Bool>
    let quiet: Setting<Bool>
    let verbose: Setting<Bool>
    let json: Setting<Bool>
    let progress: Setting<Bool?>
    let maxDuration: Setting<Duration?>
    let until: Setting<RunWindow.End?>
    let maxTransfer: Setting<Int64?>
    let minFreeSpace: Setting<Int64?>
    /// Nil: it depends on whether there is a terminal.
    let wait: Setting<Duration?>
    let watch: Setting<Bool>
    let every: Setting<Duration>
    let report: Setting<String?>
    let onFinish: Setting<String?>

    /// Works out every value; throws all mistakes at once.
    init(_ layers: SettingLayers) throws(SettingsError) {
        var layers = layers
        library = layers.value(.library)
        state = layers.value(.state)
        user = layers.value(.user)
        plugins = layers.all(.plugins, separator: ":")
        jobs = layers.value(.jobs)
        limitRate = layers.value(.limitRate)
        bwlimit = layers.value(.bwlimit)
        maxConnectionsPerHost = layers.value(.maxConnectionsPerHost)
        segmentsPerDownload = layers.value(.segmentsPerDownload)
        ffmpeg = layers.value(.ffmpeg)
        container = layers.value(.container)
        retries = layers.value(.retries)
        maxWait = layers.value(.maxWait)
        caFile = layers.value(.caFile)
        let only = layers.list(.only, separator: " ")
        self.only = Setting(value: only.value.compactMap(\.self), origin: only.origin)
        prune = layers.flag(.prune)
        maxDelete = layers.value(.maxDelete)
        refetchLost = layers.flag(.refetchLost)
        checksum = layers.flag(.checksum)
        dryRun = layers.flag(.dryRun)
        var quiet = layers.flag(.quiet)
        var verbose = layers.flag(.verbose)
        if quiet.value, verbose.value {
            // The stronger place wins; within one place it is a mistake.
            if quiet.origin.rank == verbose.origin.rank { layers.contradiction("quiet", "verbose") }
            if quiet.origin.rank > verbose.origin.rank { quiet.value = false } else { verbose.value = false }
        }
        (self.quiet, self.verbose) = (quiet, verbose)
        json = layers.flag(.json)
        progress = layers.flag(.progress)
        maxDuration = layers.value(.maxDuration)
        until = layers.value(.until)
        maxTransfer = layers.value(.maxTransfer)
        minFreeSpace = layers.value(.minFreeSpace)
        wait = layers.value(.wait)
        watch = layers.flag(.watch)
        every = layers.value(.every)
        report = layers.value(.report)
        onFinish = layers.value(.onFinish)
        try layers.check()
    }

    /// How long to wait for another sync where nobody says so: cron has nobody to tell, a person would rather know.
    static func standardWait(onTerminal: Bool) -> Duration { onTerminal ? .zero : .seconds(3600) }

    /// Why a run that begins at `now` could never do anything; nil if it can.
    func windowProblem(at now: Date) -> String? {
        if let duration = maxDuration.value, duration <= .zero {
            return "--max-duration 0 leaves no time for anything: give a time such as 4h"
        }
        if case .instant(let date)? = until.value, date <= now {
            return "--until \(Timestamp.rfc3339(date)) is over already: give a time to come"
        }
        return nil
    }

    /// What the runner is asked to do.
    func options(catalogs: [String], onTerminal: Bool = false) -> SyncOptions {
        var options = SyncOptions(catalogs: catalogs)
        options.user = user.value
        options.state = state.value
        options.library = library.value
        options.plugins = plugins.map(\.value)
        options.jobs = jobs.value
        options.limitRate = limitRate.value
        options.bandwidth = bwlimit.value
        options.maxConnectionsPerHost = maxConnectionsPerHost.value
        options.segmentsPerDownload = segmentsPerDownload.value
        options.segmentsAreExplicit = segmentsPerDownload.origin != .standard
        options.ffmpeg = ffmpeg.value
        options.container = container.value
        options.retries = retries.value
        options.maxWait = maxWait.value
        options.only = only.value
        options.prune = prune.value
        options.maxDelete = maxDelete.value
        options.refetchLost = refetchLost.value
        options.checksums = checksum.value
        options.caFile = caFile.value
        options.window = RunWindow(maxDuration: maxDuration.value, until: until.value)
        options.maxTransfer = maxTransfer.value
        options.minFreeSpace = minFreeSpace.value
        options.wait = wait.value ?? Self.standardWait(onTerminal: onTerminal)
        options.watchEvery = watch.value ? every.value : nil
        options.jobsAreExplicit = jobs.origin != .standard
        return options
    }

    /// Where the user's state is.
    var location: StateLocation { StateLocation(user: user.value, state: state.value, library: library.value) }
}
