import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Provider {
    /// Serves requests from standard input until it closes, then ends the process: at once if no request is open,
    /// otherwise when the last one is answered, or after one second.
    ///
    /// `@concurrent` is needed: under NonisolatedNonsendingByDefault the compiler doesn't otherwise accept a `main`
    /// from a protocol extension for `@main`.
    @concurrent public static func main() async {
        signal(SIGPIPE, SIG_IGN)
        guard let provider = Self() else {
            HostLog.write(
                .error, "\(Self.self) can't be created: it has no init without arguments, or that init failed")
            exit(1)
        }
        // Standard input is read on its own thread: a blocked read must not occupy one of the few threads that run the
        // provider's code, and the end of input must be noticed while that code hangs.
        let lines = AsyncStream<String> { lines in
            DispatchQueue(label: "requests").async {
                while let line = readLine(strippingNewline: true) { lines.yield(line) }
                lines.finish()
                sleep(1)
                exit(0)
            }
        }
        HostLog.open()
        let server = PluginServer(provider: provider, output: .standard)
        await withDiscardingTaskGroup { group in
            for await line in lines { group.addTask { await server.serve(line) } }
            group.cancelAll()
        }
    }
}
