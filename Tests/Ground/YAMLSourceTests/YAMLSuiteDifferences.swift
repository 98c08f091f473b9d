/// The cases of yaml-test-suite that come out otherwise here, each with its reason.
enum YAMLSuiteDifferences {
    static let all: [String: (outcome: YAMLSuiteTests.Outcome, reason: String)] = {
        var all: [String: (outcome: YAMLSuiteTests.Outcome, reason: String)] = [:]
        for id in refusedByLibYAML { all[id] = (.refused, "libyaml refuses it") }
        for id in takenByLibYAML { all[id] = (.taken, "libyaml takes it") }
        for id in readOtherwiseByLibYAML { all[id] = (.other, "libyaml reads it otherwise") }
        for id in tags { all[id] = (.refused, "a tag without a meaning is an error here, on purpose") }
        for id in keys { all[id] = (.refused, "a key that isn't text is an error here, on purpose") }
        return all
    }()

    /// libyaml 0.2.5 itself refuses them: tabs as separation, empty keys, `:` next to flow indicators, directives that it
    /// doesn't know, letters beyond ASCII in anchors and the like.
    private static let refusedByLibYAML = [
        "2JQS", "2LFX", "2SXE", "4ABK", "4MUZ/00", "4MUZ/01", "4MUZ/02", "58MP", "5MUD", "5T43", "6BCT", "6CA3",
        "6LVF", "6M2F", "7Z25", "8XYN", "96NN/00", "96NN/01", "9SA2", "A2M4", "BEC7", "CFD4", "DBG4", "DK3J",
        "DK95/00", "DK95/03", "DK95/04", "FP8R", "FRK4", "HM87/00", "HWV9", "K3WX", "M2N8/00", "M7A3", "MUS6/05",
        "MUS6/06", "NHX8", "NJ66", "NKF9", "Q5MG", "QT73", "R4YG", "S3PD", "SM9W/01", "UKK6/00", "UT92", "VJP3/01",
        "W4TN", "W5VH", "Y79Y/001", "Y79Y/010",
    ]

    /// libyaml 0.2.5 itself takes them: mostly indentation of flow collections and comments without a blank before them.
    private static let takenByLibYAML = [
        "9C9N", "9JBA", "CVW2", "DK95/01", "EB22", "G5U8", "MUS6/00", "MUS6/01", "QB6E", "RHX7", "S98Z", "SU5Z",
        "X4QW", "Y79Y/003", "YJV2",
    ]

    /// libyaml 0.2.5 itself reads something else: `?` at the beginning of plain scalars in flow collections, trailing
    /// breaks of a block scalar that ends without one, `:` in anchors.
    private static let readOtherwiseByLibYAML = [
        "652Z", "HM87/01", "JEF9/02", "L24T/01", "Y2GN",
    ]

    /// They bear tags of their own (`!foo`, `!!set`, `!!omap`, `!!binary`), which would be text that only looks right.
    private static let tags = [
        "2XXW", "565N", "5TYM", "6CK3", "6WLZ", "7FWL", "9WXW", "C4HZ", "CC74", "CUP7", "J7PZ", "M5C3", "P76L",
        "UGM3", "Z67P", "Z9M4",
    ]

    /// They have keys that aren't text, which JSON, and so a plugin, can't have.
    private static let keys = [
        "4FJ6", "6BFJ", "6PBE", "9MMW", "KK5P", "LX3P", "M2N8/01", "M5DY", "Q9WF", "RZP5", "SBG9", "V9D5", "X38W",
        "XW4D",
    ]
}
