import CommandOutput
import Foundation
import ProviderConformance
import ProviderKit
import TestSupport
import Testing

@Suite("The conformance suite and manifests")
struct ManifestFaultTests {
    @Test(
        "a manifest that can't be used fails, and nothing is started",
        arguments: [
            ("protocol: 1\nrun: [./p]\n", "'name' is missing"),
            ("name: p\nprotocol: 9\nrun: [./p]\n", "version 9 of the protocol"),
            (
                "name: p\nprotocol: 1\nrun: [./p]\nparameters: {type: object, patternProperties: {}}\n",
                "patternProperties"
            ),
            ("name: p\nprotocol: 1\nrun: [./gone]\n", "is neither in its folder"),
            ("name: [\n", "plugin.yaml"),
            (
                "name: p\nprotocol: 1\nrun: [./p]\nparameters: {properties: {n: {type: integer, default: x}}}\n",
                "'default' must be an integer"
            ),
        ])
    func manifest(text: String, words: String) async throws {
        let trial = PluginTrial()
        try trial.write(text, to: "plugin.yaml")
        try trial.write("#!/bin/sh\ntouch started\n", to: "p", mode: 0o755)
        let report = await trial.report()
        #expect(report.failed == ["manifest"])
        let sentence = report.failures(.manifest).map { ConformanceWording.sentence($0.fault) }.joined()
        #expect(sentence.contains(words), "\(sentence)")
        #expect(!trial.folder.has("started"))
        #expect(report.counts.skipped == ConformanceCheck.allCases.count - 1)
    }

    @Test("a folder without a manifest fails")
    func none() async {
        #expect(await PluginTrial().report().failed == ["manifest"])
    }

    @Test("a program that others can write isn't trusted, and not started")
    func distrusted() async throws {
        let trial = PluginTrial()
        try trial.write("name: p\nprotocol: 1\nrun: [./p]\n", to: "plugin.yaml")
        try trial.write("#!/bin/sh\ntouch started\n", to: "p", mode: 0o777)
        let report = await trial.report()
        #expect(report.failed == ["manifest"])
        #expect(!trial.folder.has("started"))
    }

    @Test("a given parameter that the schema forbids is told")
    func parameters() async throws {
        let trial = try PluginTrial(fault: "ends-at-once")
        let manifest = try #require(trial.folder.read("plugin.yaml"))
        let schema = "parameters: {type: object, required: [n], properties: {n: {type: integer}, m: {type: string}}}\n"
        try trial.write(manifest + schema, to: "plugin.yaml")
        var settings = CheckSettings()
        settings.parameters = ["m": 3]
        let sentences = await trial.report(settings).failures(.parameters).map { ConformanceWording.sentence($0.fault) }
        #expect(sentences.count == 1 && sentences[0].hasPrefix("'m' must be text, not an integer"), "\(sentences)")
    }
}
