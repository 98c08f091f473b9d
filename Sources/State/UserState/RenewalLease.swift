import FileSystem
import Foundation
import ProviderKit
import Synchronization
import SystemPackage
import TextFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The right of one process to renew a provider's credentials, among all that use a user's state.
///
/// It is the folder `renewals/PROVIDER` with a file that says who has it and counts beats. The folder is prepared under
/// a name of its own and renamed: that fails if the other one has a file in it, in one step, also on file systems of
/// several machines (NFS, Lustre, GPFS), where locks of files are often missing or known to one machine only. Clocks
/// of two machines are never compared.
///
/// All calls block.
package final class RenewalLease: Sendable {
    /// How often its holder has to call ``beat()``. Much less than ``LeaseWatch/bound``.
    package static let beat = Duration.seconds(5)

    private struct State {
        /// Nil once it is given back.
        var file: OpenFile?
        var beats = 0
        var lastBeat = SuspendingClock.now
    }

    private let folder: FolderHandle
    private let provider: String
    private let nonce: String
    private let state: Mutex<State>

    fileprivate init(_ provider: String, nonce: String, in folder: FolderHandle, _ file: OpenFile) {
        self.folder = folder
        self.provider = provider
        self.nonce = nonce
        state = Mutex(State(file: file))
    }

    deinit { giveBack() }

    /// Shows the others that its holder lives. A failure to write isn't reported: for the others the holder is gone
    /// then, which is what they have to believe.
    package func beat() {
        state.withLock { state in
            guard let file = state.file else { return }
            state.beats += 1
            guard (try? RenewalLeases.write(nonce, beats: state.beats, to: file)) != nil else { return }
            state.lastBeat = .now
        }
    }

    /// Lets others take it. Does nothing to a lease that another process has taken meanwhile, because this one had
    /// stood still.
    package func giveBack() {
        let lastBeat = state.withLock { state -> SuspendingClock.Instant? in
            // An open file keeps its folder from being removed on NFS.
            guard state.file.take() != nil else { return nil }
            return state.lastBeat
        }
        guard let lastBeat else { return }
        let gone = RenewalLeases.gone(provider, nonce)
        guard (try? folder.replace(provider, over: folder, gone)) != nil else { return }
        // Otherwise somebody may be about to break it: the folder is what stops that from hitting the next holder's.
        if .now - lastBeat < LeaseWatch.bound / 4 { RenewalLeases.remove(gone, in: folder) }
    }
}

/// What there is to see of a lease: it changes with each beat of its holder.
package struct LeaseSign: Sendable, Equatable {
    fileprivate let text: String

    /// Who has it; nil if that can't be read.
    private var content: JSONValue? { try? JSONReader.decode(JSONValue.self, from: text.utf8) }
    fileprivate var nonce: String? { content?["nonce"]?.string }
    /// The name of the holder's machine and its process there; nil if they can't be read.
    package var holder: (host: String, process: Int64)? {
        guard let host = content?["host"]?.string, let process = content?["pid"]?.int else { return nil }
        return (host, process)
    }
}

/// Finds out that a lease's holder is gone: its sign stays the same for as long as ``bound``, by the clock of the one
/// who looks. Only the time between two looks counts, and of that no more than ``longestStep``: what stood still itself
/// has seen nothing.
package struct LeaseWatch: Sendable {
    package static let bound = Duration.seconds(60)
    private static let longestStep = Duration.seconds(2)

    private let bound: Duration
    private var last: (sign: LeaseSign, at: SuspendingClock.Instant)?
    private var silence = Duration.zero

    package init(bound: Duration = Self.bound) { self.bound = bound }

    /// Takes a look. Returns whether the holder is gone.
    package mutating func isGone(_ sign: LeaseSign, at now: SuspendingClock.Instant = .now) -> Bool {
        if let last, last.sign == sign {
            silence += min(now - last.at, Self.longestStep)
        } else {
            silence = .zero
        }
        last = (sign, now)
        return silence >= bound
    }
}

/// The leases of a user, one for each provider. All calls block.
package struct RenewalLeases: Sendable {
    /// The user's own folder.
    package let folder: StateFolder

    private static let name = "renewals"
    private static let holder = "holder"
    private static let longest = 4096
    /// What a killed process has left is removed when it is so much older than the newest lease, both by the clock of
    /// the file system.
    private static let leftoverAge = Int64(86_400) * 1_000_000_000

    package init(folder: StateFolder) { self.folder = folder }

    /// The lease; nil if another process, or this one, has it.
    package func take(_ provider: String) throws(StateError) -> RenewalLease? {
        guard try sign(of: provider) == nil else { return nil }
        let nonce = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
        do throws(Errno) {
            let home = try FolderHandle(at: folder.path)
            try home.makeFolder(Self.name)
            let root = try home.folder(Self.name)
            guard let file = try take(provider, by: nonce, in: root) else { return nil }
            if let facts = try? file.facts() { sweep(root, newest: facts.modified) }
            return RenewalLease(provider, nonce: nonce, in: root, file)
        } catch {
            throw .system(.create, path: path(provider), error)
        }
    }

    /// The open file of a lease; nil if somebody else was faster.
    private func take(_ provider: String, by nonce: String, in root: FolderHandle) throws(Errno) -> OpenFile? {
        let draft = "\(provider).\(nonce).new"
        do throws(Errno) {
            try root.makeFolder(draft)
            let file = try root.folder(draft).openFile(Self.holder, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try Self.write(nonce, beats: 0, to: file)
            try root.replace(draft, over: root, provider)
            return file
        } catch {
            // A file system of a network may report a failure of what it has done when it was asked twice.
            if (try? sign(of: provider))?.nonce == nonce {
                return try root.folder(provider).openFile(Self.holder, O_WRONLY)
            }
            Self.remove(draft, in: root)
            if [.directoryNotEmpty, .fileExists].contains(error) { return nil }
            throw error
        }
    }

    /// What there is to see of the present lease; nil if there is none.
    package func sign(of provider: String) throws(StateError) -> LeaseSign? {
        do throws(Errno) {
            let lease = try FolderHandle(at: folder.path.appending(Self.name).appending(provider))
            // Opening it asks a network's file system for the newest, which looking at its name doesn't.
            let bytes = try lease.openFile(Self.holder, O_RDONLY).content(upTo: Self.longest)
            return LeaseSign(text: bytes.map { String(decoding: $0, as: UTF8.self) } ?? "")
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw .system(.read, path: path(provider), error)
        }
    }

    /// Takes a lease away from a holder that is gone. Of several that do so at a time one succeeds, and none of them
    /// hits a lease that was taken since: its nonce isn't that of `sign`, whose folder is there already.
    package func takeAway(_ provider: String, _ sign: LeaseSign) throws(StateError) {
        guard try self.sign(of: provider) == sign else { return }
        do throws(Errno) {
            let root = try FolderHandle(at: folder.path.appending(Self.name))
            try root.replace(provider, over: root, Self.gone(provider, sign.nonce ?? "unknown"))
        } catch .noSuchFileOrDirectory, .directoryNotEmpty, .fileExists {
            return
        } catch {
            throw .system(.rename, path: path(provider), error)
        }
    }

    fileprivate static func gone(_ provider: String, _ nonce: String) -> String { "\(provider).\(nonce).gone" }

    /// Every content has the same length, so that a reader never sees a part of one.
    fileprivate static func write(_ nonce: String, beats: Int, to file: OpenFile) throws(Errno) {
        var host = ""
        JSONString.append(HostName.current, to: &host)
        let count = String(beats)
        let padding = String(repeating: " ", count: max(0, 12 - count.utf8.count))
        let line = "{\"host\":\(host),\"pid\":\(getpid()),\"nonce\":\"\(nonce)\",\"beats\":\(padding)\(count)}\n"
        try Array(line.utf8).withUnsafeBufferPointer { bytes throws(Errno) in
            try file.write(UnsafeRawBufferPointer(bytes))
        }
        try file.flush()
    }

    fileprivate static func remove(_ name: String, in root: FolderHandle) {
        try? root.folder(name).remove(holder)
        _ = try? root.removeFolder(name)
    }

    /// Removes what killed processes have left.
    private func sweep(_ root: FolderHandle, newest: Int64) {
        var names: [String] = []
        try? root.forEachEntry { name, _ throws(Errno) in
            names.append(String(decoding: name, as: UTF8.self))
            return true
        }
        for name in names where name.hasSuffix(".new") || name.hasSuffix(".gone") {
            guard case .file(let facts)? = try? root.folder(name).entry(Self.holder) else { continue }
            if newest - facts.modified > Self.leftoverAge { Self.remove(name, in: root) }
        }
    }

    private func path(_ provider: String) -> String {
        folder.path.appending(Self.name).appending(provider).string
    }
}
