package import Foundation
import ProviderHost
package import ProviderKit
import YAMLSource

/// The contents of a `fixture.yaml`: what a plugin is checked with.
package struct FixtureDescription: Sendable, PrintsRedacted {
    /// The file's name in a folder of fixtures.
    package static let fileName = "fixture.yaml"

    /// The course's parameters.
    package var parameters: [String: JSONValue] = [:]
    /// The secrets for a login, by the names in the manifest.
    package var credentials: [String: String] = [:]
    /// Credentials as a login would have answered them, if they are more than texts by name; nil without any.
    package var stored: Secret<JSONValue>?
    /// The videos to resolve; if empty, those that are listed.
    package var videos: [SampleVideo] = []
    /// The time to tell the plugin; nil for the present time.
    package var now: Date?

    package init() {}

    /// The description in `bytes`, the text of `file`. Throws all mistakes, each with its position.
    package static func read(_ bytes: [UInt8], file: String) throws(FixtureProblem) -> FixtureDescription {
        let root: YAMLNode
        do {
            root = try YAMLNode.parse(bytes: bytes, file: file)
        } catch {
            throw .mistakes(error.diagnostics.map { "\($0.location): \($0.summary)" })
        }
        var description = FixtureDescription()
        var wrong: [FixtureProblem.Place] = []
        for entry in root.mapping ?? YAMLMapping() {
            let isGood =
                switch entry.key {
                case "parameters": description.take(parameters: entry.value)
                case "credentials": description.take(credentials: entry.value)
                case "videos": description.take(videos: entry.value)
                case "now": description.take(now: entry.value)
                default: false
                }
            if !isGood { wrong.append(.init(key: entry.key, place: "\(entry.keyLocation)")) }
        }
        if root.mapping == nil, !root.isNull { wrong.append(.init(key: "", place: "\(root.location)")) }
        guard wrong.isEmpty else { throw .keys(wrong) }
        return description
    }

    private mutating func take(parameters node: YAMLNode) -> Bool {
        guard node.mapping != nil, case .object(let members) = JSONValue(node) else { return false }
        parameters = members
        return true
    }

    private mutating func take(credentials node: YAMLNode) -> Bool {
        guard let mapping = node.mapping else { return false }
        for entry in mapping {
            guard let text = entry.value.string ?? entry.value.int.map(String.init) else {
                credentials = [:]
                stored = Secret(JSONValue(node))
                return true
            }
            credentials[entry.key] = text
        }
        return true
    }

    private mutating func take(videos node: YAMLNode) -> Bool {
        guard let items = node.sequence else { return false }
        for item in items {
            guard let id = item.string ?? item["id"]?.string else { return false }
            let parameters = item["parameters"].map { JSONValue($0) }?.object ?? [:]
            var video = SampleVideo(id: id, parameters: parameters)
            if let expected = item["expect"] {
                guard let values = JSONValue(expected).object, !values.isEmpty else { return false }
                video.expectation = Expectation(values)
            }
            videos.append(video)
        }
        return true
    }

    private mutating func take(now node: YAMLNode) -> Bool {
        now = node.string.flatMap(Timestamp.date)
        return now != nil
    }
}

/// The reason why fixtures can't be used.
package enum FixtureProblem: Error, Sendable, Equatable {
    /// A key with its position.
    package struct Place: Sendable, Equatable {
        /// The key; empty for the whole file.
        package var key: String
        /// File, line and column.
        package var place: String
    }

    /// The file or folder can't be read.
    case unreadable(String)
    /// It isn't YAML; all mistakes.
    case mistakes([String])
    /// Keys that are unknown, or have a value of another type.
    case keys([Place])
    /// This file isn't an exchange; the number of its line that is wrong.
    case exchange(file: String, line: Int)
    /// There are exchanges, and no `endpoint` among the parameters.
    case noEndpoint
    /// The `endpoint` isn't an http or https URL.
    case badEndpoint
    /// No port of the loopback interface can be opened.
    case noPort
    /// The folder exists and isn't empty.
    case notEmpty(String)
    /// This file can't be written.
    case unwritable(String)
}
