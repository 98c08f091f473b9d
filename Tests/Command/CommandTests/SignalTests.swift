import Foundation
import Testing

@Suite("Signals")
struct SignalTests {
    /// Runs the rehearsal and beside it `script`, whose `said WORD N` waits until the rehearsal has said a word so often;
    /// after a minute in vain the rehearsal is killed. It ends with the script.
    private static func rehearse(_ script: String, ignoring: String? = nil) async throws -> BuiltProgram.Ending {
        // The script runs beside, the program in its place: what a shell starts in its background ignores SIGINT.
        let shell = """
            \(ignoring.map { "trap '' \($0)" } ?? ":")
            mkfifo in; : > said; pid=$$
            (
                exec 3> in
                said() { i=0; until [ "$(grep -c "$1" said)" -ge "$2" ]; do
                    i=$((i+1)); [ $i -gt 3000 ] && kill -KILL $pid; sleep 0.02; done; }
                said ready 1
                \(script)
            ) &
            exec "$0" signals < in >> said
            """
        return try await BuiltProgram.run("live-view-rehearsal", [], shell: shell)
    }

    @Test("the first signal asks the run to stop", arguments: ["INT", "TERM", "HUP"])
    func first(name: String) async throws {
        let ending = try await Self.rehearse("kill -\(name) $pid; said stop 1")
        #expect(ending == .init(code: 0, output: "", diagnostics: ""))
    }

    @Test("the second Ctrl-C ends it at once")
    func second() async throws {
        let ending = try await Self.rehearse(
            "kill -INT $pid; said stop 1; kill -INT $pid; i=0; while kill -0 $pid && [ $i -lt 200 ]; do i=$((i+1)); sleep 0.02; done 2>/dev/null"
        )
        #expect(ending.code == 130)
    }

    @Test("TERM and HUP never end it at once, however often they come")
    func politeOnes() async throws {
        let ending = try await Self.rehearse(
            "kill -TERM $pid; said stop 1; kill -HUP $pid; said stop 2; kill -TERM $pid; said stop 3")
        #expect(ending.code == 0)
    }

    @Test("a signal that was ignored at the start stays ignored")
    func ignored() async throws {
        let ending = try await Self.rehearse("kill -HUP $pid; kill -TERM $pid; said stop 1", ignoring: "HUP")
        #expect(ending == .init(code: 0, output: "", diagnostics: ""))
    }
}
