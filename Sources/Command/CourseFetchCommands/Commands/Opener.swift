import Subprocess
import SystemPackage

/// Opens a file for the user: the desktop, or the user's own command.
enum Opener {
    /// The desktop's program for files of this kind.
    case desktop
    /// A shell command; the path is appended as its last argument, as git does with an editor.
    case command(String)

    /// Opens a file, and waits until the program ends; a desktop's opener ends at once. The program has the terminal.
    /// Returns an error text.
    ///
    /// - Parameter leavesOutputFree: whether what the program prints goes to standard error.
    func open(_ path: String, leavesOutputFree: Bool) async -> String? {
        let configuration =
            switch self {
            case .desktop: Configuration(executable: .name(Self.desktopProgram), arguments: [path])
            case .command(let text):
                Configuration(executable: .path("/bin/sh"), arguments: ["-c", "\(text) \"$@\"", text, path])
            }
        do {
            let status = try await Subprocess.run(
                configuration, input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
                output: .fileDescriptor(
                    leavesOutputFree ? .standardError : .standardOutput, closeAfterSpawningProcess: false),
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

    /// The program or the command.
    var name: String {
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
