import Checkout
import CourseCatalog
import Foundation
import Testing
import YAMLSource

@testable import ProviderHost

/// The catalogs that come with coursefetch, against the plugins that come with it.
@Suite struct ExampleCatalogTests {
    static let catalogs: [String] = {
        let folder = Checkout.path("catalogs")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\($0)" }
    }()

    @Test("examples exist")
    func some() {
        #expect(Self.catalogs.contains { $0.hasSuffix("/demo.yaml") })
    }

    @Test("each is valid and has the parameters of the bundled plugins", arguments: catalogs)
    func valid(_ path: String) throws {
        let reading = CatalogReader.read([path])
        #expect(reading.diagnostics.map(\.text) == [])
        let registry = BundledPluginTests.registry()
        for course in reading.catalog.courses {
            for video in Array(course.videos) + course.chapters.flatMap({ Array($0.videos) }) {
                // Others stand for plugins that people bring themselves.
                guard let plugin = registry.plugins[video.provider.name] else { continue }
                #expect(plugin.validate(video.settings.parameters, at: video.location).map(\.text) == [])
            }
        }
    }

    @Test("the demo's covers exist")
    func covers() throws {
        let path = try #require(Self.catalogs.first { $0.hasSuffix("/demo.yaml") })
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let covers = text.matches(of: /cover: (covers\/\S+)/).map { String($0.output.1) }
        #expect(covers.count == 3)
        for cover in covers {
            let file = URL(filePath: path).deletingLastPathComponent().appending(path: cover)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(cover)")
        }
    }
}
