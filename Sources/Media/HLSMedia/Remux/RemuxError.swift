/// The reason why there is no remuxed file. Contains no folder's name and no control characters.
package enum RemuxError: Error, Sendable, Equatable {
    /// The program doesn't exist, or can't be executed.
    case notFound
    /// Its exit status: 128 plus the signal's number if it was ended by a signal, or 0 if it left no output; with the
    /// last line of its standard error, at most 300 characters, possibly empty.
    case failed(exit: Int32, lastLine: String)
    /// It was ended because it took longer than this.
    case timedOut(Duration)
    /// It was ended because the task was cancelled.
    case cancelled
    /// The disk is full.
    case noSpace
}
