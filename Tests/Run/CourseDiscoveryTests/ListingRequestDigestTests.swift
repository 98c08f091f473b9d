import CourseCatalog
import SystemPackage
import TestSupport
import Testing

@testable import CourseDiscovery

@Suite("What a course's provider was asked with")
struct ListingRequestDigestTests {
    @Test("its digest in the state is the same in the next version")
    func stored() throws {
        let folder = TemporaryFolder()
        try folder.write(
            "version: 1\ncourses:\n  - {id: \"cafe\u{301}\", provider: p, parameters: {a: [1, ü], b: null}, discover: true}\n",
            to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        try #require(reading.verdict == .valid, "\(reading.report)")
        #expect("\(StoredListing.question(of: reading.catalog.courses[0]))" == "197177049247174c009f6476cf46b58c")
    }
}
