import ProviderKit
import Testing

@Suite("JSON of hosts that don't keep to one form")
struct LooseValueTests {
    @Test(
        "a list may be one thing, or nothing",
        arguments: [
            (.null, []), ("", []), ([1, 2], [1, 2]), (["a": 1], [["a": 1]]), ("x", ["x"]), (0, [0]), ([], []),
        ] as [(JSONValue, [JSONValue])])
    func list(value: JSONValue, list: [JSONValue]) { #expect(value.list == list) }

    @Test(
        "a number may be text",
        arguments: [
            (12, 12), ("12", 12), (" -3 ", -3), ("4955801.0", 4_955_801), (".5", 0.5), ("7.", 7), ("1e3", 1000),
            (1.5, 1.5),
            ("", nil), ("1,5", nil), ("12 MB", nil), ("0x10", nil), ("inf", nil), ("nan", nil), (true, nil),
            (.null, nil),
            ("1e999", nil), (["1"], nil),
        ] as [(JSONValue, Double?)])
    func number(value: JSONValue, number: Double?) { #expect(value.number == number) }

    @Test(
        "a whole number is exact",
        arguments: [
            (12, 12), ("12", 12), ("4955801.0", 4_955_801), (-3, -3), (7.0, 7), (9_007_199_254_740_992, 1 << 53),
            (1.5, nil), ("1.5", nil), ("1e300", nil), (1e300, nil), (9_007_199_254_740_993, nil), (.null, nil),
            ("", nil),
        ] as [(JSONValue, Int64?)])
    func wholeNumber(value: JSONValue, number: Int64?) { #expect(value.wholeNumber == number) }
}
