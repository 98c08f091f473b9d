import DownloadRunner
import Foundation

/// What `login` and `logout` say.
enum SessionText {
    static func loggedIn(_ login: UserLogin, now: Date, zone: TimeZone) -> String {
        guard let provider = login.provider else {
            let text = login.wasOpen ? "is logged in already" : "is logged in; the next sync goes on where it was"
            return TerminalText.printable("the user “\(login.user)” \(text)")
        }
        var text = "the user “\(login.user)” is logged in at \(provider)"
        if let expiresAt = login.expiresAt {
            text += " until \(Timestamp.local(expiresAt, now: now, zone: zone))"
        }
        if let resumed = login.resumed, resumed > 0 {
            let verb = resumed == 1 ? "goes" : "go"
            text += "; \(Wording.count(resumed, "video")) that waited for it \(verb) on with the next sync"
        } else if login.resumed == nil, login.silent == nil {
            text += "; the sync that is running goes on with it"
        }
        return TerminalText.printable(text)
    }

    static func silent(_ who: String) -> String {
        TerminalText.printable(
            """
            warning: \(who) is syncing and hasn't taken notice within 2 s; at the latest the next sync uses the new login
            """)
    }

    static func loggedOut(_ logout: UserLogout) -> String {
        if let provider = logout.provider {
            var text =
                logout.wasOut
                ? "no credentials of \(provider) were stored for “\(logout.user)”"
                : "the credentials of \(provider) are wiped for “\(logout.user)”"
            if logout.ending == .stopped { text += "; the sync that is running has stopped using it" }
            return TerminalText.printable(text)
        }
        var text = "the user “\(logout.user)” \(logout.wasOut ? "was logged out already" : "is logged out")"
        if logout.ending == .stopped { text += "; nothing is transferring any more" }
        text += "; credentials of providers " + (logout.keepsCredentials ? "stay stored" : "are wiped")
        return TerminalText.printable(text)
    }
}
