import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import UserState

@Suite("users and the locations of their files")
struct UserTests {
    @Test(
        "names that are safe in a path",
        arguments: ["a", "alice", "Alice.B_c-d@example.org", "0", String(repeating: "x", count: 64)])
    func good(text: String) throws {
        #expect(try UserName(text).text == text)
    }

    @Test(
        "names that aren't",
        arguments: [
            ("", .empty), (".hidden", .badStart(".")), ("..", .badStart(".")), ("-rf", .badStart("-")),
            ("a/b", .badCharacter("/")), ("a b", .badCharacter(" ")), ("é", .badCharacter("é")),
            ("a\0", .badCharacter("\0")),
            ("a%2Fb", .badCharacter("%")), (String(repeating: "x", count: 65), .tooLong(65)),
            ("a\u{301}", .badCharacter("a\u{301}")),
        ] as [(String, UserNameError)])
    func bad(text: String, error: UserNameError) {
        #expect(throws: error) { try UserName(text) }
    }

    @Test(
        "an account's name is encoded where necessary, and decoded",
        arguments: [
            ("alice", "alice"), ("DOMAIN\\alice", "DOMAIN%5Calice"), ("über", "%C3%BCber"), (".x", "%2Ex"),
            ("-", "%2D"),
            ("a%5Cb", "a%255Cb"), ("", "%00"), ("\n", "%0A"),
        ])
    func accounts(name: String, text: String) {
        #expect(UserName.account(name).text == text)
        if !name.isEmpty { #expect(UserName(folderName: text)?.text == text) }
    }

    @Test("folders that are no user's", arguments: ["a%zz", "a%5c", "%61", "a b", "%FF", "", "%", "%5"])
    func strangers(folder: String) {
        #expect(UserName(folderName: folder) == nil)
    }

    @Test("locations follow XDG, and the options")
    func locations() throws {
        let alice = try UserName("alice")
        let plain = Locations(environment: ["HOME": "/home/a", "XDG_STATE_HOME": "relative"])
        #expect(plain.stateRoot == "/home/a/.local/state/coursefetch")
        #expect(plain.settingsFile == "/home/a/.config/coursefetch/config.yaml")
        #expect(plain.pluginFolder == "/home/a/.local/share/coursefetch/plugins")
        #expect(plain.state(of: alice).database == "/home/a/.local/state/coursefetch/users/alice/state.sqlite")
        #expect(plain.state(of: alice).lock == "/home/a/.local/state/coursefetch/users/alice/sync.lock")
        #expect(plain.state(of: alice).credentials == "/home/a/.local/state/coursefetch/users/alice/credentials.json")
        let xdg = Locations(
            environment: ["HOME": "/home/a", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d"])
        #expect(xdg.stateRoot == "/s/coursefetch" && xdg.settingsFile == "/c/coursefetch/config.yaml")
        #expect(xdg.pluginFolder == "/d/coursefetch/plugins")
        #expect(Locations(environment: [:], home: "/h", state: "/x/../y").stateRoot == "/y")
        let here = FilePath(FileManager.default.currentDirectoryPath)
        #expect(Locations(environment: [:], home: "/h", state: "st").stateRoot == here.appending("st"))
    }

    @Test(
        "the library's setting",
        arguments: [
            (nil, "/h/coursefetch/alice"), ("", "/h/coursefetch/alice"), ("/m/{user}/v", "/m/alice/v"), ("~", "/h"),
            ("~/v/{user}", "/h/v/alice"), ("/m/~/x", "/m/~/x"), ("~bob/v", nil),
        ] as [(String?, String?)])
    func library(setting: String?, path: String?) throws {
        let locations = Locations(environment: [:], home: "/h")
        let expected =
            path.map { FilePath($0) } ?? FilePath(FileManager.default.currentDirectoryPath).appending("~bob/v")
        #expect(locations.library(setting, user: try UserName("alice")) == expected)
    }

    @Test("a state folder is closed to others, even if it was open")
    func privacy() throws {
        let temporary = TemporaryFolder()
        let locations = Locations(environment: [:], home: "/h", state: temporary.at("deep/state"))
        let alice = locations.state(of: try UserName("alice"))
        #expect(!alice.exists)
        #expect(try locations.users().isEmpty)
        try alice.create()
        #expect(alice.exists)
        for folder in ["deep", "deep/state", "deep/state/users", "deep/state/users/alice"] {
            #expect(try mode(temporary.at(folder)) == 0o700, "\(folder)")
        }
        try temporary.make("deep/state/users/bob")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: temporary.at("deep/state/users/bob").string)
        try locations.state(of: try UserName("bob")).create()
        #expect(try mode(temporary.at("deep/state/users/bob")) == 0o700)
        try temporary.write("", to: "deep/state/users/file")
        try temporary.make("deep/state/users/not a user")
        #expect(try locations.users().map(\.text) == ["alice", "bob"])
    }

    private func mode(_ path: FilePath) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? Int ?? -1
    }

    @Test("what isn't a folder is refused")
    func notAFolder() throws {
        let temporary = TemporaryFolder()
        try temporary.write("", to: "state")
        let locations = Locations(environment: [:], home: "/h", state: temporary.at("state"))
        let alice = locations.state(of: try UserName("alice"))
        #expect(throws: StateError.notAFolder(path: temporary.at("state").string)) { try alice.create() }
        #expect(throws: StateError.self) { try locations.users() }
        try temporary.make("other/users/real")
        try temporary.link("other/users/alice", to: "real")
        let linked = Locations(environment: [:], home: "/h", state: temporary.at("other")).state(
            of: try UserName("alice"))
        #expect(throws: StateError.notAFolder(path: linked.path.string)) { try linked.create() }
    }
}
