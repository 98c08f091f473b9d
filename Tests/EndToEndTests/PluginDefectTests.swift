import Checkout
import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("plugins that misbehave, in a whole sync")
struct PluginDefectTests {
    @Test("a provider that is down for a while: its videos wait, nothing fails, and all arrive once it is back")
    func down() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.plugin(
            "down",
            script: #"""
                #!/bin/sh
                while read -r line; do
                    if [ -e up ]; then
                        printf '%s' "$line" | jq -c '{id, result: {url: .params.video.parameters.url}}'
                    else
                        printf '%s' "$line" | jq -c '{id, error: {code: -1, message: "away", data: {kind: "unavailable"}}}'
                    fi
                done
                """#)
        let videos = (1...8).map { number in
            let url = CatalogText.quoted(host.url("/media/\(number)/3000.mp4"))
            return CatalogText.Video(id: "v\(number)", extra: ["parameters: {url: \(url)}"])
        }
        try stage.catalog(CatalogText(provider: "down", videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--retries", "2"]) { running in
            try await running.wait { $0.event == "provider_waiting" }
            try stage.folder.write("", to: "plugins/down/up")
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_finished").count == 8)
        #expect(outcome.events("provider_waiting").map(\.provider) == ["down"])
        #expect(outcome.events("download_failed").isEmpty)
        // One that stays away leaves all of them waiting.
        try stage.folder.remove("plugins/down/up")
        try stage.catalog(
            CatalogText(provider: "down", videos: videos + [.init(id: "v9", extra: []), .init(id: "v10", extra: [])]))
        let away = try await stage.sync("catalog.yaml", ["--retries", "2", "--max-wait", "3s"])
        #expect(away.exit == 75, "\(away.report)")
        #expect(away.events("download_failed").isEmpty)
        #expect(try stage.stateCopy().states()["v9"] == "waiting")
        await host.stop()
    }

    @Test("one that crashes and one that hangs fail their own videos; the others arrive, and the exit code is 69")
    func crashAndHang() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        try stage.plugin("crasher", script: "#!/bin/sh\nread -r line\necho 'out of cheese' >&2\nexit 3\n")
        try stage.plugin("hanger", timeout: 1, script: "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 30 & wait; done\n")
        let good = (1...8).map { CatalogText.Video(id: "\($0)") }
        let bad = ["crasher", "hanger"].flatMap { name in
            (1...3).map { CatalogText.Video(id: "\(name)-\($0)", extra: ["provider: \(name)"]) }
        }
        try stage.catalog(
            CatalogText(provider: "recorder", url: host.url("/media/{id}/50000.mp4?rate=50000"), videos: bad + good))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "4", "--retries", "2"])
        #expect(outcome.exit == 69, "\(outcome.report)")
        #expect(outcome.events("download_finished").count == 8)
        let failed = outcome.events("download_failed")
        #expect(Set(failed.compactMap(\.video)) == Set(bad.map(\.id)), "\(outcome.report)")
        #expect(failed.count == 6, "once per run and download")
        #expect(failed.allSatisfy { $0.error?.kind == "provider_failed" }, "\(outcome.report)")
        let message = failed.first { $0.video == "crasher-1" }?.error?.message ?? ""
        #expect(message.contains("out of cheese"), "\(message)")
        #expect(outcome.summary?.errors?.contains { $0.message.contains("crasher") } == true, "\(outcome.report)")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("one that can't be started or speaks another protocol is 69, and the others arrive")
    func unusable() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        try stage.plugin("future", script: "#!/bin/sh\n")
        let manifest = stage.folder.read("plugins/future/plugin.yaml") ?? ""
        try stage.folder.write(manifest.replacing("protocol: 1", with: "protocol: 2"), to: "plugins/future/plugin.yaml")
        try stage.plugin("unstartable", script: "#!/no/such/interpreter\n")
        let videos = [
            CatalogText.Video(id: "1"), .init(id: "2", extra: ["provider: future"]),
            .init(id: "3", extra: ["provider: unstartable"]),
        ]
        try stage.catalog(CatalogText(provider: "recorder", url: host.url("/media/{id}/5000.mp4"), videos: videos))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 69, "\(outcome.report)")
        #expect(outcome.events("download_finished").map(\.video) == ["1"])
        #expect(Set(outcome.events("download_failed").compactMap(\.video)) == ["2", "3"], "\(outcome.report)")
        await host.stop()
    }

    @Test("an installed copy whose path has blanks, umlauts and percent signs finds its plugins")
    func oddPlace() async throws {
        let stage = try Stage()
        let prefix = "Müllers Käse %20"
        try stage.folder.make("\(prefix)/bin")
        try stage.folder.make("\(prefix)/lib/coursefetch/plugins")
        let program = stage.folder.at("\(prefix)/bin/coursefetch").string
        try FileManager.default.copyItem(atPath: Built.executable("coursefetch").string, toPath: program)
        try FileManager.default.copyItem(
            atPath: Checkout.path("Plugins/direct"),
            toPath: stage.folder.at("\(prefix)/lib/coursefetch/plugins/direct").string)
        try FileManager.default.copyItem(
            atPath: Built.executable("coursefetch-providers").string,
            toPath: stage.folder.at("\(prefix)/lib/coursefetch/coursefetch-providers").string)
        let outcome = try await Program.run([program, "plugins", "list"], in: stage.folder)
        #expect(outcome.exit == 0 && outcome.output.contains("direct"), "\(outcome.report)")
    }

    @Test(
        "too few descriptors suspend the run, which says so and ends; nothing fails because of it", arguments: [34, 44])
    func fewDescriptors(limit: Int) async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: host.url("/media/{id}/200000.mp4?rate=50000"),
                videos: (1...24).map { CatalogText.Video(id: "\($0)") }))
        let arguments = [
            "sync", stage.folder.at("catalog.yaml").string, "--json", "--jobs", "16", "--max-connections-per-host",
            "16",
            "--library", stage.library.string, "--state", stage.state.string, "--plugins",
            stage.folder.at("plugins").string,
        ]
        let outcome = try await Program.run(
            ["sh", "-c", #"ulimit -n "$0" && exec "$@""#, "\(limit)", Built.executable("coursefetch").string]
                + arguments, in: stage.folder)
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(outcome.summary?.errors?.contains { $0.message.contains("ulimit -n") } == true, "\(outcome.report)")
        #expect(outcome.events("download_failed").isEmpty, "\(outcome.report)")
        // What it had begun goes on later.
        #expect(try stage.strays().filter { !$0.hasSuffix(".part") } == [])
        let refused = try await Program.run(
            ["sh", "-c", #"ulimit -n 20 && exec "$0" "$@""#, Built.executable("coursefetch").string] + arguments,
            in: stage.folder)
        #expect(refused.exit == 73 && refused.output.contains("ulimit -n"), "\(refused.report)")
        // With enough of them it goes on.
        #expect(try await stage.sync("catalog.yaml", ["--max-connections-per-host", "16", "--jobs", "16"]).exit == 0)
        await host.stop()
    }

    @Test("each kind of error has the effect that the protocol describes")
    func kinds() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        // Answers with parameters.error, but after the first time with the URL where `once` is set.
        try stage.plugin(
            "errors",
            script: #"""
                #!/bin/sh
                exec jq -nc --unbuffered '
                  foreach inputs as $r ({}; .[$r.params.video.id] += 1; .[$r.params.video.id] as $n
                    | $r.params.video.parameters as $p
                    | if $p.error and ($n == 1 or ($p.once | not))
                      then {id: $r.id, error: {code: -32000, message: "because", data: $p.error}}
                      else {id: $r.id, result: {url: $p.url}} end)'
                """#)
        let url = "url: \"\(host.url(TestContent(seed: 1, size: 5000)))\""
        func video(_ id: String, _ error: String, once: Bool = false) -> CatalogText.Video {
            .init(id: id, extra: ["parameters: {\(url), once: \(once), error: {\(error)}}"])
        }
        try stage.catalog(
            CatalogText(
                provider: "errors",
                videos: [
                    video("limited", "kind: rate_limited, retry_after: 1", once: true),
                    video("unavailable", "kind: unavailable", once: true), video("later", "kind: not_ready"),
                    video("soon", "kind: not_ready, retry_after: 1", once: true), video("drm", "kind: drm"),
                    video("gone", "kind: gone"), video("forbidden", "kind: forbidden"),
                    video("parameter", "kind: invalid_parameters, parameter: url"),
                ]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(Set(outcome.events("download_finished").compactMap(\.video)) == ["limited", "unavailable", "soon"])
        let failed = Dictionary(
            outcome.events("download_failed").map { ($0.video ?? "", $0.error?.kind ?? "") }, uniquingKeysWith: { $1 })
        #expect(failed == ["drm": "drm", "gone": "gone", "forbidden": "forbidden", "parameter": "invalid_parameters"])
        #expect(outcome.events("download_failed").allSatisfy { $0.retryAt == nil }, "for good")
        #expect(outcome.events("provider_waiting").map(\.provider) == ["errors"])
        #expect(try stage.stateCopy().states()["later"] == "waiting")

        // What is not ready is nothing that this side could do.
        try stage.catalog(CatalogText(provider: "errors", videos: [video("later", "kind: not_ready")]))
        #expect(try await stage.sync("catalog.yaml", ["--prune", "--max-delete", "100%"]).exit == 0)

        try stage.catalog(
            CatalogText(
                provider: "errors", videos: [video("locked", "kind: auth_required"), video("open", "", once: true)]))
        let locked = try await stage.sync()
        #expect(locked.exit == 77, "\(locked.report)")
        #expect(locked.events("download_suspended").contains { $0.video == "locked" && $0.reason == "auth" })
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
