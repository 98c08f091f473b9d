import Testing
import YAMLSource

@Suite("Bounds of a YAML text") struct BoundsTests {
    private func refusal(_ text: String, limits: YAMLLimits = .catalog) -> [String] {
        do {
            _ = try YAMLNode.parse(text: text, file: "t", limits: limits)
            return []
        } catch {
            return error.diagnostics.map { "\($0.line):\($0.column): \($0.message)" }
        }
    }

    @Test("a hundred thousand brackets are refused at the sixty-fifth", arguments: ["[", "{a: ", "- ", "[{a: "])
    func nesting(opening: String) {
        let found = refusal(String(repeating: opening, count: 100_000))
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix("values are nested deeper than 64 levels") == true, "\(found)")
    }

    @Test("sixty-four levels are fine")
    func deepest() {
        #expect(refusal(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) == [])
        #expect(
            refusal(String(repeating: "[", count: 65) + String(repeating: "]", count: 65)) == [
                "1:65: values are nested deeper than 64 levels"
            ])
    }

    @Test("values inserted by aliases count for the depth")
    func depthThroughAliases() {
        var text = "a0: &a0 [x]\n"
        for level in 1...63 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        #expect(refusal(text).last?.hasSuffix("values are nested deeper than 64 levels") == true)
    }

    @Test("an alias bomb is stopped after ten million values, not by memory")
    func aliasBomb() {
        var text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
        for level in 1...12 {
            text += "a\(level): &a\(level) [\((0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", "))]\n"
        }
        let found = refusal(text, limits: YAMLLimits(bytes: 1 << 20, nodes: 100_000, depth: 64, scalarBytes: 1 << 20))
        #expect(found.count == 1)
        #expect(
            found.first?.hasSuffix("more than 100000 values once aliases are expanded; use fewer aliases")
                == true, "\(found)")
    }

    @Test("a long text repeated by aliases is bounded by bytes")
    func textBomb() {
        let text = "a: &a \(String(repeating: "x", count: 1000))\nb: [\(String(repeating: "*a, ", count: 2000))]\n"
        let limits = YAMLLimits(bytes: 100_000, nodes: 100_000, depth: 64, scalarBytes: 1 << 20)
        #expect(
            refusal(text, limits: limits).first?.hasSuffix(
                "aliases expand to more than 100000 bytes of text; repeat less")
                == true)
    }

    @Test("a scalar of a mebibyte is read, a longer one is refused and the rest still read")
    func scalars() {
        let most = String(repeating: "x", count: 1 << 20)
        #expect(refusal("a: \(most)", limits: .catalog) == [])
        #expect(
            refusal("a: \(most)x\nb: 1\nb: 2\n", limits: .catalog) == [
                "1:4: this text is longer than 1048576 bytes",
                "3:1: the key 'b' is used twice in this mapping, first on line 2; keep one of them",
            ])
    }

    @Test("a text that is too long is refused")
    func length() {
        let limits = YAMLLimits(bytes: 1000, nodes: 1000, depth: 64, scalarBytes: 1000)
        #expect(refusal(String(repeating: "- a\n", count: 250), limits: limits) == [])
        #expect(
            refusal(String(repeating: "- a\n", count: 251), limits: limits) == [
                "0:0: the file is longer than 1000 bytes"
            ])
    }

    @Test("an endless quoted scalar doesn't fill the memory")
    func endlessScalar() {
        let found = refusal("a: \"" + String(repeating: "x", count: 20 << 20), limits: .catalog)
        #expect(found.first?.hasSuffix("16 MiB without the end of a value") == true, "\(found)")
    }

    @Test("a hundred errors are kept and the rest counted")
    func manyErrors() {
        let text = (0..<250).map { "k\($0): .nan\n" }.joined()
        do {
            _ = try YAMLNode.parse(text: text, file: "t")
            Issue.record("not refused")
        } catch {
            #expect(error.diagnostics.count == 100)
            #expect(error.omitted == 150)
        }
    }
}
