import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import HLSMedia
import MediaTransfer
import ProviderKit
package import RunAccess
package import SyncFacts
import SystemPackage
import UserState
import YAMLSource

package struct DiagnosisOptions: Sendable, PrintsRedacted {
    /// The state and library to check.
    package var location: StateLocation
    /// Folders to look for plugins in before all others.
    package var plugins: [String] = []
    /// PEM file of certificate authorities, if one is set.
    package var caFile: String?
    /// A server whose clock is compared with ours; nil for none.
    package var clockURL: String?
    /// The program that turns a joined stream into one file.
    package var ffmpeg = FFmpegChoice.automatic
    /// What a sync leaves free on the library's disk.
    package var minFreeSpace = FreeSpaceFloor.standard
    /// Whether leftovers are removed.
    package var clean = false

    package init(location: StateLocation) { self.location = location }
}

extension Diagnosis {
    /// Checks everything that a sync needs. Changes nothing, except for the leftovers with ``DiagnosisOptions/clean``,
    /// under the user's lock; if another process holds that, ``refusal`` says so. Plugins are started and ended.
    ///
    /// Throws only for errors in the options: a wrong user's name, an invalid clock URL.
    package static func run(_ options: DiagnosisOptions) async throws(Refusal) -> Diagnosis {
        let places = try options.location.resolveAll()
        if let url = options.clockURL, ParsedURL(url).map({ ["http", "https"].contains($0.origin.scheme) }) != true {
            throw .run(.badClockURL)
        }
        var diagnosis = Diagnosis()
        var used: Set<String> = []
        for place in places { await diagnosis.check(place, options, used: &used) }
        let user = places[0].ofUser
        if places[0].shard != nil {
            let (own, _) = StateCheck(place: user).database()
            diagnosis.facts += StateCheck(place: user).session(own)
            own?.close()
        }
        diagnosis.facts += await PluginCheck(folders: options.plugins, user: user.user.text).run(used: used.sorted())
        diagnosis.facts += await NetworkCheck(caFile: options.caFile, clockURL: options.clockURL).run()
        diagnosis.facts += UnattendedCheck().run()
        if options.ffmpeg != .none { diagnosis.facts.append(await ffmpeg(options.ffmpeg)) }
        diagnosis.facts.append(
            .versions(
                coursefetch: Version.text, libcurl: CurlLibrary.version, tls: CurlLibrary.tlsLibrary,
                sqlite: StoreHealth.sqliteVersion, libyaml: YAMLLibrary.version, schema: StoreHealth.schemaVersion))
        return diagnosis
    }

    /// Checks a state and its library.
    private mutating func check(
        _ place: StateLocation.Place, _ options: DiagnosisOptions, used: inout Set<String>
    ) async {
        // That of a shard may be a copy that is in the library.
        if place.shard != nil {
            do throws(Refusal) { try place.openForReading()?.close() } catch {
                if !place.hasState { facts.append(.libraryUnusable(place.leftOut(error))) }
            }
        }
        let state = StateCheck(place: place)
        facts += state.folderFacts()
        let (store, database) = state.database()
        defer { store?.close() }
        facts += database
        let (isHeld, lock) = state.lock()
        facts.append(lock)
        if options.clean, isHeld, case .lock(let holder, _) = lock { refusal = refusal ?? .held(holder) }
        if place.shard == nil { facts += state.session(store) }
        if let store { facts += state.catalogs(store) }
        let (found, refused) = await Self.library(
            place, store, floor: options.minFreeSpace, isHeld: isHeld, clean: options.clean && !isHeld)
        facts += found
        refusal = refusal ?? refused
        used.formUnion((try? store?.downloads.providers()) ?? [])
    }

    private static func ffmpeg(_ choice: FFmpegChoice) async -> DiagnosisFact {
        guard let program = choice.program else { return .noFFmpeg }
        return .ffmpeg(path: program.executable.string, version: await program.version())
    }

    private static func library(
        _ place: StateLocation.Place, _ store: DownloadStore?, floor: FreeSpaceFloor, isHeld: Bool, clean: Bool
    ) async -> (facts: [DiagnosisFact], refusal: Refusal?) {
        let folder: FilePath
        do throws(StoreError) {
            folder = try place.library(in: store).path
        } catch {
            return ([.libraryUnusable(Refusal(error))], nil)
        }
        let check = LibraryCheck(place: place, folder: folder, floor: floor)
        guard let store else { return (check.withoutState(), nil) }
        guard clean else { return await Blocking.run { _ in (check.run(store, isHeld: isHeld, clean: false), nil) } }
        do throws(Refusal) {
            let (lock, writable) = try await place.openForWriting(for: [])
            defer {
                writable.close()
                withExtendedLifetime(lock) {}
            }
            return await Blocking.run { _ in (check.run(writable, isHeld: false, clean: true), nil) }
        } catch {
            return (await Blocking.run { _ in check.run(store, isHeld: true, clean: false) }, error)
        }
    }
}
