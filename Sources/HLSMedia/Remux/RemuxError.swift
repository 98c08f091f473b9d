/// Why there is no remuxed file. Has no folder's name and no control characters.
package enum RemuxError: Error, Sendable, Equatable {
    /// The program isn't there, or can't be executed.
    case notFound
    /// It ended with this exit status, 128 and the number of the signal for one that was ended by a signal, or 0 if it
    /// left nothing behind; and the last line that it wrote to its standard error, at most 300 characters, perhaps none.
    case failed(exit: Int32, lastLine: String)
    /// It was ended because it took longer than this.
    case timedOut(Duration)
    /// It was ended because the task was cancelled.
    case cancelled
    /// The disk is full.
    case noSpace
}
