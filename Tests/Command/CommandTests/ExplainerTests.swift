import ArgumentParser
import DownloadStore
import Foundation
import SyncFacts
import Testing
import YAMLSource

@testable import CommandOutput
@testable import CourseFetchCommands

@Suite("Messages about failures")
struct ExplainerTests {
    private static let now = Date(timeIntervalSince1970: 1_795_215_600)
    private static let video = VideoReference(course: "phys101", chapter: nil, video: "v1", title: "Position")

    private static func explain(
        _ kind: DownloadError.Kind, _ message: String = "", status: Int? = nil, retryAt: Date? = nil,
        catalogs: [String] = ["my catalog.yaml"]
    ) -> Explanation {
        Explainer(catalogs: catalogs).failure(
            of: video, DownloadError(kind: kind, message: message, status: status), retryAt: retryAt, now: now,
            zone: .gmt)
    }

    @Test("a message names the thing, the reason, and the next step")
    func whole() {
        #expect(
            Self.explain(.notMedia, "the host sent a login page.", status: 200)
                == Explanation(
                    problem: "'phys101/*/v1'  Position: the host sent a login page (HTTP 200)",
                    remedy: "to see the provider's answer",
                    command: "coursefetch resolve 'my catalog.yaml' 'phys101/*/v1'"))
        #expect(
            Self.explain(.network, "connection reset", retryAt: Self.now.addingTimeInterval(7200))
                == Explanation(
                    problem: "'phys101/*/v1'  Position: connection reset",
                    remedy: "next try after 21 Nov 01:00, or now",
                    command: "coursefetch retry --failed --now"))
        #expect(
            Self.explain(.tls, "the TLS handshake failed", retryAt: Self.now.addingTimeInterval(7200)).advice
                == """
                next try after 21 Nov 01:00; check this computer's clock and certificates, or add an authority of your own \
                with --ca-file FILE
                """)
        #expect(Self.explain(.network, retryAt: Self.now).advice == "the next sync will try again")
        #expect(
            Self.explain(.httpStatus, "server error (503)", status: 503).problem
                == "'phys101/*/v1'  Position: server error (503)")
        #expect(Self.explain(.notMedia, catalogs: ["a", "b"]).command == "coursefetch resolve CATALOG 'phys101/*/v1'")
    }

    @Test("a command in advice has the given places and the provider")
    func whose() {
        func command(_ kind: DownloadError.Kind, provider: String?) -> String? {
            SuggestedCommand.$scoped.withValue(SuggestedCommand.Places(user: "bob")) {
                Explainer(catalogs: ["c.yaml"]).failure(
                    of: Self.video, DownloadError(kind: kind, message: ""), retryAt: nil, provider: provider,
                    now: Self.now, zone: .gmt
                ).command
            }
        }
        #expect(command(.notMedia, provider: nil) == "coursefetch resolve c.yaml 'phys101/*/v1' --user bob")
        #expect(command(.bug, provider: nil) == "coursefetch sync -v c.yaml --only 'phys101/*/v1' --user bob")
        #expect(command(.authRequired, provider: "vault") == "coursefetch login --provider vault --user bob")
        #expect(command(.authRequired, provider: nil) == "coursefetch resolve c.yaml 'phys101/*/v1' --user bob")
    }

    @Test("every kind of error has a meaning and a remedy", arguments: DownloadError.Kind.allCases)
    func kinds(kind: DownloadError.Kind) {
        let explanation = Self.explain(kind)
        #expect(explanation.problem.hasPrefix("'phys101/*/v1'  Position: \(Explainer.meaning(kind))"))
        #expect(explanation.remedy?.isEmpty == false)
    }

    @Test("every command in advice exists", arguments: DownloadError.Kind.allCases)
    func commands(kind: DownloadError.Kind) throws {
        for retryAt in [nil, Self.now] {
            guard let command = Self.explain(kind, retryAt: retryAt, catalogs: ["c.yaml"]).command else { continue }
            let words = command.split(separator: " ").map { String($0).replacing("'", with: "") }
            #expect(words.first == "coursefetch")
            _ = try CourseFetch.parseAsRoot(Array(words.dropFirst()))
        }
    }
}
