import ChildProcess
import Foundation
import SystemPackage

/// A copy of a plugin's files, with modes by which it is trusted.
///
/// Hidden entries and Python's `__pycache__` stay behind: `.git`, `.build`. Links and other entries that aren't files
/// or folders are refused.
struct PluginCopy: Sendable {
    /// More isn't taken.
    private static let byteBound = 256 << 20
    private static let fileBound = 5_000
    private static let patience = Duration.seconds(120)

    let folder: String

    /// Copies a plugin's folder.
    func take(folder source: String) throws(PluginsProblem) {
        try makeFolder(folder)
        guard let names = FileManager.default.enumerator(atPath: source) else { throw .unreadable(source) }
        var (bytes, files) = (0, 0)
        for case let name as String in names {
            let isLeftBehind = name.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__pycache__" }
            let facts = try? FileManager.default.attributesOfItem(atPath: source + "/" + name)
            let kind = facts?[.type] as? FileAttributeType
            if isLeftBehind {
                if kind == .typeDirectory { names.skipDescendants() }
                continue
            }
            if kind == .typeDirectory {
                try makeFolder(folder + "/" + name)
                continue
            }
            guard kind == .typeRegular else { throw .unusualEntry(name) }
            bytes += facts?[.size] as? Int ?? 0
            files += 1
            guard bytes <= Self.byteBound, files <= Self.fileBound else { throw tooLarge }
            do {
                try FileManager.default.copyItem(atPath: source + "/" + name, toPath: folder + "/" + name)
            } catch {
                throw .unwritable(folder + "/" + name)
            }
        }
    }

    /// Unpacks an archive: `.tar.gz`, `.tgz` or `.zip`. Nothing of it is used if an entry is a link or leads out of it.
    func take(archive: String) async throws(PluginsProblem) {
        try makeFolder(folder)
        let isZip = archive.lowercased().hasSuffix(".zip")
        // Names first, then kinds: the first letter of a line is that of ls.
        let names = try await listing(isZip ? ArchiveCommand.zipNames : ArchiveCommand.tarNames, archive)
        let kinds = try await listing(isZip ? ArchiveCommand.zipKinds : ArchiveCommand.tarKinds, archive)
        for name in names {
            // Some programs on Windows write backslashes, which unzip takes for slashes.
            let parts = name.split(omittingEmptySubsequences: false) { $0 == "/" || (isZip && $0 == "\\") }
            if parts.first == "" || parts.contains("..") || name.contains("\\") && !isZip { throw .unsafeEntry(name) }
        }
        if let wrong = kinds.first(where: { !["-", "d", "?"].contains($0.first) }) { throw .unsafeEntry(wrong) }
        guard names.count <= Self.fileBound, kinds.count == names.count else { throw tooLarge }
        // The bound is that of what comes out, whatever the archive says of itself. A tar's stream is cut there.
        if isZip {
            let size = try await listing(ArchiveCommand.zipSize, archive).first.flatMap { Int($0.filter(\.isNumber)) }
            guard let size, size <= Self.byteBound else { throw tooLarge }
        }
        let unpack = isZip ? ArchiveCommand.zipContents : ArchiveCommand.tarContents
        _ = try await listing(unpack, archive)
        guard let entries = FileManager.default.enumerator(atPath: folder) else { throw .unreadable(archive) }
        var bytes = 0
        for case let name as String in entries {
            let facts = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            let kind = facts?[.type] as? FileAttributeType
            guard kind == .typeRegular || kind == .typeDirectory else { throw .unsafeEntry(name) }
            bytes += facts?[.size] as? Int ?? 0
        }
        guard bytes <= Self.byteBound else { throw tooLarge }
        // Of an archive from Windows no file says that it is a program.
        if isZip, !kinds.contains(where: { $0.prefix(10).contains("x") && !$0.hasPrefix("d") }) { markScripts() }
    }

    /// Makes programs of the files that name their interpreter.
    private func markScripts() {
        for name in FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [] {
            let path = folder + "/" + name
            guard let file = FileHandle(forReadingAtPath: path) else { continue }
            defer { try? file.close() }
            guard (try? file.read(upToCount: 2)) == Data("#!".utf8) else { continue }
            try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
    }

    /// Only the owner may write anything; programs stay programs.
    func setModes() throws(PluginsProblem) {
        let names = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        for name in [""] + names {
            let path = name.isEmpty ? folder : folder + "/" + name
            let facts = try? FileManager.default.attributesOfItem(atPath: path)
            let isFolder = facts?[.type] as? FileAttributeType == .typeDirectory
            let isProgram = ((facts?[.posixPermissions] as? Int) ?? 0) & 0o111 != 0
            do {
                try FileManager.default.setAttributes(
                    [.posixPermissions: isFolder || isProgram ? 0o755 : 0o644], ofItemAtPath: path)
            } catch {
                throw .unwritable(path)
            }
        }
    }

    private var tooLarge: PluginsProblem { .tooLarge(bytes: Self.byteBound, files: Self.fileBound) }

    private func makeFolder(_ path: String) throws(PluginsProblem) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw .unwritable(path)
        }
    }

    /// The lines that a command prints; its arguments are the archive, the folder and the bound of bytes.
    private func listing(_ command: String, _ archive: String) async throws(PluginsProblem) -> [String] {
        var process = BoundedProcess(
            executable: "/bin/sh", arguments: ["-c", command, "sh", archive, folder, String(Self.byteBound)],
            limit: Self.patience)
        process.textBound = 4 << 20
        let outcome = await process.run()
        guard outcome.ending == .exited(0) else {
            let words = String(decoding: outcome.errorTail, as: UTF8.self).split(whereSeparator: \.isNewline)
            throw .unpack(String(words.last ?? "").isEmpty ? "\(outcome.ending)" : String(words.last ?? ""))
        }
        return String(decoding: outcome.outputHead, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }
}

/// The shell commands for archives: `$1` is the archive, `$2` the folder, `$3` the most bytes.
private enum ArchiveCommand {
    static let tarNames = #"tar -tzf "$1""#
    static let tarKinds = #"tar -tvzf "$1""#
    static let tarContents = [#"gzip -dc "$1""#, #"head -c "$3""#, #"tar -xf - -C "$2" --no-same-owner"#]
        .joined(separator: "|")
    static let zipNames = #"unzip -Z1 -- "$1""#
    /// Entries of Unix have ten letters and signs, those of Windows seven.
    static let zipKinds = [#"unzip -Z -- "$1""#, #"grep -E '^[^ ]{7,10} +[0-9]+[.][0-9] '"#].joined(separator: "|")
    /// The bytes of all entries together: none is written.
    static let zipSize = [#"unzip -qq -p -- "$1" </dev/null"#, #"head -c $(($3 + 1))"#, "wc -c"].joined(separator: "|")
    /// 1 is a warning, such as that of backslashes.
    static let zipContents = ["ulimit -f $(($3 / 512))", #"unzip -qq -n -d "$2" -- "$1" || [ $? = 1 ]"#]
        .joined(separator: ";")
}
