/// A catalog to read: a file, or another source that is stored in a file while it is read.
package struct CatalogInput: Sendable, Equatable {
    /// The name of its courses in the state; nil for the file's path, symbolic links resolved.
    package var identity: String?
    /// Its name in messages.
    package var shownPath: String
    /// The file to read.
    package var path: String
    /// The base of relative names in it: a folder, or the address of one. Nil is the file's own folder.
    package var folder: String?
    /// The problem of getting it.
    package var trouble: CatalogInputProblem?

    /// A catalog that isn't a file of the user.
    package init(identity: String, shownPath: String, path: String, folder: String, trouble: CatalogInputProblem? = nil)
    {
        self.identity = identity
        self.shownPath = shownPath
        self.path = path
        self.folder = folder
        self.trouble = trouble
    }

    package init(file path: String) {
        shownPath = path
        self.path = path
    }
}

/// A problem of getting a catalog that isn't a file.
package enum CatalogInputProblem: Sendable, Equatable {
    /// The reason why an address gave nothing.
    package enum Reason: Sendable, Equatable {
        /// The message of the transfer.
        case transfer(String)
        /// It took longer than this.
        case tooSlow(seconds: Int)
        /// A web page arrived, as from a host that requires a login.
        case page
        /// The response has no courses.
        case noCatalog
        case notAnAddress
    }

    /// It can't be fetched, and there is no copy of it.
    case notFetched(Reason)
    /// It can't be fetched; the copy from this time is read.
    case outdated(Reason, fetched: String)
    /// It was fetched, but can't be stored for times when it is unreachable.
    case notKept(String)
    /// Standard input is a terminal.
    case terminal
    /// Standard input can't be read, or can't be stored while it is read.
    case noInput(String)

    /// Whether there is nothing to read.
    var isError: Bool {
        switch self {
        case .notFetched, .terminal, .noInput: true
        case .outdated, .notKept: false
        }
    }

    var message: String {
        switch self {
        case .notFetched(let reason): "can't be fetched: \(reason.text)"
        case .outdated(let reason, let fetched): "can't be fetched: \(reason.text); using the copy of \(fetched)"
        case .notKept(let reason): "no copy can be kept: \(reason)"
        case .terminal: "standard input is a terminal; pipe a catalog into it, or name a file"
        case .noInput(let reason): "can't be read: \(reason)"
        }
    }
}

extension CatalogInputProblem.Reason {
    fileprivate var text: String {
        switch self {
        case .transfer(let text): text
        case .tooSlow(let seconds): "it took longer than \(seconds) s"
        case .page: "the server sent a web page instead of a catalog; is a login needed?"
        case .noCatalog: "the server sent something without courses"
        case .notAnAddress: "only http and https addresses can be fetched"
        }
    }
}
