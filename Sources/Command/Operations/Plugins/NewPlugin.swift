import Foundation
import ProviderHost
import SystemPackage

/// The languages that there are templates for.
package enum PluginLanguage: String, Sendable, CaseIterable {
    case swift, python
    case shell = "sh"
}

package struct NewPluginFile: Sendable, Equatable {
    /// Its path in the plugin's folder.
    package var path: String
    package var text: String
    /// Whether it can be executed.
    package var isProgram: Bool

    package init(_ path: String, _ text: String, isProgram: Bool = false) {
        self.path = path
        self.text = text
        self.isProgram = isProgram
    }
}

/// A new plugin's folder.
package struct NewPlugin: Sendable {
    private static let pythonModule = "coursefetch_provider.py"

    package let name: String
    package let language: PluginLanguage
    /// The folder to make.
    package let folder: String
    /// The folder of what its language needs, installed or in a checkout; nil if it needs nothing.
    package let kit: String?

    /// Finds what the language needs. Makes nothing yet.
    package init(name: String, language: PluginLanguage, folder: String?) throws(PluginsProblem) {
        // What the manifest allows, and a folder's name.
        let isName =
            (1...64).contains(name.utf8.count) && name.first.map { $0.isASCII && ($0.isLetter || $0.isNumber) } == true
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
            }
        guard isName else { throw .badName(name) }
        self.name = name
        self.language = language
        self.folder = folder ?? name
        switch language {
        case .shell: kit = nil
        case .python:
            kit = try Self.shared("python", inCheckout: "contrib/python", holding: Self.pythonModule, for: language)
        // A checkout is a package with the same products.
        case .swift:
            kit = try Self.shared("kit", inCheckout: "", holding: "Sources/Provider/ProviderKit", for: language)
        }
    }

    /// A folder of `PREFIX/share/coursefetch`, or one in a checkout.
    private static func shared(
        _ name: String, inCheckout path: String, holding file: String, for language: PluginLanguage
    ) throws(PluginsProblem) -> String {
        let executable = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments.first ?? "")
            .resolvingSymlinksInPath()
        let prefix = executable.deletingLastPathComponent().deletingLastPathComponent()
        var places = [prefix.appending(path: "share/coursefetch/" + name)]
        var above = executable.deletingLastPathComponent()
        while above.pathComponents.count > 1 {
            places.append(path.isEmpty ? above : above.appending(path: path))
            above.deleteLastPathComponent()
        }
        for place in places {
            let path = place.path(percentEncoded: false)
            if FileManager.default.fileExists(atPath: path + "/" + file) { return path }
        }
        throw .noKit(language)
    }

    /// Makes the folder and writes the files, and a copy of the Python module. Replaces nothing.
    package func write(_ files: [NewPluginFile]) throws(PluginsProblem) {
        var facts = stat()
        guard lstat(folder, &facts) != 0 else { throw .exists(folder) }
        var files = files
        if language == .python, let kit {
            let path = kit + "/" + Self.pythonModule
            guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path) }
            files.append(NewPluginFile(Self.pythonModule, String(decoding: data, as: UTF8.self)))
        }
        for file in files {
            let path = folder + "/" + file.path
            do {
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o755])
                try Data(file.text.utf8).write(to: URL(filePath: path), options: .withoutOverwriting)
                try FileManager.default.setAttributes(
                    [.posixPermissions: file.isProgram ? 0o755 : 0o644], ofItemAtPath: path)
            } catch {
                throw .unwritable(path)
            }
        }
    }
}
