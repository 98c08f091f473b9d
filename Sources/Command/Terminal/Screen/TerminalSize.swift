#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Columns and rows of a terminal.
package struct TerminalSize: Sendable, Equatable {
    /// At least 1.
    package var columns: Int
    /// At least 1.
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The current size of the terminal behind a descriptor; 80 by 24 if it is unknown.
    package static func of(descriptor: Int32) -> TerminalSize {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
