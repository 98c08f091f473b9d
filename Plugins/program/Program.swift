import BundledProviders
import ProviderKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The program of most bundled plugins: its first argument names the one that it is.
@main struct Program {
    static func main() async {
        let name = CommandLine.arguments.dropFirst().first
        if let name, await BundledProvider.serve(as: name) { return }
        HostLog.write(.error, name.map { "there is no provider '\($0)' in this program" } ?? "name a provider")
        exit(64)
    }
}
