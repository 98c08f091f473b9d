import DownloadJobs
import FileSystem
package import SyncFacts

extension SyncOptions {
    /// Refuses options that can't work on this machine; the same for a dry run.
    package func requireMeans() throws(Refusal) {
        if let refusal = DescriptorLimit.refusal { throw refusal }
        if case .path(let path) = ffmpeg, ffmpeg.program == nil {
            throw .run(.noProgram(path: path))
        }
    }
}
