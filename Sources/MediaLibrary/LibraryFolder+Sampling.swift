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
    /// Some bytes of a file; nil if it isn't the recorded one, or has fewer.
    package func bytes(
        of path: String, record: FileRecord, _ range: Range<Int64>
    ) throws(LibraryError) -> [UInt8]? {
        guard case .ours = try proves(path, is: record) else { return nil }
        let place = try LibraryPath(path)
        guard let folder = try folder(place.folder) else { return nil }
        do throws(Errno) {
            let descriptor = try folder.open(place.name, O_RDONLY)
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: range.count)
            var done = 0
            while done < bytes.count {
                let count = bytes.withUnsafeMutableBytes { room in
                    pread(
                        descriptor, UnsafeMutableRawBufferPointer(rebasing: room[done...]).baseAddress,
                        room.count - done,
                        off_t(range.lowerBound) + off_t(done))
                }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw Errno(rawValue: errno) }
                guard count > 0 else { return nil }
                done += count
            }
            return bytes
        } catch {
            switch error {
            case .noSuchFileOrDirectory: return nil
            case .tooManySymbolicLinkLevels: throw .leadsOut(path: path)
            default: throw .system(.read, path: path, error)
            }
        }
    }
}
