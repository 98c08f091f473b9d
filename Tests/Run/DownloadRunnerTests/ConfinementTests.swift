import CourseCatalog
import Foundation
import Logging
import MediaTransfer
import NetworkAddresses
import ProviderHost
import ProviderKit
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import DownloadJobs

/// The network that a provider's addresses may be in.
@Suite struct ConfinementTests {
    @Test("what a provider names is confined to the network of its server, unless its manifest says nothing")
    func confinement() async throws {
        let user = try UserFixture()
        for (name, line) in [("list", "confined_to: endpoint"), ("own", "")] {
            let folder = "plugins/\(name)"
            try user.temporary.write("#!/bin/sh\n", to: "\(folder)/run")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: user.temporary.at("\(folder)/run").string)
            try user.temporary.write("name: \(name)\nprotocol: 1\nrun: [./run]\n\(line)\n", to: "\(folder)/plugin.yaml")
        }
        let pool = ProviderPool(
            registry: PluginRegistry.discover(
                extraFolders: [user.temporary.at("plugins")], environment: [:],
                executable: user.temporary.at("coursefetch")),
            settings: HostSettings(), credentials: try user.run(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for (endpoint, scope) in [
            ("https://192.168.0.7/feed", .privateNetwork), ("http://127.0.0.1:8080", .loopback),
            ("localhost", .loopback),
            ("https://1.2.3.4/", .world), ("http://169.254.1.1", .link), ("no address", .world),
        ] as [(String, NetworkScope)] {
            try user.temporary.write(
                """
                version: 1
                courses:
                  - {id: c, title: C, videos: [{id: v, provider: list, parameters: {endpoint: "\(endpoint)"}}]}
                """, to: "catalog.yaml")
            let reading = CatalogReader.read([user.temporary.at("catalog.yaml").string])
            let settings = try #require(reading.catalog.courses.first?.videos.first, "\(reading.report)").settings
            #expect(
                await pool.confinement(of: ListingSource(provider: "list", settings: settings)) == scope, "\(endpoint)")
            #expect(await pool.confinement(of: ListingSource(provider: "own", settings: settings)) == nil)
            #expect(await pool.confinement(of: ListingSource(provider: "none", settings: settings)) == nil)
        }
    }

    @Test("every request of an answer is confined, its subtitles and playlists included")
    func requests() throws {
        var media = try #require(ResolvedMedia(Resolution(url: "https://h/a.mp4"), at: .now))
        #expect(media.request(start: .beginning, expectedSize: nil, limitRate: nil).confinement == nil)
        media.confinement = .world
        #expect(media.request(start: .beginning, expectedSize: nil, limitRate: nil).confinement == .world)
        #expect(media.sidecarRequest("https://h/a.vtt").confinement == .world)
        #expect(media.streamRequest("https://h/a.m3u8", limitRate: nil).confinement == .world)
    }
}
