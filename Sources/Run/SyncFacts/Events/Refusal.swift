package import DownloadStore
package import FileSystem
package import MediaLibrary
package import UserState

/// The reason why a command is refused. Facts only: `CommandOutput` makes the sentences.
package indirect enum Refusal: Error, Sendable, Equatable {
    // Errors of the rooms beneath.
    case store(StoreError)
    case library(LibraryError)
    case state(StateError)
    case credentials(CredentialsError)
    case loginSecrets(LoginSecretsError)
    /// An error that they should never throw: a bug. Its printed form.
    case unexpected(String)

    // Another process works for the same user. Nil if its lock doesn't identify it.
    /// It holds the lock that this command needs.
    case held(LockHolder?)
    /// It has a long list of requests, and has accepted this one.
    case working(LockHolder?)
    /// It doesn't answer, and nothing was changed.
    case silent(LockHolder?)
    /// It has refused: with its own message, since it may be of another version.
    case answered(String, SyncCondition)

    // Refusals that originate in commands.
    case user(User)
    case provider(Provider)
    case selection(Selecting)
    case catalog(Written)
    case run(Run)
    case copy(Copying)
    /// An invalid input or option, with the command's message.
    case input(String)

    package init(_ error: StoreError) { self = .store(error) }
    package init(_ error: LibraryError) { self = .library(error) }
    package init(_ error: StateError) { self = .state(error) }
    package init(_ error: CredentialsError) { self = .credentials(error) }
    package init(_ error: LoginSecretsError) { self = .loginSecrets(error) }

    /// Wraps an error of the rooms beneath.
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
    /// Its condition for the exit code.
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
        // As exit-codes.md has it of a single video that can't be changed.
        case .selection(.gone): .downloadsFailed
        case .selection: .usage
        case .catalog(let refusal): refusal.condition
        case .run(let refusal): refusal.condition
        case .copy(let refusal): refusal.condition
        }
    }
}
