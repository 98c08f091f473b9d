import ProviderKit
import Testing

@testable import ProviderHTTP

@Suite("The pace of requests")
struct PaceTests {
    @Test("so many begin at once, the others a span after them, each server for itself")
    func turns() {
        let pace = Pace(requests: 2, in: .seconds(10))
        let now = ContinuousClock.now
        let turns = (0..<5).map { _ in pace.turn(for: "https://a", at: now, within: .seconds(100)) - now }
        #expect(turns == [0, 0, 10, 10, 20].map { Duration.seconds($0) })
        #expect(pace.turn(for: "https://b", at: now, within: .zero) == now)
        #expect(pace.turn(for: "https://a", at: now + .seconds(40), within: .zero) == now + .seconds(40))
    }

    @Test("one that would wait too long is told at once when its turn is, and takes none")
    func tooLong() async throws {
        let pace = Pace(requests: 1, in: .seconds(60))
        try await pace.wait(for: "https://a")
        for _ in 0..<3 {
            let error = await #expect(throws: ProviderError.self) {
                try await pace.wait(for: "https://a", within: .seconds(1))
            }
            #expect(error?.kind == .rateLimited && error?.server == "https://a")
            #expect((error?.retryAfter ?? .zero) > .seconds(50) && (error?.retryAfter ?? .zero) <= .seconds(60))
        }
    }
}
