import Testing
import YAMLSource

@Suite("Values of a YAML text") struct YAMLNodeTests {
    private func json(_ text: String) throws -> String { try YAMLNode.parse(text: text, file: "t.yaml").json }

    @Test(
        "plain scalars follow the core schema",
        arguments: [
            ("~", "null"), ("null", "null"), ("", "null"), ("true", "true"), ("False", "false"), ("no", #""no""#),
            ("007", "7"), ("0o17", "15"), ("0xFF", "255"), ("-12", "-12"), ("+3", "3"), ("1.5", "1.5"), (".5", "0.5"),
            ("5.", "5.0"), ("1.e3", "1000.0"), ("1e3", "1000.0"), ("-.5e-1", "-0.05"),
            ("9007199254740992", "9007199254740992"),
            ("-9007199254740992", "-9007199254740992"), ("12:30", #""12:30""#), ("2026-11-20", #""2026-11-20""#),
            ("1_000", #""1_000""#), ("0b1", #""0b1""#), ("'1'", #""1""#), ("\"a\\tb\"", #""a\tb""#),
            ("1.2.3", #""1.2.3""#),
            (".", #"".""#), ("-", "[null]"), ("+", #""+""#), ("0x", #""0x""#), ("0o8", #""0o8""#), ("1e", #""1e""#),
            ("nULL", #""nULL""#), ("TRUE", "true"), ("tRUE", #""tRUE""#), ("!!str 12", #""12""#), ("! 12", #""12""#),
            ("!!int \"12\"", "12"), ("!!float 1", "1.0"), ("!!bool 'true'", "true"), ("!!null ''", "null"),
            ("|\n  a\n  b\n", #""a\nb\n""#),
        ])
    func coreSchema(text: String, expected: String) throws {
        #expect(try json(text) == expected)
    }

    @Test("merge keys yield to the mapping's own keys, and the nearer of two merged mappings wins")
    func mergeKeys() throws {
        let text = """
            a: &a {x: 1, y: 1}
            b: &b {<<: *a, y: 2, z: 2}
            own: {<<: *b, x: 9}
            list: {<<: [*a, {y: 7, w: 7}], v: 0}
            late: {y: 5, <<: *b}
            quoted: {"<<": 1}
            """
        let node = try YAMLNode.parse(text: text, file: "t.yaml")
        #expect(node["b"]?.canonicalJSON == #"{"x":1,"y":2,"z":2}"#)
        #expect(node["own"]?.canonicalJSON == #"{"x":9,"y":2,"z":2}"#)
        #expect(node["list"]?.canonicalJSON == #"{"v":0,"w":7,"x":1,"y":1}"#)
        #expect(node["late"]?.canonicalJSON == #"{"x":1,"y":5,"z":2}"#)
        #expect(node["quoted"]?.canonicalJSON == #"{"<<":1}"#)
    }

    @Test("aliases repeat the meaning of their anchor at that place")
    func aliases() throws {
        #expect(
            try json("[&a 1, *a, &a [x, &b y, *b], *a, *b, {k: &a {k: 2}, l: *a}]")
                == #"[1,1,["x","y","y"],["x","y","y"],"y",{"k":{"k":2},"l":{"k":2}}]"#)
    }

    @Test("a value has its position")
    func locations() throws {
        let node = try YAMLNode.parse(text: "a:\n  - é: [1, two]\n", file: "t.yaml")
        #expect(node["a"]?.sequence?[0]["é"]?.sequence?[1].location.description == "t.yaml:2:12")
        #expect(node["a"]?.sequence?[0].mapping?[0].keyLocation.description == "t.yaml:2:5")
    }
}
