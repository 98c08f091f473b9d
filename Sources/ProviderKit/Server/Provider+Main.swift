import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Provider {
    /// Serves requests from standard input until it closes, then ends the process: at once when nothing is being
    /// answered any more, one second later whatever still is.
    ///
    /// `@concurrent` is needed: under NonisolatedNonsendingByDefault the compiler doesn't take a `main` from a
    /// protocol extension for `@main` otherwise.
    @concurrent public static func main() async {
        signal(SIGPIPE, SIG_IGN)
        guard let provider = Self() else {
            HostLog.write(
                .error, "\(Self.self) can't be created: it has no init without arguments, or that init failed")
            exit(1)
        }
        // Standard input is read on a thread of its own: a blocked read must not take one of the few threads that
        // the provider's code runs on, and the end of input must be noticed while that code hangs.
        let lines = AsyncStream<String> { lines in
            DispatchQueue(label: "requests").async {
                while let line = readLine(strippingNewline: true) { lines.yield(line) }
                lines.finish()
                sleep(1)
                exit(0)
            }
        }
        let server = PluginServer(provider: provider, output: .standard)
        await withDiscardingTaskGroup { group in
            for await line in lines { group.addTask { await server.serve(line) } }
            group.cancelAll()
        }
    }
}
