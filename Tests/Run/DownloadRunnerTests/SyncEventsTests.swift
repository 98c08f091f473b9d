import Testing

@testable import SyncFacts

@Suite("Reading the events")
struct SyncEventsTests {
    private let video = VideoReference(course: "c", chapter: nil, video: "v", title: "V")

    private func progress(_ bytes: Int64) -> SyncEvent {
        .progress(video, DownloadProgress(bytes: bytes, size: nil, bytesPerSecond: 0))
    }

    @Test("a slow reader gets every event except progress, of which it gets the newest")
    func slow() async {
        let hub = EventHub()
        let events = hub.subscribe()
        for bytes in 0..<1000 { hub.post(progress(Int64(bytes))) }
        hub.post(.downloadStarted(video, resumeFrom: 0))
        hub.post(.warning(.loggedOut, nil))
        hub.finish()
        var texts: [String] = []
        for await event in events {
            switch event {
            case .progress(_, let progress): texts.append("progress \(progress.bytes)")
            case .downloadStarted: texts.append("started")
            case .warning: texts.append("warning")
            default: texts.append("other")
            }
        }
        #expect(texts == ["started", "warning", "progress 999"])
    }

    @Test("no progress comes after the end of its download")
    func stale() async {
        let hub = EventHub()
        let events = hub.subscribe()
        hub.post(progress(5))
        hub.post(.downloadCancelled(video))
        hub.finish()
        var count = 0
        for await _ in events { count += 1 }
        #expect(count == 1)
    }

    @Test("readers are independent; a late one begins at its subscription")
    func several() async {
        let hub = EventHub()
        let first = hub.subscribe()
        hub.post(.warning(.loggedOut, nil))
        let second = hub.subscribe()
        hub.post(.warning(.stream(.otherQuality), nil))
        hub.finish()
        var counts = (0, 0)
        for await _ in first { counts.0 += 1 }
        for await _ in second { counts.1 += 1 }
        #expect(counts == (2, 1))
        for await _ in hub.subscribe() { Issue.record("the run is over") }
    }
}
