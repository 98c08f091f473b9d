import Checkout
import Foundation
import SyncFacts
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("Exit codes")
struct ExitStatusTests {
    @Test(
        "the code follows the precedence of the table",
        arguments: [
            ([], 0), ([.downloadsFailed], 1), ([.pruneHeld], 1), ([.downloadsFailed, .workLeft], 75),
            ([.workLeft, .providerBroken], 69), ([.providerBroken, .loginNeeded], 77),
            ([.loginNeeded, .stateUnusable, .workLeft, .downloadsFailed], 73), ([.stateUnusable, .invalidCatalog], 65),
            ([.invalidCatalog, .unreadableCatalog], 66), ([.usage, .invalidCatalog], 64), ([.bug, .workLeft], 70),
            ([.interruptedTwice, .bug], 130),
        ] as [(Set<SyncCondition>, Int32)])
    func precedence(conditions: Set<SyncCondition>, expected: Int32) {
        #expect(ExitStatus(conditions).rawValue == expected)
    }

    @Test("no condition ends with 0", arguments: SyncCondition.allCases)
    func condition(condition: SyncCondition) { #expect(ExitStatus([condition]) != .success) }

    @Test("the page matches the program")
    func page() throws {
        let text = try Checkout.text("docs/exit-codes.md")
        let rows = ExitStatus.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }.joined(separator: "\n")
        #expect(text.contains("| exit | means |\n|---|---|\n\(rows)\n\n"))
    }

    @Test("the table fits a terminal")
    func width() {
        for line in ExitStatus.table.split(separator: "\n") { #expect(line.count <= 79, "\(line)") }
    }
}
