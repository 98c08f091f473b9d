import Testing

@testable import DownloadJobs

@Suite("the largest size of a file")
struct SizeLimitTests {
    @Test("the catalog's goes before the option's; without both only a file of unknown size is bounded")
    func rule() {
        func limits(_ option: Int64?, _ catalog: Int64?) -> [Int64?] {
            let limit = SizeLimit(option: option, catalog: catalog)
            return [limit.known, limit.unknown]
        }
        #expect(limits(nil, nil) == [nil, 64 << 30])
        #expect(limits(5, nil) == [5, 5])
        #expect(limits(5, 7) == [7, 7])
        #expect(limits(nil, 7) == [7, 7])
    }
}
