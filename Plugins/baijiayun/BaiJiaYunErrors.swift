import ProviderHTTP
import ProviderKit

/// What the codes of an answer mean.
///
/// Related: references/error-codes.md of bjycloud/baijiayun-skills; 51xx and 5300 of the vendor's players
enum BaiJiaYunErrors {
    static func error(_ code: Int64, _ message: String, from server: WebAddress) -> ProviderError {
        let (host, origin) = (server.host, server.origin)
        let said = HTMLStripper.text(of: message, bound: 100)
        let shown = said.isEmpty ? "\(code)" : "\(code): \(said)"
        return switch code {
        case 1 where said.contains("频繁"):
            ProviderError(
                .rateLimited, "\(host) asks for fewer requests (\(shown))", retryAfter: .seconds(10), server: origin)
        case 1 where said.contains("转码"): ProviderError(.notReady, "\(host) is still converting it (\(shown))")
        case 2002,
            1 where said.contains("屏蔽"):
            ProviderError(.forbidden, "\(host) doesn't give it out (\(shown))")
        case 5300: ProviderError(.forbidden, "\(host) plays it on a page of its own only (5300)")
        case 3, 3001, 3002,
            1 where said.contains("不存在"):
            ProviderError(.notFound, "\(host) has nothing with this id (\(shown))")
        case 1002, 2001:
            ProviderError(.authRequired, "\(host) refuses the key of the account (\(shown))", server: origin)
        case 5101...5103:
            ProviderError(
                .authRequired,
                "\(host) refuses the token of this video (\(shown)): open its page again for a new one",
                server: origin)
        case 1001 where said.contains("时间戳"):
            ProviderError(
                .unavailable, "\(host) and this machine have different times (\(shown)): set this machine's clock",
                server: origin)
        default: ProviderError(.unavailable, "\(host) answers with an error (\(shown))", server: origin)
        }
    }
}
