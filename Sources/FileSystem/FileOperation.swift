/// What was being done to a file or folder when a system call failed.
package enum FileOperation: String, Sendable, Hashable {
    case open, create, list, inspect, read, write, flush, rename, link, remove, lock
}
