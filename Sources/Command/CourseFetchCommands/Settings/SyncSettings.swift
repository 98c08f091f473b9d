import CourseCatalog
import Foundation
import Hooks
import Logging
import MediaMetadata
import RunAccess
import SyncFacts
import YAMLSource

/// The effective settings of a sync, each with its origin.
@dynamicMemberLookup
struct SyncSettings: Sendable {
    private var values: [String: [any AnySetting]] = [:]
    /// The shard that this process works on; nil for all courses.
    private(set) var chosenShard: Shard?
    /// Why it can't be told.
    private var shardProblem: String?
    /// The user's hook commands.
    private(set) var hooks = HookSettings()
    /// Where `hooks` and `notify` stand, if they do.
    private(set) var hookOrigins: [String: SettingOrigin] = [:]
    /// What the file says about the page.
    private(set) var serve = ServeSettings()

    /// Evaluates every setting; throws all mistakes at once.
    ///
    /// - Parameter allShards: whether they are those of a sync of all shards.
    init(_ layers: SettingLayers, allShards: Bool = false) throws(SettingsError) {
        var layers = layers
        hooks = layers.hooks
        hookOrigins = layers.hookOrigins
        serve = layers.serve
        for key in SettingTable.all { values[key.name] = key.values(in: &layers) }
        // The stronger layer wins; within one layer it is a mistake.
        for (loud, name) in [(self.verbose, "verbose"), (self.trace, "trace")] where self.quiet.value && loud.value {
            if self.quiet.origin.rank == loud.origin.rank { layers.contradiction("quiet", name) }
            let quietLoses = self.quiet.origin.rank > loud.origin.rank
            let weaker = quietLoses ? self.quiet : loud
            values[quietLoses ? "quiet" : name] = [Setting(value: false, origin: weaker.origin)]
        }
        if allShards { takeAllShards(&layers) } else { chooseShard(&layers) }
        try layers.check()
    }

    private func takeAllShards(_ layers: inout SettingLayers) {
        if self.shard.origin == .option { layers.contradiction("shard", "all-shards") }
        if self.watch.value { layers.contradiction("watch", "all-shards") }
    }

    private mutating func chooseShard(_ layers: inout SettingLayers) {
        switch self.shard.value {
        case nil: if self.shards.origin == .option { layers.mistake(.empty, in: "shard", .standard) }
        case .given(let given)?:
            chosenShard = given
            let isAsStrong = self.shards.origin.rank == self.shard.origin.rank
            if let count = self.shards.value, count != given.count, isAsStrong {
                layers.contradiction("shard", "shards")
            }
        case .automatic?:
            do throws(TaskArray.Mistake) { chosenShard = try layers.taskArray.shard(count: self.shards.value) } catch {
                if self.shard.origin == .option { return layers.mistake(.noTask(error), in: "shard", .option) }
                // Only the commands about a shard need it.
                shardProblem = "\(self.shard.origin.naming("shard")): \(error)"
            }
        }
    }

    /// The places that were given on the command line or by variables: the same words without them act on others.
    var givenPlaces: SuggestedCommand.Places {
        SuggestedCommand.Places(
            user: Self.given(self.user), state: Self.given(self.state).map(Self.absolute),
            library: Self.given(self.library).map(Self.absolute),
            plugins: self.plugins.origin.isGiven ? self.plugins.value.map(Self.absolute) : [],
            shard: chosenShard?.text, localState: Self.given(self.localState).map(Self.absolute))
    }

    private static func given(_ setting: Setting<String?>) -> String? {
        setting.origin.isGiven ? setting.value : nil
    }

    private static func absolute(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path }

    /// The effective value of a setting.
    subscript<Value>(dynamicMember key: KeyPath<SettingTable, SettingKey<Value>>) -> Setting<Value> {
        let key = SettingTable.shared[keyPath: key]
        return values[key.name]?.first as? Setting<Value> ?? Setting(value: key.standard, origin: .standard)
    }

    /// The effective values of a list, with the origin of the first one.
    subscript<Element>(dynamicMember key: KeyPath<SettingTable, SettingKey<[Element]>>) -> Setting<[Element]> {
        let key = SettingTable.shared[keyPath: key]
        let settings = (values[key.name] ?? []).compactMap { $0 as? Setting<[Element]> }
        return Setting(value: settings.flatMap(\.value), origin: settings.first?.origin ?? .standard)
    }

    var logLevel: Logger.Level {
        self.trace.value ? .trace : self.verbose.value ? .debug : self.quiet.value ? .error : .warning
    }

    /// Each value of a setting with its origin; none for a list that isn't given.
    func values(of key: any AnySettingKey) -> [any AnySetting] { values[key.name] ?? [] }

    /// The default wait for another sync: cron can wait unattended, a user prefers to know at once.
    static func standardWait(onTerminal: Bool) -> Duration { onTerminal ? .zero : .seconds(3600) }

    /// The reason why a run that begins at `now` could do nothing; nil if it can.
    func windowProblem(at now: Date) -> String? {
        if let duration = self.maxDuration.value, duration <= .zero {
            return "--max-duration 0 leaves no time; give a duration such as 4h"
        }
        if case .instant(let date)? = self.until.value, date <= now {
            return "--until \(date.rfc3339) has already passed; give a future time"
        }
        return nil
    }

    /// Missing files and folders that settings name, each with its setting.
    var missing: [String] {
        var missing: [String] = []
        var isFolder: ObjCBool = false
        let files = FileManager.default
        if let path = self.caFile.value {
            if !files.fileExists(atPath: path, isDirectory: &isFolder) {
                missing.append("\(self.caFile.origin.naming("ca-file")): there is no file \(path)")
            } else if isFolder.boolValue {
                missing.append("\(self.caFile.origin.naming("ca-file")): \(path) is a folder; name a PEM file")
            } else if !files.isReadableFile(atPath: path) {
                missing.append("\(self.caFile.origin.naming("ca-file")): \(path) can't be read")
            }
        }
        for setting in values(of: SettingTable.shared.plugins) {
            for path in setting.anyValue as? [String] ?? [] {
                if !files.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue {
                    missing.append("\(setting.origin.naming("plugins")): there is no folder \(path)")
                }
            }
        }
        return missing
    }

    /// The options of the runner.
    func options(catalogs: [String], onTerminal: Bool = false) -> SyncOptions {
        var options = SyncOptions(catalogs: catalogs)
        options.user = self.user.value
        options.state = self.state.value
        options.library = self.library.value
        options.localState = self.localState.value
        options.shard = chosenShard
        options.shardUnit = self.shardBy.value
        options.shardProblem = shardProblem
        options.plugins = self.plugins.value
        options.layout = self.layout.value
        options.metadata = metadata
        options.hooks = hooks
        options.jobs = self.jobs.value
        options.limitRate = self.limitRate.value
        options.bandwidth = self.bwlimit.value
        options.maxConnectionsPerHost = self.maxConnectionsPerHost.value
        options.connectionsPerFile = self.connectionsPerFile.value
        options.segmentsPerDownload = self.segmentsPerDownload.value
        options.segmentsAreExplicit = self.segmentsPerDownload.origin != .standard
        options.ffmpeg = self.ffmpeg.value
        options.container = self.container.value
        options.retries = self.retries.value
        options.maxWait = self.maxWait.value
        options.only = self.only.value
        options.discovers = self.discover.value
        options.asksInDryRun = self.list.value
        options.acceptsListings = self.acceptListing.value
        options.prune = self.prune.value
        options.maxDelete = self.maxDelete.value
        options.refetchLost = self.refetchLost.value
        options.retryFailed = self.retryFailed.value ?? onTerminal
        options.credentialHelpers = credentialHelpers
        options.checksums = self.checksum.value
        options.caFile = self.caFile.value
        options.window = RunWindow(
            maxDuration: self.maxDuration.value, until: self.until.value, between: self.between.value)
        options.maxTransfer = self.maxTransfer.value
        options.maxSize = self.maxSize.value
        options.minFreeSpace = self.minFreeSpace.value
        options.wait = self.wait.value ?? Self.standardWait(onTerminal: onTerminal)
        options.watchEvery = self.watch.value ? self.every.value : nil
        if let shard = chosenShard, !self.limitsPerShard.value { options.share(among: shard.count) }
        return options
    }

    /// The kinds of files to write beside the videos.
    private var metadata: Set<MetadataKind> {
        let wanted: [(MetadataKind, Bool)] = [
            (.nfo, self.writeNfo.value), (.infoJSON, self.writeInfoJson.value), (.playlist, self.writePlaylist.value),
            (.index, self.writeIndex.value),
        ]
        return Set(wanted.filter(\.1).map(\.0))
    }

    var location: StateLocation {
        var location = StateLocation(
            user: self.user.value, state: self.state.value, library: self.library.value)
        location.localState = self.localState.value
        return location
    }

    /// The location for commands that may be about one shard.
    var shardLocation: StateLocation {
        var location = location
        location.shard = chosenShard
        location.shardProblem = shardProblem
        return location
    }
}
