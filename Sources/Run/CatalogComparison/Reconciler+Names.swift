import CourseCatalog
import DownloadStore
import Foundation
import MediaLibrary
import PathLayout

/// Entries that the state doesn't know, and renamed ones; the numbers of all.
extension Reconciler {
    mutating func noteNumbers(of row: ScannedDownload, _ number: Int, _ slot: CatalogEntries.Slot) {
        guard !numbers.isSettled else { return }
        numbers.note(
            row, at: number, isElsewhere: !row.equals(.chapter, entries.chapterID(slot)),
            isLaidOutAnew: folders.isLaidOutAnew[Int(slot.course)])
    }

    mutating func noteGoneNumbers(of row: ScannedDownload) {
        guard !numbers.isSettled, let id = row.string(.course), let course = entries.index(of: id) else { return }
        numbers.noteGone(row, course: course, season: folders.season(of: row.string(.chapter), in: id, at: course))
    }

    /// Settles the numbers. Returns whether rows that were compared get others.
    mutating func settleNumbers() -> Bool {
        for number in numbers.settle(entries, folders.numbers) where seen[number] {
            let slot = entries.slots[number]
            if isCompared[Int(slot.course)], held[Int(slot.course)] == nil, isSelected(slot) { return true }
        }
        return false
    }

    mutating func addNew() {
        for (number, slot) in entries.slots.enumerated()
        where !seen[number] && isCompared[Int(slot.course)] && isSelected(slot) && held[Int(slot.course)] == nil {
            // Without a name it waits for the next sync.
            if let register, register.videos[number] == nil { continue }
            renamed.append(Renamed(slot: number, row: nil))
        }
    }

    /// Assigns names to new and renamed entries, beside the recorded names that stay.
    mutating func nameAndMove() throws {
        guard !renamed.isEmpty else { return }
        renamed.sort { $0.slot < $1.slot }
        let places = Dictionary(renamed.map { ($0.slot, place($0.slot)) }, uniquingKeysWith: { first, _ in first })
        var names = register == nil ? try takenNames(places) : [:]
        // Correct recorded names are kept before any are assigned.
        var stems = register == nil ? [:] : places.mapValues(\.path)
        for item in renamed {
            guard let row = item.row, let place = places[item.slot], row.stem == place.path else { continue }
            names[place.folder, default: TakenNames()].insert(place.name)
            stems[item.slot] = row.stem
        }
        // A name with its id stays as long as another entry has the plain name.
        for item in renamed where stems[item.slot] == nil {
            guard let row = item.row, let place = places[item.slot] else { continue }
            let (oldFolder, name) = LibraryPathParts.split(row.stem)
            let id = entries.video(entries.slots[item.slot]).id
            guard oldFolder == place.folder, LibraryName.isSame(name, as: place.name, id: id) else { continue }
            let isTaken = names[place.folder]?.isTaken(place.name) ?? false
            names[place.folder, default: TakenNames()].insert(isTaken ? name : place.name)
            stems[item.slot] = isTaken ? row.stem : place.path
        }
        var nextID = try store.downloads.nextID()
        var moved: [(Row, Int, String)] = []
        for item in renamed {
            guard let place = places[item.slot] else { continue }
            let slot = entries.slots[item.slot]
            let video = entries.video(slot)
            let stem =
                stems[item.slot]
                ?? "\(place.folder)/\(names[place.folder, default: TakenNames()].take(place.name, id: video.id))"
            if let row = item.row {
                if item.isChanged || stem != row.stem { update(item.slot, row, stem: stem) }
                want(item.slot, row, stem: stem)
                // Another layout may name its other views alone.
                let hasViews = partPaths[row.id]?.contains { $0.role != nil } ?? false
                let mayMoveViews = hasViews && !folders.isLaidOutAsBefore[Int(slot.course)]
                if stem != row.stem || row.displacedStem != nil || mayMoveViews {
                    moved.append((row, item.slot, stem))
                }
            } else {
                let id = DownloadID(rawValue: nextID)
                nextID += 1
                result.counts[.waiting, default: 0] += 1
                let key = DownloadKey(course: entries.course(slot).id, video: video.id)
                result.changes.new.append(.init(id: id, key: key, fields: fields(item.slot, stem: stem)))
                let row = Row(
                    id: id, state: .waiting, path: nil, stem: stem, wanted: true, oldFile: nil, failedRuns: 0,
                    retryAt: nil, hasPartial: false, hasExtras: false, isNew: true, sourceChanged: false)
                want(item.slot, row, stem: stem)
            }
        }
        try move(moved)
    }

    /// The names that are taken in the folders of these places, by rows that aren't renamed and by other views.
    private func takenNames(_ places: [Int: VideoPlace]) throws -> [String: TakenNames] {
        let movers = Set(renamed.compactMap { $0.row?.id })
        let touched = Set(places.values.map(\.folder))
        let parts = partPaths
        var names: [String: TakenNames] = [:]
        try store.downloads.scan { row in
            guard !movers.contains(row.id), let stem = row.string(.stem) else { return }
            for (folder, name) in [LibraryPathParts.split(stem)] + (parts[row.id] ?? []).map({ Self.stem($0.path) })
            where touched.contains(folder) { names[folder, default: TakenNames()].insert(name) }
        }
        // Other views go along with their video, and take no name from it.
        for item in renamed {
            guard let row = item.row, let place = places[item.slot] else { continue }
            let moves = partMoves(row, item.slot, parts[row.id] ?? [], to: place.path)
            for part in parts[row.id] ?? [] {
                let (folder, name) = Self.stem(moves.path(part))
                names[folder, default: TakenNames()].insert(name)
            }
        }
        return names
    }

    /// The place of an entry's file by its layout.
    func place(_ number: Int) -> VideoPlace {
        register?.place(number) ?? folders.place(entries.slots[number], layoutValues(number))
    }

    /// The names of an entry's other views by its layout.
    func viewNames(_ number: Int) -> ViewNames {
        let layout = folders.layouts[Int(entries.slots[number].course)]
        return ViewNames(layout, layoutValues(number)) ?? .standard
    }

    /// Those of all entries whose layouts have any.
    func allViewNames() -> [Int: ViewNames] {
        guard folders.layouts.contains(where: \.namesViews) else { return [:] }
        return Dictionary(
            entries.slots.indices.map { ($0, viewNames($0)) }.filter(\.1.areOfLayout),
            uniquingKeysWith: { first, _ in first })
    }

    private func layoutValues(_ number: Int) -> LayoutValues {
        let slot = entries.slots[number]
        return entries.course(slot).layoutValues(
            folders.numbers[Int(slot.course)], at: slot, video: entries.video(slot), numbers: numbers[number])
    }

    /// Plans the move of a finished file to its new name, with its sidecars.
    mutating func move(_ moved: [(row: Row, slot: Int, stem: String)]) throws {
        let sidecars = Dictionary(grouping: try store.sidecars.files(of: moved.map(\.row.id)), by: \.download)
        for (row, slot, stem) in moved {
            let course = Int(entries.slots[slot].course)
            let package = packageFolder(
                row, sidecars[row.id] ?? [], to: stem, id: entries.video(entries.slots[slot]).id, course)
            let parts = partMoves(row, slot, (sidecars[row.id] ?? []).compactMap(\.part), to: stem)
            if let path = row.path {
                let to =
                    package.map { "\($0)/\(LibraryPathParts.split(path).name)" }
                    ?? Self.following(path, from: row.displacedStem ?? row.stem, to: stem, extensions: 1)
                if to != path {
                    let owner = RecordedMove.Owner.download(row.id)
                    result.moves.append(
                        .init(owner: owner, reference: reference(entries.slots[slot]), from: path, to: to))
                }
            }
            for sidecar in sidecars[row.id] ?? [] {
                // Parts that the video needs stay beside it.
                if sidecar.kind == .stream, row.path == nil { continue }
                let to =
                    package.flatMap { package in
                        Self.isOfPackage(sidecar) ? "\(package)/\(LibraryPathParts.split(sidecar.path).name)" : nil
                    }
                    ?? sidecar.part.map(parts.path)
                    ?? Self.following(
                        sidecar.path, from: row.stem, to: stem, extensions: sidecar.kind == .subtitle ? 2 : 1)
                if to != sidecar.path, isThere(sidecar.path, of: course) {
                    let owner = RecordedMove.Owner.sidecar(
                        download: row.id, kind: sidecar.kind.rawValue, name: sidecar.name)
                    result.moves.append(.init(owner: owner, reference: nil, from: sidecar.path, to: to))
                }
            }
        }
    }

    /// The new folder of a whole package, with none of its files in it yet; nil if the video isn't a package.
    private mutating func packageFolder(
        _ row: Row, _ sidecars: [SidecarRecord], to stem: String, id: String, _ course: Int
    ) -> String? {
        guard let path = row.path, LibraryName.isInPackage(path) else { return nil }
        let names = ([path] + sidecars.filter(Self.isOfPackage).map(\.path)).map {
            LibraryPathParts.split($0).name
        }
        return LibraryName.package(beside: stem, id: id) { folder in
            // An unreadable folder holds the course, and none of this is used.
            unreadable[course] != nil || !names.contains { isThere("\(folder)/\($0)", of: course) }
        }
    }

    private func partMoves(_ row: Row, _ slot: Int, _ parts: [PartPath], to stem: String) -> PartMoves {
        PartMoves(
            parts, from: row.stem, to: stem, id: entries.video(entries.slots[slot]).id,
            parts.isEmpty ? .standard : viewNames(slot))
    }

    /// A path without its extension.
    private static func stem(_ path: String) -> (folder: String, name: String) {
        let (folder, name) = LibraryPathParts.split(path)
        return (folder, String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]))
    }

    /// Whether a file is in the folder of a package; other views of the video are beside it.
    private static func isOfPackage(_ sidecar: SidecarRecord) -> Bool {
        sidecar.kind == .stream && LibraryName.isInPackage(sidecar.path)
    }

    /// The path for the new stem: the part after the old stem follows the new one. If the path doesn't begin with the
    /// old stem, its last `extensions` follow: `.mp4`, or `.en.vtt`.
    static func following(_ path: String, from old: String, to new: String, extensions: Int) -> String {
        if !old.isEmpty, path.hasPrefix(old) { return new + path.dropFirst(old.count) }
        let parts = LibraryPathParts.split(path).name.split(separator: ".").suffix(extensions)
        return new + parts.map { ".\($0)" }.joined()
    }
}
