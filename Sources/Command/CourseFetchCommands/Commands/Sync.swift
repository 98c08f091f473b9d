import ArgumentParser
import CommandOutput
import Foundation
import Logging

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Download what the catalogs name and the library lacks.",
        discussion: """
            Reads the catalogs, downloads missing videos, continues unfinished ones and moves renamed ones. You can \
            stop it at any time: the next sync continues where this one stopped.

            EXAMPLES:
              coursefetch sync catalog.yaml
              coursefetch sync                          the catalogs of the settings
              coursefetch sync https://media.example.org/catalog.yaml
              coursefetch sync physics.yaml maths.yaml --jobs 8 --bwlimit 10M
              coursefetch sync catalog.yaml --only phys101/kinematics --dry-run
              coursefetch sync catalog.yaml --dry-run --list
              coursefetch sync --quiet ~/catalog.yaml   for cron: silent if nothing fails
              coursefetch sync catalog.yaml --until 06:00 --min-free-space 5G
              coursefetch sync --json catalog.yaml | jq 'select(.path)'

            Every long option can be set in ~/.config/coursefetch/config.yaml under its own name (jobs: 8), or in the \
            environment as COURSEFETCH_NAME (COURSEFETCH_LIMIT_RATE=2M). An option overrides the environment, which \
            overrides the file. For --user NAME, users/NAME.yaml beside that file overrides it. Sizes and rates take \
            B, K, M, G or T, powers of 1024.
            """)

    @OptionGroup var catalogs: CatalogArguments

    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption
    @OptionGroup(title: "PLACES") var plugins: PluginOptions
    @OptionGroup(title: "PLACES") var helpers: HelperOptions
    @OptionGroup(title: "TRANSFER") var transfer: TransferOptions
    @OptionGroup(title: "BESIDE THE VIDEOS") var metadata: MetadataOptions
    @OptionGroup(title: "UNATTENDED") var unattended: UnattendedOptions
    @OptionGroup(title: "OUTPUT") var output: OutputOptions

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(
            allShards: all.allShards, catalogs.texts, place.texts, plugins.texts, helpers.texts, transfer.texts,
            metadata.texts, unattended.texts,
            output.texts)
        let session = SyncSession(settings: settings, catalogs: settings.catalogs.value, context: context)
        if let mistake = mistake(in: settings, context) { throw await session.refuse(mistake) }
        let status =
            if all.allShards {
                await session.runAllShards()
            } else if settings.dryRun.value {
                await session.dryRun()
            } else {
                await session.run()
            }
        if status != .success { throw await context.exit(status) }
    }

    /// Why a sync with these settings can't begin; nil if it can.
    private func mistake(in settings: SyncSettings, _ context: CommandContext) -> String? {
        let readsInput = settings.catalogs.value.contains("-")
        if !settings.missing.isEmpty { return settings.missing.joined(separator: "\nerror: ") }
        if settings.catalogs.value.isEmpty { return context.noCatalog }
        if settings.watch.value, readsInput {
            return "--watch can't read standard input again; name a file or an address"
        }
        if settings.list.value, !settings.dryRun.value {
            return "--list goes with --dry-run; without it, sync always asks"
        }
        if all.allShards, readsInput {
            return "--all-shards can't read standard input for each shard; name a file or an address"
        }
        return settings.windowProblem(at: Date())
    }
}
