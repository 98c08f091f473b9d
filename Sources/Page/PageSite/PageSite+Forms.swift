import ChildProcess
import CommandOutput
import DownloadStore
import FileSystem
import Foundation
import Operations
import PageHTTP
import RunAccess
import Subprocess
import SyncFacts
import Synchronization
import SystemPackage
import TextFormats
import UserState
import ViewerMarks

/// What forms of the page do. Nothing in them names a path, a hook, a helper, a plugin or a credential.
extension PageSite {
    /// Nil for an address that takes no form.
    func form(_ visit: Visit) async throws(Refusal) -> PageResponse? {
        let (path, form) = (visit.request.path, visit.request.form)
        switch (path.first, path.count) {
        case ("marks", 3):
            try note(form, of: DownloadKey(course: path[1], video: path[2]), visit)
            return done(visit, nil)
        case ("marks", 2):
            try note(form, ofCourse: path[1], visit)
            return done(visit, nil)
        case ("settings", 1):
            try ViewedLibrary.read(visit.location) { view in
                if let value = form["subtitles"], value.utf8.count <= 100 { try view.marks.set("subtitles", value) }
                if let value = form["speed"], Self.speed(value) != nil { try view.marks.set("speed", value) }
            }
            return done(visit, "The settings are saved.")
        case ("control", 1): return done(visit, try await control(form, visit))
        case ("rate", 1):
            let limit = form["limit"] ?? ""
            return done(visit, await run(["set", "--bwlimit", limit] + options.arguments(of: visit.user)))
        case ("add", 1):
            let address = (form["address"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
                return done(visit, "An address begins with https:// or http://.")
            }
            var arguments = ["add", address]
            if visit.user != nil || options.user != nil { arguments += userOptions(visit) }
            return done(visit, await run(arguments))
        case ("sync", 1): return done(visit, try await startSync(visit))
        default: return nil
        }
    }

    private func userOptions(_ visit: Visit) -> [String] {
        (visit.user ?? options.user).map { ["--user", $0] } ?? []
    }

    /// Back to where the form was, with a sentence there.
    private func done(_ visit: Visit, _ sentence: String?) -> PageResponse {
        guard var back = visit.request.form["back"], sentence != nil || !visit.request.wantsJSON else {
            return PageResponse(status: 204)
        }
        // Relative to the root of the page, and nowhere else.
        if back.hasPrefix("/") || back.hasPrefix("\\") || back.unicodeScalars.contains(where: { $0.value <= 0x20 }) {
            back = ""
        }
        if let sentence {
            let key = live.say(sentence, to: visit.user)
            back += (back.contains("?") ? "&" : "?") + "said=\(key)"
        }
        return .seeOther(access.base + PercentEncoding.repaired(back))
    }

    // MARK: marks

    private func note(_ form: [String: String], of key: DownloadKey, _ visit: Visit) throws(Refusal) {
        try ViewedLibrary.read(visit.location) { view in
            guard try view.video(key) != nil else { return }
            if let position = form["position"].flatMap({ Double($0) }), position < 1e8 {
                try view.marks.note(
                    position: position, length: form["length"].flatMap { Double($0) }, of: key)
            }
            if let watched = form["watched"] { try view.marks.set(isWatched: watched == "1", of: key) }
            for (name, value) in form where name.hasPrefix("offset.") {
                let stream = String(name.dropFirst("offset.".count))
                guard let seconds = Double(value), abs(seconds) <= 3600, stream.utf8.count <= 200 else { continue }
                try view.marks.set(offset: seconds, of: stream, in: key)
            }
        }
    }

    private func note(_ form: [String: String], ofCourse course: String, _ visit: Visit) throws(Refusal) {
        try ViewedLibrary.read(visit.location) { view in
            guard try view.course(course) != nil else { return }
            if let speed = form["speed"] {
                if let value = Self.speed(speed) {
                    try view.marks.set(speed: value, of: course)
                } else if speed.isEmpty {
                    try view.marks.forgetSpeed(of: course)
                }
            }
            if let watched = form["watched"] {
                try view.marks.set(isWatched: watched == "1", of: view.videoIDs(of: course), in: course)
            }
        }
    }

    /// Nil for one at which nobody listens.
    private static func speed(_ text: String) -> Double? {
        Double(text).flatMap { (0.25...4).contains($0) ? $0 : nil }
    }

    // MARK: the running sync

    private func control(_ form: [String: String], _ visit: Visit) async throws(Refusal) -> String {
        var selection = Selection()
        if let text = form["video"], !text.isEmpty {
            guard let selector = try? Selector(text) else { return "There is no such video." }
            selection.selectors = [selector]
        }
        let action = form["action"] ?? ""
        // A button for everything means what it can be done with.
        let states: [String: Set<DownloadState>] = [
            "pause": [.waiting, .active, .suspended], "resume": [.paused], "retry": [.failed, .cancelled],
        ]
        if selection.selectors.isEmpty || action == "retry" { selection.states = states[action] }
        do throws(Refusal) {
            let choice = try await SteeringChoice.choose(
                selection, at: visit.location, countsSidecars: action == "retry", takesGone: false)
            let (report, transition): (SteeringReport, StateTransition?)
            switch action {
            case "pause": (report, transition) = (try await choice.steer(.pause), .pause)
            case "resume": (report, transition) = (try await choice.steer(.resume), .resume)
            case "retry": (report, transition) = (try await choice.steer(.retry), .retry)
            case "cancel": (report, transition) = (try await choice.steer(.cancel), .cancel)
            case "prioritize":
                let isLive = try ViewedLibrary.read(visit.location) { $0.isHeld }
                (report, transition) = (try await choice.prioritize(isLive ? .now : .level(10)), nil)
            default: return "There is no such action."
            }
            let lines =
                transition.map { SteeringText.lines(report, $0, startsSync: false) }
                ?? SteeringText.lines(report, .level(10))
            return lines.map(\.text).prefix(5).joined(separator: "; ")
        } catch .selection {
            return "Nothing to do."
        }
    }

    /// Runs a command of coursefetch to its end; returns what it says.
    private func run(_ arguments: [String]) async -> String {
        var process = BoundedProcess(
            executable: FilePath(options.program), arguments: arguments, limit: .seconds(180))
        process.variables = .ours
        let outcome = await process.run()
        let text = Self.sentence(outcome.ending == .exited(0) ? outcome.outputHead : outcome.errorTail)
        return text.isEmpty ? "It couldn’t be done." : text
    }

    /// The first lines of what a command has said, as one.
    private static func sentence(_ output: some Sequence<UInt8>) -> String {
        let lines = String(decoding: Array(output), as: UTF8.self).split(whereSeparator: \.isNewline).prefix(4)
        return lines.map { TextSanitizer.of(String($0), limit: 300) }.joined(separator: "; ")
    }

    /// The last lines of a sync that has ended already.
    private static func said(_ log: FilePath) -> String {
        let bytes = (try? Data(contentsOf: URL(filePath: log.string))) ?? Data()
        let lines = String(decoding: bytes.suffix(4000), as: UTF8.self).split(whereSeparator: \.isNewline).suffix(4)
        let text = sentence(lines.joined(separator: "\n").utf8)
        return text.isEmpty ? "The sync has ended." : text
    }

    /// Starts a sync of the settings' catalogs, which goes on when the server ends.
    private func startSync(_ visit: Visit) async throws(Refusal) -> String {
        if try ViewedLibrary.read(visit.location, { $0.isHeld }) { return "A sync is running already." }
        let folder = try visit.location.resolve().userFolder
        let log = folder.path.appending("page-sync.log")
        let arguments = ["sync"] + options.arguments(of: visit.user)
        let program = options.program
        let end = Mutex(false)
        Task.detached {
            defer { end.withLock { $0 = true } }
            guard
                let output = try? FileDescriptor.open(
                    log, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
            else { return }
            var platform = PlatformOptions()
            platform.createSession = true
            _ = try? await Subprocess.run(
                .path(FilePath(program)), arguments: Arguments(arguments), platformOptions: platform, input: .none,
                output: .fileDescriptor(output, closeAfterSpawningProcess: false),
                error: .fileDescriptor(output, closeAfterSpawningProcess: false))
            try? output.close()
        }
        // One that is refused says so at once.
        for _ in 0..<20 {
            try? await Task.sleep(for: .milliseconds(100))
            if end.withLock({ $0 }) { return Self.said(log) }
        }
        return "A sync has begun. What it says is in \(log.string)."
    }
}
