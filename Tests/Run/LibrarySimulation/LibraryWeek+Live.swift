import DownloadStore
import Foundation
package import NightSimulation
import SystemPackage

/// A night's time.
struct DatedNight {
    var date: Date
}

extension LibraryWeek {
    package func live(isTraced: Bool) async -> WeekFailure<LibraryWeek>? {
        let folder = Self.temporaryFolder
        defer { try? FileManager.default.removeItem(at: folder) }
        var content = MemoryDisk.Content()
        var memory = LibraryMemory()
        var trace: [String] = []
        for night in 0..<Self.nights {
            let outcome = await live(night, folder, &content, &memory, isTraced: isTraced)
            trace += ["night \(night)"] + outcome.trace
            if let problem = outcome.problem {
                return WeekFailure(week: self, night: night, problem: problem, trace: Array(trace.suffix(60)))
            }
        }
        return nil
    }

    private struct Outcome {
        var problem: String?
        var trace: [String] = []
    }

    private func live(
        _ night: Int, _ folder: URL, _ content: inout MemoryDisk.Content, _ memory: inout LibraryMemory, isTraced: Bool
    ) async -> Outcome {
        prepare(night, folder, &content, &memory)
        let disk = MemoryDisk(content, faults(night))
        let snapshot = Snapshot()
        disk.onKill { snapshot.take(disk.content, folder) }
        var outcome = Outcome()
        var failure: (any Error)?
        var wasStopped = false
        var now = Date()
        do {
            var run = try LibraryNight(self, night, disk, folder, memory, isTraced: isTraced)
            do { try await run.run() } catch { failure = error }
            memory = run.memory
            run.store.close()
            outcome = Outcome(problem: run.problem, trace: run.trace ?? [])
            (wasStopped, now) = (run.wasStopped, run.now)
        } catch { failure = error }
        if disk.isDead {
            outcome.problem = nil
            content = snapshot.restore(to: folder)
            if let share = powerLoss(night) { content = content.afterPowerLoss(share) }
            outcome.trace.append("killed at call \(disk.calls)")
        } else {
            content = disk.content
            // Power that fails at a call after the last one fails now.
            if let share = powerLoss(night) { content = content.afterPowerLoss(share) }
            if let failure, !disk.hasFailed { outcome.problem = outcome.problem ?? "the night ends with \(failure)" }
        }
        if let failure { outcome.trace.append("ended: \(failure)") }
        guard outcome.problem == nil else { return outcome }
        do {
            let store = try DownloadStore(path: folder.appendingPathComponent("state.sqlite").path, role: .holder)
            defer { store.close() }
            if disk.isDead { memory.noteFinished(store) }
            outcome.problem = memory.problem(store, content)
            guard outcome.problem == nil, !disk.isDead, failure == nil else { return outcome }
            outcome.problem = try memory.problemAfterNight(store, content)
            guard outcome.problem == nil, !disk.hasFailed, !wasStopped else { return outcome }
            outcome.problem = try unfinished(store, night, without: troubled(night, memory), at: DatedNight(date: now))
            // Without any course there was no sync.
            if outcome.problem == nil, night == Self.nights - 1, !listed(night).isEmpty {
                outcome.problem = try leftover(store, content, memory)
            }
        } catch {
            outcome.problem = "the state can't be read: \(error)"
        }
        return outcome
    }

    /// What people have done since the night before.
    private func prepare(
        _ night: Int, _ folder: URL, _ content: inout MemoryDisk.Content, _ memory: inout LibraryMemory
    ) {
        // A day is long enough for the kernel to write back every name.
        content.undo = []
        if night == 0 { _ = content.put([], at: "library/.keep") }
        if night == 0 { content.remove("library/.keep") }
        if night == Self.calm {
            for (path, _) in memory.foreign where !path.hasSuffix(".mp4") {
                content.remove(path)
                memory.foreign[path] = nil
            }
        }
        for event in events where event.night == night {
            switch event.trouble {
            case .inTheWay(let course):
                let path = "library/\(title(courses[course], night))"
                let bytes = Array("in the way \(night)".utf8)
                if content.put(bytes, at: path) { memory.foreign[path] = bytes }
            case .deleted(let course, let video):
                guard
                    let store = try? DownloadStore(
                        path: folder.appendingPathComponent("state.sqlite").path, role: .holder)
                else { continue }
                defer { store.close() }
                let (course, video) = (courses[course].id, courses[course].videos[video].id)
                try? store.downloads.each { row in
                    guard row.key.course == course, row.key.video == video, let file = row.file else { return }
                    content.remove("library/\(file.path)")
                    memory.forgive(course, video)
                }
            default: break
            }
        }
    }

    private func faults(_ night: Int) -> MemoryDisk.Faults {
        var faults = MemoryDisk.Faults()
        for event in events where event.night == night {
            switch event.trouble {
            case .errors(let call, let count, let errno):
                for call in call..<call + count { faults.errors[call] = Errno(rawValue: errno) }
            case .renames(let first, let count, let errno):
                for number in first..<first + count { faults.renames[number] = Errno(rawValue: errno) }
            case .kill(let call), .powerLoss(let call, _): faults.kill = min(call, faults.kill ?? call)
            case .unreadable(let course):
                for night in max(0, night - 1)...night {
                    faults.unreadable.insert("library/\(title(courses[course], night))")
                }
            default: break
            }
        }
        return faults
    }

    private func powerLoss(_ night: Int) -> Double? {
        for event in events where event.night == night {
            if case .powerLoss(_, let share) = event.trouble { return share }
        }
        return nil
    }

    /// The courses whose folders or files have a trouble in this night.
    private func troubled(_ night: Int, _ memory: LibraryMemory) -> Set<String> {
        // Somebody's file is still where its folder goes.
        let obstructed = courses.filter { memory.foreign["library/\(title($0, night))"] != nil }.map(\.id)
        return Set(obstructed).union(
            events.filter { $0.night == night }.compactMap { event in
                switch event.trouble {
                case .unreadable(let course), .inTheWay(let course), .foreign(let course, _), .deleted(let course, _):
                    courses[course].id
                case .errors, .renames, .kill, .powerLoss: nil
                }
            })
    }

    private static var temporaryFolder: URL {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let base =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        let folder = base.appendingPathComponent("library-week-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
