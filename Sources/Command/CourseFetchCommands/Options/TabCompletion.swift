import ArgumentParser
import Foundation
import Operations
import SyncFacts

/// Completions of the TAB key, read from the state at the location given by the settings and the words on the line.
extension CompletionKind {
    /// Courses, chapters and videos.
    static let selectors = CompletionKind.custom { words, _, prefix in
        guard let settings = settings(words) else { return [] }
        return Completions.selectors(prefix, at: settings.shardLocation)
    }

    static let users = CompletionKind.custom { words, _, _ in
        settings(words).map { Completions.users(at: $0.location) } ?? []
    }

    static let providers = CompletionKind.custom { words, _, _ in
        settings(words).map { Completions.providers(plugins: $0.plugins.value) } ?? []
    }

    /// The settings; nil if they have mistakes, since completion can't report them.
    private static func settings(_ words: [String]) -> SyncSettings? {
        let environment = ProcessInfo.processInfo.environment
        guard let layers = try? SettingLayers.read(options: options(words), environment: environment)
        else {
            return nil
        }
        return try? SyncSettings(layers)
    }

    /// The options on the line that set locations.
    private static func options(_ words: [String]) -> [String: [String]] {
        var options: [String: [String]] = [:]
        for (index, word) in words.enumerated() {
            for name in ["user", "state", "plugins"] {
                if word == "--" + name, index + 1 < words.count {
                    options[name, default: []].append(words[index + 1])
                } else if word.hasPrefix("--\(name)=") {
                    options[name, default: []].append(String(word.dropFirst(name.count + 3)))
                }
            }
        }
        // The word that is being completed may still be empty.
        return options.filter { !$0.value.contains("") }
    }
}
