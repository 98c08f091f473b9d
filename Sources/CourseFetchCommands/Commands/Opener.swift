import Subprocess
import SystemPackage

/// What opens a file for the person: their desktop, or a command of theirs.
enum Opener {
    /// What the desktop has for files of this kind.
    case desktop
    /// A command of the shell; the path is its last argument, as an editor's is for git.
    case command(String)

    /// Opens a file, and waits until the program says that it is done; a desktop's says so at once. It has the terminal.
    /// Returns what went wrong.
    func open(_ path: String) async -> String? {
        let configuration =
            switch self {
            case .desktop: Configuration(executable: .name(Self.desktopProgram), arguments: [path])
            case .command(let text):
                Configuration(executable: .path("/bin/sh"), arguments: ["-c", "\(text) \"$@\"", text, path])
            }
        do {
            let status = try await Subprocess.run(
                configuration, input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
                output: .fileDescriptor(.standardOutput, closeAfterSpawningProcess: false),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
            ).terminationStatus
            switch status {
            case .exited(0): return nil
            case .exited(let code): return "\(name) ended with exit code \(code)"
            case .signaled(let signal): return "\(name) was ended by signal \(signal)"
            }
        } catch {
            return "\(name) can't be run; name another program, such as: --with mpv"
        }
    }

    private var name: String {
        switch self {
        case .desktop: Self.desktopProgram
        case .command(let text): text
        }
    }

    private static var desktopProgram: String {
        #if os(macOS)
        "open"
        #else
        "xdg-open"
        #endif
    }
}
