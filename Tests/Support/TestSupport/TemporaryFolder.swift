import Foundation
package import SystemPackage

/// A folder of a test's own, removed with all that is in it when the last reference goes.
package final class TemporaryFolder: Sendable {
    package let path: FilePath

    package init() {
        let name = "coursefetch-test-\(UUID().uuidString)"
        let path = FilePath(FileManager.default.temporaryDirectory.path).appending(name)
        do {
            try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
            // The umask must not decide what is thought of a plugin in it.
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.string)
            // As the kernel spells it, so that paths can be compared.
            self.path = FilePath(URL(filePath: path.string).resolvingSymlinksInPath().path)
        } catch {
            fatalError("no temporary folder: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path.string) }

    /// A path in it.
    package func at(_ relative: String) -> FilePath { path.appending(relative) }

    /// Writes a file, creating the folders above it.
    package func write(_ text: String, to relative: String) throws {
        try make(relative.split(separator: "/").dropLast().joined(separator: "/"))
        try Data(text.utf8).write(to: URL(filePath: at(relative).string))
    }

    /// Creates a folder.
    package func make(_ relative: String) throws {
        guard !relative.isEmpty else { return }
        try FileManager.default.createDirectory(atPath: at(relative).string, withIntermediateDirectories: true)
    }

    /// A file's text; nil if there is none.
    package func read(_ relative: String) -> String? {
        try? String(contentsOf: URL(filePath: at(relative).string), encoding: .utf8)
    }

    /// Whether something has this name; a link counts, wherever it leads.
    package func has(_ relative: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: at(relative).string)) != nil
    }

    /// Makes a symbolic link.
    package func link(_ relative: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: at(relative).string, withDestinationPath: target)
    }

    /// Renames a file or folder.
    package func move(_ relative: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: at(relative).string, toPath: at(other).string)
    }

    /// Everything beneath, by its path.
    package func names() -> [String] {
        (try? FileManager.default.subpathsOfDirectory(atPath: path.string)) ?? []
    }

    /// Every file beneath, with its text, but for what is in a `.coursefetch`. Links and folders aside.
    package func files(under relative: String = "") -> [String: String] {
        var files: [String: String] = [:]
        let root = relative.isEmpty ? path : at(relative)
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: root.string)) ?? [] {
            guard !name.split(separator: "/").contains(".coursefetch"),
                let facts = try? FileManager.default.attributesOfItem(atPath: root.appending(name).string),
                facts[.type] as? FileAttributeType == .typeRegular
            else { continue }
            files[name] = (try? String(contentsOf: URL(filePath: root.appending(name).string), encoding: .utf8)) ?? "?"
        }
        return files
    }
}

extension TemporaryFolder {
    /// Removes a file, or a folder with all in it.
    package func remove(_ relative: String) throws {
        try FileManager.default.removeItem(atPath: at(relative).string)
    }

    /// How many descriptors of this process are open on something in this folder.
    package func openDescriptors() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name))?
                .hasPrefix(path.string) == true
        }
    }
}
