package import FileSystem
import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A user's `credentials.json`: mode 0600, replaced atomically, changed under its own lock.
///
/// Whether a provider's credentials may still be stored is checked under the lock, and a logout wipes the file under
/// the same lock after it has closed the session: credentials stored before are wiped, and none are stored after. All
/// calls block.
package struct UserCredentials: Sendable {
    package let folder: StateFolder
    /// The time that another process may keep the lock.
    package var lockTimeout: Duration = .seconds(10)

    private static let name = "credentials.json"
    private static let draft = "credentials.json.new"
    private static let lockName = "credentials.lock"

    /// The stored credentials, by the providers' names; empty without a file. Takes no lock: the file is complete at
    /// any time.
    package func read() throws(CredentialsError) -> [String: StoredCredentials] {
        guard let home = try home() else { return [:] }
        return try read(home).providers
    }

    /// Which content the file has, without reading it; nil without a file.
    package func version() throws(CredentialsError) -> FileFacts? {
        guard let home = try home() else { return nil }
        do throws(Errno) {
            // Opening it asks a network's file system for the newest, which looking at its name doesn't.
            return try home.openFile(Self.name, O_RDONLY).facts()
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw .system(.read, path: folder.credentials.string, error)
        }
    }

    /// Stores the result of `make`, which is called under the lock; if that is nil, the file stays unchanged.
    ///
    /// Durable when it returns. Returns whether something was stored.
    @discardableResult
    package func store(of provider: String, _ make: () -> StoredCredentials?) throws(CredentialsError) -> Bool {
        try store(of: provider) { _ in make() }
    }

    /// Like ``store(of:_:)``; `make` gets what is stored for the provider.
    @discardableResult
    package func store(
        of provider: String, _ make: (_ present: StoredCredentials?) -> StoredCredentials?
    ) throws(CredentialsError) -> Bool {
        guard let home = try home() else { return false }
        return try locked(home) { () throws(CredentialsError) in
            var document = try read(home)
            guard let stored = make(document.providers[provider]) else { return false }
            document.providers[provider] = stored
            try write(document, home)
            return true
        }
    }

    /// Forgets one provider. Returns whether anything was stored. To be called after the provider's session is closed.
    @discardableResult
    package func forget(_ provider: String) throws(CredentialsError) -> Bool {
        guard let home = try home() else { return false }
        return try locked(home) { () throws(CredentialsError) in
            var document = try read(home)
            let isKnown = document.providers.removeValue(forKey: provider) != nil
            guard isKnown else {
                try removeDraft(home)
                return false
            }
            if document.providers.isEmpty { try remove(home) } else { try write(document, home) }
            return true
        }
    }

    /// Deletes the file, whatever its contents, and a killed writer's draft. To be called after the session is closed.
    ///
    /// If the lock isn't available the file is deleted all the same, before the error is thrown.
    package func wipe() throws(CredentialsError) {
        guard let home = try home() else { return }
        do {
            try locked(home) { () throws(CredentialsError) in try remove(home) }
        } catch {
            try remove(home)
            throw error
        }
    }

    /// The credentials of a user whose state is in `folder`.
    package init(folder: StateFolder) { self.folder = folder }

    // MARK: the file

    private func read(_ home: FolderHandle) throws(CredentialsError) -> CredentialsDocument {
        let path = folder.credentials.string
        let bytes: Data?
        do {
            let descriptor = try home.open(Self.name, O_RDONLY)
            defer { close(descriptor) }
            var facts = stat()
            try systemCall { fstat(descriptor, &facts) }
            // For example, somebody copied it here: the folder keeps others out, but copies of folders lose that.
            if facts.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o600) }
            bytes = try SmallFile.read(descriptor, upTo: CredentialsDocument.longest)
        } catch .noSuchFileOrDirectory {
            return CredentialsDocument()
        } catch .tooManySymbolicLinkLevels, .isDirectory, .invalidArgument, .noSuchAddressOrDevice {
            throw .notAFile(path: path)
        } catch {
            throw .system(.read, path: path, error)
        }
        guard let bytes else { throw .damaged(path: path) }
        do {
            return try CredentialsDocument(bytes)
        } catch .damaged {
            throw .damaged(path: path)
        } catch {
            throw .newerVersion(path: path)
        }
    }

    private func write(_ document: CredentialsDocument, _ home: FolderHandle) throws(CredentialsError) {
        let path = folder.credentials.string
        guard let bytes = try? document.bytes(), bytes.count <= CredentialsDocument.longest else {
            throw .tooMuch(path: path)
        }
        do {
            let draft = try DraftFile(of: Self.name, in: home, draft: Self.draft, mode: 0o600)
            try draft.write(bytes)
            try draft.replace()
        } catch {
            throw .system(.write, path: path, error)
        }
    }

    private func remove(_ home: FolderHandle) throws(CredentialsError) {
        do {
            try home.remove(Self.name)
            try home.remove(Self.draft)
            try home.flush()
        } catch {
            throw .system(.remove, path: folder.credentials.string, error)
        }
    }

    /// Removes a killed writer's draft: it may contain the provider's secrets.
    private func removeDraft(_ home: FolderHandle) throws(CredentialsError) {
        do { try home.remove(Self.draft) } catch {
            throw .system(.remove, path: folder.path.appending(Self.draft).string, error)
        }
    }

    /// Nil if the user has no state folder yet.
    private func home() throws(CredentialsError) -> FolderHandle? {
        do {
            return try FolderHandle(at: folder.path)
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw .system(.open, path: folder.path.string, error)
        }
    }

    // MARK: the lock

    private func locked<T>(
        _ home: FolderHandle, _ body: () throws(CredentialsError) -> T
    ) throws(CredentialsError) -> T {
        let descriptor: CInt
        do {
            descriptor = try home.open(Self.lockName, O_RDWR | O_CREAT, mode: 0o600)
        } catch {
            throw .system(.open, path: lockPath, error)
        }
        defer {
            // Explicitly, too: a child being started may hold a copy of the descriptor for a moment.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        let deadline = ContinuousClock.now + lockTimeout
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch Errno(rawValue: errno) {
            case .interrupted: continue
            case .wouldBlock:
                guard ContinuousClock.now < deadline else { throw .busy(path: lockPath) }
                usleep(2000)
            case .noLocks, .notSupported, .noFunction: throw .noLocks(path: lockPath)
            case let error: throw .system(.lock, path: lockPath, error)
            }
        }
        return try body()
    }

    private var lockPath: String { folder.path.appending(Self.lockName).string }
}
