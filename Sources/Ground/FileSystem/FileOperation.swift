/// The operation on a file or folder during which a system call failed.
package enum FileOperation: String, Sendable, Hashable {
    case open, create, list, inspect, read, write, flush, rename, link, remove, lock
}
