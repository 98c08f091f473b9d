import DownloadStore
import Foundation
import SyncFacts

/// A run that never happened, as events at times.
struct Script {
    /// When it begins: 2026-11-20, 23:00 UTC.
    static let begin = Date(timeIntervalSince1970: 1_795_215_600)

    /// Titles short and long, in narrow and wide letters, and one with something that a terminal would obey.
    static let titles = [
        "Position and velocity",
        "Newton's laws of motion, with every derivation written out at length and no step left to the reader",
        "線形代数入門：固有値と固有ベクトル",
        "양자역학의 기초와 불확정성 원리에 대한 긴 강의 제목",
        "Über Größen und Maße",
        "🚀 Rockets 🧑🏽‍🚀 and 👨‍👩‍👧‍👦 families",
        "Cafe\u{301} lectures",
        "Escape \u{1B}[31mred\u{1B}[0m and\tbell\u{7}",
    ]

    static func reference(_ index: Int) -> VideoReference {
        let title = titles[index % titles.count]
        return VideoReference(
            course: "phys101", chapter: "kinematics", video: "v\(index)",
            title: index < titles.count ? title : "\(index) \(title)")
    }

    /// A run of 40 videos with this many in progress, seen ten seconds after its beginning.
    static func still(active: Int) -> [(at: Double, event: SyncEvent)] {
        var events: [(at: Double, event: SyncEvent)] = [(0, .started(start(downloads: 40)))]
        let done = reference(100)
        events.append((0, .downloadStarted(done, resumeFrom: 0)))
        for index in 0..<active { events.append((1, .downloadStarted(reference(index), resumeFrom: 0))) }
        let path = "Classical Mechanics/01 Kinematics/05 Über Größen und Maße.mp4"
        events.append(
            (5, .downloadFinished(done, FinishedFile(path: path, bytes: 104_857_600, sha256: nil, seconds: 5))))
        let error = DownloadError(
            kind: .urlRefused, message: "access denied (403) at media.example.org/phys101/v101.mp4", status: 403)
        let failed = VideoReference(course: "phys101", chapter: "kinematics", video: "v101", title: "Rockets")
        events.append((6, .downloadFailed(failed, error: error, retryAt: nil)))
        for index in 0..<active {
            let size: Int64? = index % 7 == 6 ? nil : 209_715_200
            let bytes = index % 5 == 4 ? 209_715_200 : Int64(index + 1) * 12_345_678 % 209_715_200
            let progress = DownloadProgress(bytes: bytes, size: size, bytesPerSecond: 2_345_678)
            events.append((9, .progress(reference(index), progress)))
        }
        if active > 2 {
            let cut = DownloadError(kind: .network, message: "the connection broke")
            events.append((9.5, .downloadRetrying(reference(1), attempt: 2, error: cut, delay: .seconds(8))))
            let until = begin.addingTimeInterval(600)
            events.append((9.5, .hostWaiting(host: "media.example.org", until: until, kind: "rate_limited")))
        }
        return events
    }

    static func start(downloads: Int) -> SyncStart {
        SyncStart(
            user: "alice", run: 1, catalogs: ["catalog.yaml"], library: "/home/alice/coursefetch/alice",
            downloads: [.waiting: downloads, .finished: 2], waitingBytes: nil)
    }
}
