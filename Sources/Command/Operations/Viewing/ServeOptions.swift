import CourseCatalog
package import RunAccess

/// What `coursefetch serve` hands to the web server: a program of its own, to which it is one argument, as JSON.
package struct ServeOptions: Codable, Sendable {
    package var user: String?
    package var state: String?
    package var localState: String?
    package var library: String?
    /// As `2/4`; nil without.
    package var shard: String?
    package var takesAllShards = false
    /// The numeric address to listen at.
    package var address = "127.0.0.1"
    /// 0 takes any that is free.
    package var port = 8080
    /// The path of the page's root, with a slash at both ends.
    package var base = "/"
    /// Further names under which the page is asked for, each with its port unless that is the scheme's.
    package var hosts: [String] = []
    /// The addresses of proxies whose header names the user.
    package var proxies: [String] = []
    package var userHeader = "remote-user"
    /// The path of coursefetch itself, for the commands that are started from the page.
    package var program = "coursefetch"
    /// Whether the page is opened in the browser.
    package var opens = false

    package init() {}

    /// The places of a user of the page.
    ///
    /// - Parameter name: as a proxy names the user; nil for the account's own.
    package func location(of name: String?) -> StateLocation {
        var location = StateLocation(
            user: name ?? user, state: state, library: name == nil ? library : nil, shard: shard.flatMap { Shard($0) })
        location.localState = localState
        location.takesAllShards = takesAllShards
        return location
    }

    /// The same places, as options of a command.
    package func arguments(of name: String?) -> [String] {
        var arguments: [String] = []
        func add(_ option: String, _ value: String?) {
            if let value { arguments += ["--\(option)", value] }
        }
        add("user", name ?? user)
        add("state", state)
        add("local-state", localState)
        add("library", name == nil ? library : nil)
        return arguments
    }
}
