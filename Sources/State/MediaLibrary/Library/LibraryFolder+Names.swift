import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LibraryFolder {
    /// Whether its file system refuses names that others take, as FAT and exFAT do. It is tried: through FUSE a file
    /// system doesn't say what it is.
    package func refusesNames() -> Bool {
        let name = #"coursefetch: a "name"?"#
        do throws(Errno) {
            _ = try home.handle.openFile(name, O_WRONLY | O_CREAT)
            try home.handle.remove(name)
            return false
        } catch {
            return true
        }
    }
}
