import ProviderHTTP
import ProviderKit

extension WebAddress {
    /// The last name of the path, decoded; the host without one.
    var lastName: String { path.split(separator: "/").last.flatMap { PercentEncoding.decoded($0) } ?? host }
}
