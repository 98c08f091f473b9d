package import Foundation
package import Operations
import SyncFacts
import Terminal

/// The messages of `login` and `logout`.
package enum SessionText {
    /// What `login` did.
    package static func loggedIn(_ login: UserLogin, now: Date, zone: TimeZone) -> String {
        guard let provider = login.provider else {
            return TerminalFormat.printable("the user '\(login.user)' \(session(login))")
        }
        var text = "the user '\(login.user)' is logged in at \(provider)"
        if let expiresAt = login.expiresAt {
            text += " until \(ClockFormat.local(expiresAt, now: now, zone: zone))"
        }
        if let resumed = login.resumed, resumed > 0 {
            let verb = resumed == 1 ? "continues" : "continue"
            text += "; \(Wording.count(resumed, "video")) that waited for it \(verb) with the next sync"
        } else if login.resumed == nil, login.trouble == nil {
            text += "; the running sync continues with it"
        }
        return TerminalFormat.printable(text)
    }

    private static func session(_ login: UserLogin) -> String {
        if login.wasOpen { return "is already logged in" }
        if let waiting = login.waiting {
            return "is logged in; the waiting sync continues now (process \(waiting.pid) on \(waiting.host))"
        }
        guard login.isNew else { return "is logged in; the next sync continues where it stopped" }
        return "is logged in; begin with: \(SuggestedCommand.text("sync CATALOG"))"
    }

    /// What the terminal adds to the name of a browser's session that it asks for.
    package static let cookiesHint = " (the path of a cookies.txt, or a line of Cookie)"

    /// What the user does in a browser before a login goes on.
    package static func step(of provider: String, _ notice: LoginDialog.Notice) -> [String] {
        let name = TerminalFormat.printable(provider)
        let code = notice.code.map { TerminalFormat.printable($0) }
        guard let page = notice.page else { return code.map { ["to log in at '\(name)', use this code: \($0)"] } ?? [] }
        let lines = [
            "to log in at '\(name)', open this page\(code.map { " and type the code \($0)" } ?? ""):",
            "  \(TerminalFormat.printable(page))",
        ]
        return notice.asksOn ? lines : lines + ["(this command goes on by itself when that is done; Ctrl-C gives up)"]
    }

    /// The page that a browser gets when it comes back from a login.
    package static let arrival = """
        <!DOCTYPE html>
        <meta charset="utf-8">
        <title>coursefetch</title>
        <p>coursefetch has the login. You can close this page.</p>
        """

    /// What `login` did, as JSON.
    package static func json(_ login: UserLogin, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("logged_in", at: now)
        line.field("user", login.user)
        line.field("provider", login.provider)
        line.field("was_logged_in", login.wasOpen)
        line.field("expires_at", login.expiresAt)
        line.field("continues", login.resumed)
        line.field("warning", login.trouble.map(reason))
        return line.finished()
    }

    /// What `logout` did, as JSON.
    package static func json(_ logout: UserLogout, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("logged_out", at: now)
        line.field("user", logout.user)
        line.field("provider", logout.provider)
        line.field("was_logged_in", !logout.wasOut)
        line.field("credentials_kept", logout.keepsCredentials)
        line.field("sync_stopped", logout.ending == .stopped)
        return line.finished()
    }

    /// For a running sync that didn't just take in a login.
    package static func trouble(_ trouble: UserLogin.Trouble) -> String { "warning: " + reason(trouble) }

    private static func reason(_ trouble: UserLogin.Trouble) -> String {
        let text =
            switch trouble {
            case .failed(let message):
                "the running sync can't use the new login: \(message); the next sync uses it"
            case .unopened(let path): "the state \(path) can't be opened; its next sync uses the new login"
            case .silent(let holder):
                """
                \(holder.name) is syncing and didn't respond within 2 s; the next sync uses the new login
                """
            }
        return TerminalFormat.printable(text)
    }

    /// - Parameter hasHelper: whether a credential helper was told to forget the provider's secrets.
    package static func loggedOut(_ logout: UserLogout, hasHelper: Bool = false) -> String {
        if let provider = logout.provider {
            var text =
                hasHelper
                ? "the credential helper has forgotten \(provider) for '\(logout.user)'"
                : logout.wasOut
                    ? "no credentials of \(provider) were stored for '\(logout.user)'"
                    : "the credentials of \(provider) were deleted for '\(logout.user)'"
            if logout.ending == .stopped { text += "; the running sync stopped using them" }
            return TerminalFormat.printable(text)
        }
        var text = "the user '\(logout.user)' \(logout.wasOut ? "was already logged out" : "is logged out")"
        if logout.ending == .stopped { text += "; all transfers have stopped" }
        let left = logout.keepsCredentials ? "credentials of providers were kept" : "no credentials are stored now"
        text += "; \(left)"
        return TerminalFormat.printable(text)
    }
}
