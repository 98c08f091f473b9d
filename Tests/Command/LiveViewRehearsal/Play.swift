import CommandOutput
import CourseFetchCommands
import DownloadStore
import Foundation
import SyncDisplay
import SyncFacts

/// A run in real time whose bytes come from nowhere.
struct Play {
    let screen: TerminalScreen
    /// Downloads at the same time.
    let width: Int

    func run(videos: Int) async {
        screen.receive(.started(Script.start(downloads: videos)))
        screen.start()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<videos {
                if index >= width { await group.next() }
                group.addTask { await download(index) }
            }
        }
        screen.receive(.finished(SyncSummary()))
        await screen.close()
    }

    private func download(_ index: Int) async {
        let reference = Script.reference(index)
        let size = Int64.random(in: 8_000_000...200_000_000)
        let speed = Int64.random(in: 3_000_000...30_000_000)
        var bytes: Int64 = 0
        screen.receive(.resolved(reference, attempt: 1, reason: .first, expiresAt: nil))
        try? await Task.sleep(for: .milliseconds(Int.random(in: 50...900)))
        screen.receive(.downloadStarted(reference, resumeFrom: 0))
        while bytes < size {
            try? await Task.sleep(for: .milliseconds(150))
            bytes = min(size, bytes + speed * Int64.random(in: 50...150) / 1000)
            let progress = DownloadProgress(
                bytes: bytes, size: index % 6 == 5 ? nil : size, bytesPerSecond: speed)
            screen.receive(.progress(reference, progress))
            if Int.random(in: 0..<150) == 0 {
                let error = DownloadError(kind: .network, message: "the connection to media.example.org broke")
                screen.receive(.downloadRetrying(reference, attempt: 2, error: error, delay: .seconds(2)))
                try? await Task.sleep(for: .seconds(2))
            }
        }
        try? await Task.sleep(for: .milliseconds(Int.random(in: 20...400)))
        if index % 11 == 7 {
            let error = DownloadError(
                kind: .notMedia,
                message: "the server sent a web page instead of a video at media.example.org/v.mp4; is a login needed?",
                status: 200)
            screen.receive(.downloadFailed(reference, error: error, retryAt: Date().addingTimeInterval(3600)))
        } else {
            let path = "Classical Mechanics/01 Kinematics/\(index) \(reference.title).mp4"
            screen.receive(.downloadFinished(reference, FinishedFile(path: path, bytes: size, sha256: nil, seconds: 3)))
        }
    }
}
