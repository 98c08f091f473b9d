import ProviderKit
import Testing
import YAMLSource

@testable import ProviderHost

/// Catalog parameters against what a plugin takes.
@Suite struct ParameterTests {
    private static let schema = """
        type: object
        required: [host]
        properties:
          host: {type: string, minLength: 1, maxLength: 20, pattern: "^[a-z.]+$"}
          scope: {enum: [public, members, 3], default: public}
          port: {type: integer, minimum: 1, maximum: 65535}
          ratio: {type: [number, "null"], minimum: 0.5}
          version: {const: 2}
          tags: {type: array, items: {type: string}}
          auth:
            type: object
            required: [user]
            properties: {user: {type: string}, method: {type: string, default: basic}}
            additionalProperties: false
          never: false
        additionalProperties: false
        """

    private func schema(_ text: String = schema) throws -> ParameterSchema {
        var reader = ParameterSchemaReader()
        let schema = reader.schema(try YAMLNode.parse(text: text, file: "plugin.yaml"))
        #expect(reader.problems.isEmpty)
        return schema
    }

    @Test("a pattern judges each text by its own scalars, also after the same and after an equal one")
    func pattern() throws {
        let one = try #require(ParameterPattern("^.$"))
        for (text, isMatch) in [("a", true), ("a", true), ("ab", false), ("ab", false), ("a", true)] {
            #expect(one.matches(text) == isMatch)
        }
        // Equal for Swift.
        #expect(one.matches("\u{E9}") && !one.matches("e\u{301}") && one.matches("\u{E9}"))
    }

    @Test(
        "each mistake is reported at its place",
        arguments: [
            ("host: a.example", []),
            ("{host: a, scope: members, port: 80, ratio: null, version: 2.0, tags: [a, b], auth: {user: x}}", []),
            ("{host: a, port: 80.0, scope: 3.0}", []),
            ("{}", ["9:9: provider 'p' needs the parameter 'host'"]),
            (
                "{hots: a}",
                [
                    "9:9: provider 'p' needs the parameter 'host'",
                    "1:8: provider 'p' takes no parameter 'hots'; it takes host, scope, port, ratio, version, tags, auth, never; did you mean 'host'?",
                ]
            ),
            ("host: 5", ["1:7: 'host' must be text, not an integer; did you mean '\"5\"'?"]),
            ("host: true", ["1:7: 'host' must be text, not a boolean; did you mean '\"true\"'?"]),
            ("host: ''", ["1:7: 'host' is empty", "1:7: 'host' must match ^[a-z.]+$"]),
            ("host: UPPER", ["1:7: 'host' must match ^[a-z.]+$"]),
            ("host: aaaaaaaaaaaaaaaaaaaaaaaa", ["1:7: 'host' must have at most 20 characters"]),
            (
                "{host: a, scope: member}",
                ["1:18: 'scope' must be one of \"public\", \"members\", 3; did you mean 'members'?"]
            ),
            ("{host: a, port: 0}", ["1:17: 'port' must be at least 1"]),
            ("{host: a, port: 70000}", ["1:17: 'port' must be at most 65535"]),
            ("{host: a, port: 1.5}", ["1:17: 'port' must be an integer, not a number"]),
            ("{host: a, ratio: 0.25}", ["1:18: 'ratio' must be at least 0.5"]),
            ("{host: a, ratio: x}", ["1:18: 'ratio' must be a number or null, not text"]),
            ("{host: a, version: 3}", ["1:20: 'version' must be 2"]),
            (
                "{host: a, tags: [a, 1, [b]]}",
                [
                    "1:21: 'tags[1]' must be text, not an integer; did you mean '\"1\"'?",
                    "1:24: 'tags[2]' must be text, not a list",
                ]
            ),
            ("{host: a, auth: {}}", ["1:17: 'auth' needs 'user'"]),
            (
                "{host: a, auth: {user: x, usr: y}}",
                ["1:27: provider 'p' takes no parameter 'auth.usr'; it takes user, method; did you mean 'user'?"]
            ),
            ("{host: a, never: 1}", ["1:18: provider 'p' takes no 'never'"]),
        ] as [(String, [String])])
    func check(_ text: String, _ wanted: [String]) throws {
        let node = try YAMLNode.parse(text: text, file: "catalog.yaml")
        let parameters = Dictionary(uniqueKeysWithValues: (node.mapping ?? YAMLMapping()).map { ($0.key, $0.value) })
        var check = ParameterCheck(owner: "provider 'p'")
        check.parameters(parameters, try schema(), at: SourceLocation(file: "catalog.yaml", line: 9, column: 9))
        #expect(check.problems.map { "\($0.line):\($0.column): \($0.summary)" } == wanted)
    }

    @Test("defaults are filled in for missing values, also inside given ones")
    func defaults() throws {
        let schema = try schema()
        var some: [String: JSONValue] = ["host": "a", "auth": ["user": "x"]]
        schema.fillDefaults(&some)
        #expect(some == ["host": "a", "scope": "public", "auth": ["user": "x", "method": "basic"]])
        var all: [String: JSONValue] = ["scope": "members", "auth": ["method": "none"]]
        schema.fillDefaults(&all)
        #expect(all == ["scope": "members", "auth": ["method": "none"]])
    }

    @Test("a required parameter with a default may be left out; without additionalProperties anything more may come")
    func lenient() throws {
        let schema = try schema("{required: [a], properties: {a: {default: 1}}}")
        var check = ParameterCheck(owner: "p")
        let place = SourceLocation(file: "c", line: 1, column: 1)
        check.parameters(["b": YAMLNode(.bool(true), at: place)], schema, at: place)
        #expect(check.problems.isEmpty)
    }

    @Test("values reach a plugin as JSON, whole numbers exactly")
    func conversion() throws {
        let node = try YAMLNode.parse(
            text: "{a: null, b: [1, 9007199254740992, 1.5, true, x], c: {d: '1'}}", file: "c")
        #expect(
            JSONValue(node) == [
                "a": nil, "b": [1, 9_007_199_254_740_992, 1.5, true, "x"], "c": ["d": "1"],
            ])
    }
}
