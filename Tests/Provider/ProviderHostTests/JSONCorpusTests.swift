import Checkout
import Foundation
import ProviderKit
import Testing

@testable import ProviderHost

/// The texts of JSONTestSuite as what a plugin says.
@Suite struct JSONCorpusTests {
    static let folder = Corpora.url("json-test-suite")

    static func texts() throws -> [(name: String, bytes: [UInt8])] {
        let folder = try #require(folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        return try files.sorted().map { ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0)))) }
    }

    @Test(
        "no text as an answer, result or error breaks the decoder or counts as a resolution",
        .enabled(if: folder != nil, "the corpora are not here: set COURSEFETCH_CORPORA"))
    func decoder() throws {
        let texts = try Self.texts()
        #expect(texts.count > 200)
        let decoder = AnswerDecoder { $0 == 1 ? .resolve : nil }
        for (name, bytes) in texts {
            let asLine = bytes.withUnsafeBytes { decoder.decode($0) }
            switch asLine {
            case .violation: break
            default: Issue.record("\(name) passed as \(asLine)")
            }
            for key in ["result", "error"] {
                let answer = Array(#"{"id":1,"\#(key)":"#.utf8) + bytes + Array("}".utf8)
                switch answer.withUnsafeBytes({ decoder.decode($0) }) {
                case .violation, .reply(wire: 1, .wrong): break
                case .reply(wire: 1, .error(let error)) where error.kind == .pluginFault: break
                case let other: Issue.record("\(name) as \(key) passed as \(other)")
                }
            }
        }
    }

    @Test(
        "valid JSON of the suite is read, invalid JSON is refused, also in the value of a key that nobody reads",
        .enabled(if: folder != nil, "the corpora are not here: set COURSEFETCH_CORPORA"))
    func grammar() throws {
        let decoder = AnswerDecoder { $0 == 1 ? .resolve : nil }
        var counts = (good: 0, bad: 0)
        for (name, bytes) in try Self.texts() {
            let file = name.split(separator: "/").last ?? ""
            let line = Array(#"{"id":1,"result":{"url":"https://h/"},"more":"#.utf8) + bytes + Array("}".utf8)
            let answer = line.withUnsafeBytes { decoder.decode($0) }
            if file.hasPrefix("y_") {
                counts.good += 1
                if case .reply(wire: 1, .resolution) = answer { continue }
                Issue.record("\(name) was refused: \(answer)")
            } else if file.hasPrefix("n_") {
                // Inside an object a few of them are complete: their text is not.
                if (try? JSONReader.value(of: bytes)) != nil { Issue.record("\(name) passed") }
                counts.bad += 1
                if case .violation = answer { continue }
                Issue.record("\(name) passed in a key that isn't read")
            }
        }
        #expect(counts.good > 80 && counts.bad > 150, "\(counts)")
    }

    @Test(
        "a plugin that writes such a line loses that request and no other",
        .enabled(if: folder != nil, "the corpora are not here: set COURSEFETCH_CORPORA"))
    func plugin() async throws {
        let sandbox = try Sandbox()
        // Those without a line end of their own, and few enough to be quick: each costs two restarts.
        let texts = try Self.texts().filter { !$0.bytes.contains(0x0A) && $0.bytes.count < 1000 }
        let some = texts.enumerated().filter { $0.offset % 24 == 0 }.map(\.element)
        #expect(some.count > 5)
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            for (name, bytes) in some {
                let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let error = await failure(provider, .video("raw", ["bytes": .string(text)]))
                #expect(error?.kind == .pluginFault, "\(name): \(error.map(String.init(describing:)) ?? "passed")")
                #expect(await url(provider, "a") == "https://media.example.org/a", "after \(name)")
            }
        }
    }
}
