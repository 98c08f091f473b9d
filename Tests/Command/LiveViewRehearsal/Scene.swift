import DownloadStore
import Foundation
import SyncFacts

/// A night in the middle of two courses, for the page that shows the live view.
enum Scene {
    private static let titles = [
        "Position and velocity", "Acceleration", "Newton's laws of motion", "Work and energy",
        "Momentum and collisions",
        "Rotation", "Gravitation", "Vector spaces", "Linear maps and matrices", "Determinants",
        "Eigenvalues and eigenvectors", "線形代数入門：固有値と固有ベクトル", "Inner products", "Orthogonal bases",
    ]
    /// How many of them belong to the first course.
    private static let physics = 7

    private static func reference(_ index: Int) -> VideoReference {
        let isPhysics = index < physics
        return VideoReference(
            course: isPhysics ? "phys101" : "math201", chapter: isPhysics ? "mechanics" : "algebra",
            video: "v\(index + 1)", title: titles[index])
    }

    /// This many videos in progress, about half of each course, as events at seconds of the run.
    static func events(active: Int) -> [(at: Double, event: SyncEvent)] {
        let first = active / 2
        let shown = Array(0..<first) + Array(physics..<(physics + active - first)).prefix(titles.count - physics)
        let all = titles.indices.map(reference)
        let order = CatalogOrder(courses: ["phys101": "Classical Mechanics", "math201": "Linear Algebra"]) { all }
        let start = SyncStart(
            user: "alice", run: 1, catalogs: ["catalog.yaml"], library: "/home/alice/coursefetch/alice",
            downloads: [.waiting: 40, .finished: 12], waitingBytes: 40 * 209_715_200, order: order)
        var events: [(at: Double, event: SyncEvent)] = [(0, .started(start))]
        for index in shown { events.append((1, .downloadStarted(reference(index), resumeFrom: 0))) }
        let done = VideoReference(course: "phys101", chapter: "mechanics", video: "v0", title: "Introduction")
        let file = FinishedFile(
            path: "Classical Mechanics/01 Mechanics/01 Introduction.mp4", bytes: 187_654_321, sha256: nil, seconds: 71)
        events.append((60, .downloadFinished(done, file)))
        let lost = VideoReference(course: "phys101", chapter: "mechanics", video: "v9", title: "Rockets")
        let error = DownloadError(
            kind: .urlRefused, message: "not found (404) at media.example.org/phys101/v9.mp4", status: 404)
        events.append((61, .downloadFailed(lost, error: error, retryAt: Script.begin.addingTimeInterval(3600))))
        for (number, index) in shown.enumerated() {
            let bytes = Int64(number * 5 % 9 + 1) * 21_234_567
            // One of them gets nothing any more.
            let progress = DownloadProgress(
                bytes: bytes, size: 209_715_200, bytesPerSecond: number == 1 ? 0 : 2_345_678 + Int64(number) * 87_654)
            if number == 2 {
                events.append((70, .resolved(reference(index), attempt: 2, reason: .expired, expiresAt: nil)))
            }
            events.append((number == 1 ? 64 : 71.5, .progress(reference(index), progress)))
        }
        return events.sorted { $0.at < $1.at }
    }
}
