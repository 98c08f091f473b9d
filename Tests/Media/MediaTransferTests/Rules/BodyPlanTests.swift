import MediaTransfer
import Testing

@Suite struct BodyPlanTests {
    private let marker = TransferFailure.truncated(received: 0, expected: nil)

    private func plan(start: Int64 = 0, whole: Int64?, _ framing: ResponseHead.Framing = .length) -> BodyPlan {
        BodyPlan(start: start, whole: whole, limit: whole ?? .max, limitReason: .promised, framing: framing)
    }

    @Test("bytes decide, not how the connection ended")
    func whole() {
        #expect(plan(whole: 10).outcome(length: 10, problem: nil) == nil)
        #expect(plan(whole: 10).outcome(length: 10, problem: .network(.broken)) == nil)
        #expect(plan(whole: 10).outcome(length: 10, problem: .cancelled) == nil)
    }

    @Test("a short body is truncated, or has the error that ended it")
    func short() {
        let plan = plan(start: 4, whole: 10)
        #expect(plan.outcome(length: 9, problem: nil) == .truncated(received: 5, expected: 6))
        #expect(plan.outcome(length: 9, problem: marker) == .truncated(received: 5, expected: 6))
        #expect(plan.outcome(length: 9, problem: .network(.broken)) == .network(.broken))
        #expect(plan.outcome(length: 9, problem: .stalled) == .stalled)
    }

    @Test("without a length nothing is proven")
    func unknown() {
        #expect(plan(whole: nil, .untilClose).outcome(length: 9, problem: nil) == .lengthUnknown(framed: false))
        #expect(plan(whole: nil, .chunked).outcome(length: 9, problem: nil) == .lengthUnknown(framed: true))
        #expect(
            plan(whole: nil, .chunked).outcome(length: 9, problem: marker) == .truncated(received: 9, expected: nil))
    }

    @Test(
        "the end of a part proves only the part, however it was framed",
        arguments: [ResponseHead.Framing.length, .chunked, .untilClose])
    func part(_ framing: ResponseHead.Framing) {
        let plan = BodyPlan(
            start: 4, whole: nil, partEnd: 10, limit: 10, limitReason: .promised, framing: framing)
        #expect(plan.outcome(length: 10, problem: nil) == .partOnly)
        #expect(plan.outcome(length: 10, problem: marker) == .partOnly)
        #expect(plan.outcome(length: 10, problem: .cancelled) == .cancelled)
        #expect(plan.outcome(length: 9, problem: nil) == .truncated(received: 5, expected: 6))
        #expect(plan.outcome(length: 9, problem: marker) == .truncated(received: 5, expected: 6))
        #expect(plan.outcome(length: 9, problem: .network(.broken)) == .network(.broken))
    }

    @Test("zero bytes are an error")
    func empty() {
        #expect(plan(whole: 0).outcome(length: 0, problem: nil) == .empty)
        #expect(plan(whole: nil, .untilClose).outcome(length: 0, problem: nil) == .empty)
        #expect(plan(whole: 10).outcome(length: 0, problem: marker) == .truncated(received: 0, expected: 10))
    }
}
