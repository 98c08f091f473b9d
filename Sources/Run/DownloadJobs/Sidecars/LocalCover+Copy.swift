import DownloadStore
import FileSystem
import MediaTransfer
import SyncFacts
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LocalCover {
    /// Opens the file beneath the folder. No link is followed, wherever it is and wherever it leads; a special file
    /// doesn't block.
    ///
    /// - Parameter isStepwise: component by component, as on a kernel without `openat2`.
    /// - Throws: `tooManySymbolicLinkLevels` or `notDirectory` for a link, `improperLink` for a path that leaves,
    ///   `invalidArgument` for a special file.
    func open(isStepwise: Bool = false) throws(Errno) -> CInt {
        try FolderHandle(at: FilePath(folder)).file(beneath: path, O_RDONLY, isStepwise: isStepwise)
    }

    /// Appends its content to a partial, piece by piece. Returns the error, if any.
    func copy(to partial: PartialFile, upTo limit: Int64) -> DownloadError? {
        let descriptor: CInt
        do throws(Errno) { descriptor = try open() } catch { return .coverUnreadable(shown, error) }
        defer { close(descriptor) }
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return nil }
            if count < 0 {
                let error = Errno(rawValue: errno)
                if error == .interrupted { continue }
                return .coverUnreadable(shown, error)
            }
            guard partial.length + Int64(count) <= limit else {
                return .coverTooLarge(shown, limit: limit)
            }
            var failure: FileError?
            piece.withUnsafeBytes { bytes in
                do throws(FileError) {
                    try partial.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                } catch { failure = error }
            }
            if let failure { return DownloadError(.file(errno: failure.errno)) }
        }
    }

    private var shown: String { "\(folder)/\(path)" }
}
