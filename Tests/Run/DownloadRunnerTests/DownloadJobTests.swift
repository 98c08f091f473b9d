import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import Logging
import MediaLibrary
import MediaTransfer
import ProviderHost
import ProviderKit
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DownloadJobs
@testable import SyncFacts

@Suite("a download's turns")
struct DownloadJobTests {
    private let user: UserFixture
    private let services: RunServices

    init() throws {
        user = try UserFixture()
        let (options, clock) = (SyncOptions(catalogs: []), VirtualClock(Date(timeIntervalSince1970: 1e9)))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let library = try LibraryFolder.open(
            user.temporary.at("library"), expecting: .new(LibraryID(rawValue: "test")),
            owner: LibraryOwner(user: "alice", host: "here"))
        services = RunServices(
            options: options, adjustable: AdjustableLimits(options), userName: "alice", engine: TransferEngine(),
            providers: ProviderPool(
                registry: PluginRegistry.discover(environment: [:], executable: user.temporary.at("coursefetch")),
                settings: HostSettings(), credentials: try user.run(), logger: logger),
            library: library, store: user.store, bookkeeper: Bookkeeper(store: user.store, library: library),
            events: EventHub(), clock: clock, serverClocks: ServerClocks(), space: nil,
            limits: RunLimits(options, startedAt: clock.now, clock: clock, logger: logger) { _ in }, ffmpeg: nil,
            logger: logger)
    }

    @Test("bytes that turn out wrong are no longer complete: the partial may be closed while it waits")
    func startedOver() async throws {
        let wanted = try wanted()
        for isLost in [false, true] {
            let job = DownloadJob(wanted, services: services)
            #expect(await job.become(FileDownload.self) == nil)
            job.live.withLock { $0.isComplete = true }
            if isLost { _ = await job.dropPartial() } else { _ = await job.startOver() }
            #expect(!job.live.withLock { $0.isComplete })
        }
    }

    private func wanted() throws -> WantedDownload {
        try user.temporary.write(
            """
            version: 1
            courses:
              - {id: c, title: C, videos: [{id: v, provider: direct, parameters: {base: "http://h"}}]}
            """, to: "catalog.yaml")
        let reading = CatalogReader.read([user.temporary.at("catalog.yaml").string])
        let video = try #require(reading.catalog.courses.first?.videos.first, "\(reading.report)")
        let reference = VideoReference(course: "c", chapter: nil, video: "v", title: "V")
        return WantedDownload(
            id: DownloadID(rawValue: 1), reference: reference, video: video, courseTitle: "C", writtenCourse: "c",
            source: [], priority: 0, ordinal: 1, stem: "C/01 V", failedRuns: 0, isNew: true, isNotReady: false)
    }
}
