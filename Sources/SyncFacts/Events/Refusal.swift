package import DownloadStore
package import FileSystem
package import MediaLibrary
package import UserState

/// What stands in the way of a command that can't do what it was asked. Facts only: `CommandOutput` makes the sentences.
package indirect enum Refusal: Error, Sendable, Equatable {
    // What the rooms beneath throw.
    case store(StoreError)
    case library(LibraryError)
    case state(StateError)
    case credentials(CredentialsError)
    case loginSecrets(LoginSecretsError)
    /// Nothing that they should throw: a bug. The error as it prints.
    case unexpected(String)

    // Another process is at work for the same user. Nil if its lock doesn't tell who.
    /// It holds the lock that this command needs.
    case held(LockHolder?)
    /// It has a long list, and has taken this request.
    case working(LockHolder?)
    /// It doesn't answer, and nothing was changed.
    case silent(LockHolder?)
    /// It has answered that it can't: in its own words, since it may be of another version.
    case answered(String, SyncCondition)

    // What a command refuses by itself.
    case user(User)
    case provider(Provider)
    case selection(Selecting)
    case catalog(Written)
    case run(Run)
    /// An input or an option, in the words of the command that refuses it.
    case input(String)

    package init(_ error: StoreError) { self = .store(error) }
    package init(_ error: LibraryError) { self = .library(error) }
    package init(_ error: StateError) { self = .state(error) }
    package init(_ error: CredentialsError) { self = .credentials(error) }
    package init(_ error: LoginSecretsError) { self = .loginSecrets(error) }

    /// Of what the rooms below throw.
    package init(any error: any Error) {
        switch error {
        case let error as Refusal: self = error
        case let error as StoreError: self.init(error)
        case let error as LibraryError: self.init(error)
        case let error as StateError: self.init(error)
        case let error as CredentialsError: self.init(error)
        default: self = .unexpected("\(error)")
        }
    }
}

extension Refusal {
    /// What its exit code tells.
    package var condition: SyncCondition {
        switch self {
        case .store(.refusedTransition), .unexpected: .bug
        case .library(.inUse): .workLeft
        case .store, .library, .state, .credentials: .stateUnusable
        case .loginSecrets, .input: .usage
        case .held, .working, .silent: .workLeft
        case .answered(_, let condition): condition
        case .user(let refusal): refusal.condition
        case .provider(let refusal): refusal.condition
        case .selection: .usage
        case .catalog(let refusal): refusal.condition
        case .run(let refusal): refusal.condition
        }
    }
}
