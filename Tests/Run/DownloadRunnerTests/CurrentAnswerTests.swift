import Foundation
import ProviderKit
import Testing

@testable import DownloadJobs
@testable import SyncFacts

@Suite("The current answer of a download")
struct CurrentAnswerTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func answer(_ resolution: Resolution) -> CurrentAnswer {
        var answer = CurrentAnswer()
        let reason = answer.take(resolution, at: now)
        #expect(reason == .first)
        return answer
    }

    private func isGood(_ answer: inout CurrentAnswer, after seconds: Double, bytes: Int64 = 0) -> Bool {
        answer.isGood(at: now + seconds, bytes: bytes)
    }

    private func take(_ answer: inout CurrentAnswer, _ resolution: Resolution) -> ResolveReason? {
        answer.take(resolution, at: now)
    }

    @Test("it is used until it expires; the next request says so, with the bytes received")
    func expiry() {
        var resolution = Resolution(url: "https://a/b.mp4")
        resolution.expiresAt = now + 100
        var answer = answer(resolution)
        answer.media?.use()
        #expect(isGood(&answer, after: 80, bytes: 5) && answer.previous == nil)
        #expect(!isGood(&answer, after: 95, bytes: 5) && answer.media == nil)
        #expect(answer.previous == .init(reason: .expired, status: nil, bytes: 5))
        #expect(take(&answer, resolution) == .expired)
        #expect(answer.previous == nil && answer.count == 2)
    }

    @Test("a refused answer is dropped; the next request says so")
    func refusal() {
        var answer = answer(Resolution(url: "https://a/b.mp4"))
        answer.refuse(.rejected, status: 403, bytes: 9)
        #expect(!isGood(&answer, after: 0, bytes: 10))
        #expect(answer.previous == .init(reason: .rejected, status: 403, bytes: 9), "the first reason counts")
        #expect(take(&answer, Resolution(url: "https://a/c.mp4")) == .rejected)
    }

    @Test("a single-use answer covers what it was read for, until it expires")
    func single() {
        var resolution = Resolution(url: "https://a/b.m3u8", kind: .hls)
        resolution.singleUse = true
        resolution.expiresAt = now + 100
        var answer = answer(resolution)
        #expect(isGood(&answer, after: 0))
        answer.media?.use()
        answer.media?.isRead = true
        #expect(isGood(&answer, after: 50))
        var other = answer
        #expect(!isGood(&other, after: 99))
        answer.media?.isRead = false
        #expect(!isGood(&answer, after: 50))
    }

    @Test("an address that can't be fetched is no answer, and changes nothing")
    func address() {
        var answer = CurrentAnswer()
        #expect(take(&answer, Resolution(url: "file:///etc/passwd")) == nil)
        #expect(answer.media == nil && answer.count == 0)
    }
}
