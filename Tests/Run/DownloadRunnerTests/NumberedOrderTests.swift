import Testing

@testable import DownloadRunner

@Suite("What is gone, among what is present")
struct NumberedOrderTests {
    @Test(
        "it stands after the greatest number below its own, else before the least one above",
        arguments: [
            ([2, 3], [1, 4], [1, 2, 3, 4]), ([], [2, 1], [1, 2]), ([1, 2], [], [1, 2]),
            // The newest first.
            ([5, 3, 1], [4, 2, 9], [5, 9, 3, 4, 1, 2]), ([4, 2, 3], [1], [4, 1, 2, 3]),
            ([1, 5], [2, 3], [1, 2, 3, 5]),
        ])
    func merged(present: [Int], gone: [Int], expected: [Int]) {
        #expect(NumberedOrder.merged(present, gone, by: { $0 }) == expected)
    }
}
