import Checkout
import Testing

/// The rule of CONTRIBUTING.md: what changes by rules is a value with tests of its own.
@Suite("House rule: rules are values")
struct MutableFieldsTests {
    static let bound = 8

    /// Those that have more, with how many they may have, and why.
    static let exceptions: [String: (count: Int, reason: String)] = [
        "Dispatcher": (16, "the tasks, timers and reports of the loop around Schedule, which has the rules"),
        "Transfer": (16, "a response between libcurl's callbacks; ResponseJudge and other values decide"),
        "CheckContext": (16, "what the checks of a plugin have in common and find out one after the other"),
        "DownloadJob": (13, "a download over several turns, and what others read of it; AttemptPolicy decides"),
        "Bookkeeper": (11, "rows to write, and whom to ask and tell, each behind a lock"),
        "FileDownload": (11, "what is known of a partial and its transfer; AttemptPolicy decides"),
    ]

    /// By type, over all rooms and plugins; read once.
    private static let counts = Result {
        let files = Checkout.swiftFiles(under: "Sources") + Checkout.swiftFiles(under: "Plugins")
        let counts = try files.map { MutableFields(try Checkout.code($0)).counts }
        return counts.reduce(into: [String: Int]()) { all, counts in all.merge(counts, uniquingKeysWith: max) }
    }

    @Test("no class or actor has many fields that change")
    func bounds() throws {
        let counts = try Self.counts.get()
        #expect(counts.count > 80)
        for (type, count) in counts where count > Self.bound {
            #expect(count <= Self.exceptions[type]?.count ?? Self.bound, "\(type) has \(count)")
        }
    }

    @Test("each exception is needed, and as large as it has to be")
    func neededExceptions() throws {
        let counts = try Self.counts.get()
        for (type, exception) in Self.exceptions {
            #expect(exception.count > Self.bound && counts[type] == exception.count, "\(type)")
        }
    }

    @Test("the page names the bound")
    func page() throws {
        #expect(try Checkout.text("CONTRIBUTING.md").contains("at most \(Self.bound) `var`s"))
    }

    @Test(
        "stored variables of classes and actors are counted, with those behind their locks",
        arguments: [
            ("final class A {\n    var a = 0\n    private(set) var b: Int\n    let c = 0\n}", ["A": 2]),
            ("actor A {\n    var (a, b) = (0, 0)\n    weak var c: B?\n    lazy var d = { 0 }()\n}", ["A": 4]),
            (
                "class A {\n    var a: Int { 0 }\n    static var b = 0\n    func c() {\n        var d = 0\n    }\n}",
                ["A": 0]
            ),
            (
                "class A {\n    var a: Int {\n        get { 0 }\n    }\n    var b: Int {\n        didSet { c() }\n    }\n}",
                ["A": 1]
            ),
            (
                "class A {\n    var a: [Int] = [] {\n        didSet { c() }\n    }\n    nonisolated(unsafe) var b = 0\n}",
                ["A": 2]
            ),
            ("struct A {\n    var a = 0\n    class B {\n        var c = 0\n    }\n    var d = 0\n}", ["A.B": 1]),
            ("class A {\n    struct S {\n        var a = 0\n    }\n    let s = Mutex(S())\n    var b = 0\n}", ["A": 2]),
            (
                "class A {\n    let s: Mutex<A.S?>\n}\nextension A {\n    struct S {\n        var a = 0\n    }\n}",
                ["A": 1]
            ),
            ("class A {\n    struct S {\n        var a = 0\n    }\n    var b: S\n}", ["A": 1]),
            ("final class A<B>:\n    C\n{\n    var a = 0\n}\nfunc f() {\n    var b = 0\n}", ["A": 1]),
        ] as [(String, [String: Int])])
    func counting(text: String, counts: [String: Int]) {
        #expect(MutableFields(text.split(separator: "\n").map(String.init)).counts == counts)
    }
}
