import CourseCatalog
import ProviderHost
import SystemPackage
import TestSupport
import Testing
import YAMLSource

@testable import DownloadJobs

/// Mistakes about missing providers in a catalog.
@Suite struct ProviderCheckTests {
    private func check(_ counts: [Int]) throws -> (kept: [String], omitted: Int) {
        let folder = TemporaryFolder()
        let paths = try counts.enumerated().map { file, count in
            let videos = (1...count).map { "    - {id: v\($0), provider: p\($0)}\n" }
            try folder.write(
                "version: 1\ncourses:\n- id: c\(file)\n  videos:\n\(videos.joined())", to: "\(file).yaml")
            return folder.at("\(file).yaml").string
        }
        let reading = CatalogReader.read(paths)
        try #require(reading.verdict == .valid, "\(reading.report)")
        let registry = PluginRegistry.discover(environment: [:], executable: folder.at("bin/x"))
        let (kept, omitted) = ProviderCheck.mistakes(in: reading.catalog, registry)
        return (kept.map(\.text), omitted)
    }

    @Test("for each file the first hundred mistakes are listed, the others counted")
    func hundred() throws {
        let few = try check([100])
        #expect(few.kept.count == 100 && few.omitted == 0)
        let (kept, omitted) = try check([102, 1, 120])
        #expect(kept.count == 201 && omitted == 22)
        let places = kept.compactMap { text in
            text.firstMatch(of: /([012])\.yaml:.*'(p\d+)'/).map { "\($0.1) \($0.2)" }
        }
        #expect(
            places == (1...100).map { "0 p\($0)" } + ["1 p1"] + (1...100).map { "2 p\($0)" }, "\(kept.first ?? "")")
    }
}
