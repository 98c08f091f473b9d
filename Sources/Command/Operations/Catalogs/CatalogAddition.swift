import CourseCatalog
import CourseDiscovery
import DownloadJobs
package import DownloadStore
import FileSystem
import Foundation
package import Logging
import ProviderHost
import ProviderKit
import RunAccess
package import SyncFacts
import SystemPackage
import YAMLSource

/// What was found at an address, and where it stands in a catalog.
package struct AddedCourse: Sendable, Equatable {
    /// The provider that knows the address.
    package var provider: String
    /// The course's id and title.
    package var course: String
    package var title: String
    /// How many videos it has now.
    package var videos: Int
    /// The catalog's file.
    package var file: String
    /// Whether the catalog had it already.
    package var isThere: Bool
    /// Its entry in the list of courses, whose dash has two blanks before it.
    package var text: String
    private var draft: GeneratedCatalog?

    package init(
        provider: String, course: String, title: String, videos: Int, file: String, isThere: Bool, text: String
    ) {
        self.provider = provider
        self.course = course
        self.title = title
        self.videos = videos
        self.file = file
        self.isThere = isThere
        self.text = text
    }

    /// What isn't in the catalog yet.
    fileprivate init(_ draft: GeneratedCatalog, videos: Int, file: String) {
        self.init(
            provider: draft.provider, course: draft.id, title: draft.title ?? draft.id, videos: videos, file: file,
            isThere: false, text: draft.course())
        self.draft = draft
    }

    /// The same under another title, with an id that is made of it.
    package func titled(_ title: String) -> AddedCourse {
        guard var draft, title != self.title else { return self }
        draft.title = title
        draft.id = FirstCatalog.identifier(title)
        return AddedCourse(draft, videos: videos, file: file)
    }
}

/// Adds what is at an address to a catalog, as a course.
package struct CatalogAddition: Sendable {
    /// As given.
    package var address: String
    /// Nil to ask all that may know the address.
    package var provider: String?
    /// Nil for one that is made of the title.
    package var id: String?
    /// Nil for the provider's.
    package var title: String?
    /// The catalog's file; one that isn't there is made.
    package var file: String

    package init(address: String, provider: String? = nil, id: String? = nil, title: String? = nil, file: String) {
        self.address = address
        self.provider = provider
        self.id = id
        self.title = title
        self.file = file
    }

    /// Finds out what is at the address, with one listing of the course. Writes nothing, unless `writes`.
    package func run(
        writes: Bool, user: String?, state: String?, plugins: [String], caFile: String?,
        helpers: CredentialHelpers = CredentialHelpers(), logger: Logger
    ) async throws(Refusal) -> Result<AddedCourse, DownloadError> {
        let registry = ProviderCheck.registry(plugins)
        let courses = try await existing(registry)
        let access = try ProviderAccess(
            StateLocation(user: user, state: state), registry: registry, caFile: caFile, helpers: helpers,
            logger: logger)
        defer { access.close() }
        let found: Result<(draft: GeneratedCatalog, videos: Int), DownloadError>
        do throws(Refusal) {
            found = try await find(access, registry)
        } catch {
            await access.pool.shutDown()
            throw error
        }
        await access.pool.shutDown()
        var (draft, count): (GeneratedCatalog, Int)
        switch found {
        case .success(let success): (draft, count) = success
        case .failure(let error): return .failure(error)
        }
        let defaults = defaults
        let known = courses.first { Self.isSame($0, as: draft, defaults: defaults) }
        let taken = Set(courses.map(\.id))
        if known == nil, let id, taken.contains(Identifier.normalized(id)) { throw .catalog(.courseThere(id, file)) }
        draft.id = id ?? Self.free(FirstCatalog.identifier(draft.title ?? draft.provider), taken)
        var added = AddedCourse(draft, videos: count, file: file)
        if let known {
            (added.course, added.title, added.isThere) = (known.id, known.title, true)
        } else {
            try await write(draft, registry, isTrial: !writes)
        }
        return .success(added)
    }

    /// Whether a course is about the same: with the same parameters, but for those that the catalog gives all courses.
    private static func isSame(_ course: Course, as draft: GeneratedCatalog, defaults: Set<String>) -> Bool {
        guard course.settings.provider?.name == draft.provider else { return false }
        let wanted = draft.parameters.filter { $0.value != .null }
        let found = course.settings.parameters.mapValues { JSONValue($0) }.filter { $0.value != .null }
        guard wanted.allSatisfy({ found[$0.key] == $0.value }),
            found.keys.allSatisfy({ wanted[$0] != nil || defaults.contains($0) })
        else { return false }
        guard let video = draft.video else { return course.discover }
        return ([course.videos] + course.chapters.map(\.videos)).joined().contains {
            $0.id == Identifier.normalized(video.id)
        }
    }

    /// The names of the parameters that the file gives all of its courses.
    private var defaults: Set<String> {
        let bytes = Array(FileManager.default.contents(atPath: file) ?? Data())
        let root = try? YAMLNode.parse(bytes: bytes, file: file, limits: .catalog)
        return Set(root?["defaults"]?["parameters"]?.mapping?.map(\.key) ?? [])
    }

    /// The courses of the catalog so far. One with mistakes isn't changed.
    private func existing(_ registry: PluginRegistry) async throws(Refusal) -> [Course] {
        guard !FirstFiles.existing([file]).isEmpty else { return [] }
        let (catalog, check) = await CatalogCheck.read(
            CatalogSources(SyncOptions(catalogs: [file])), registry: registry)
        guard check.conditions.isEmpty else {
            throw .catalog(.mistakes(check.diagnostics, check.conditions.first ?? .invalidCatalog))
        }
        return catalog.courses
    }

    private func find(
        _ access: ProviderAccess, _ registry: PluginRegistry
    ) async throws(Refusal) -> Result<(draft: GeneratedCatalog, videos: Int), DownloadError> {
        let (provider, answer) = try await AddressRecognition(registry: registry, access: access)
            .find(address, only: self.provider)
        var draft = GeneratedCatalog(
            provider: provider, parameters: answer.course?.parameters ?? answer.video?.parameters ?? [:], id: "course")
        draft.video = answer.video.map { .init(id: $0.id, title: $0.title, parameters: [:]) }
        let known = (answer.course?.title ?? answer.video?.title).flatMap { $0.isEmpty ? nil : $0 }
        draft.title = title ?? known ?? answer.video?.id
        let course = try await CatalogFromProvider.course(draft, registry)
        guard draft.video == nil else { return .success((draft, 1)) }
        do throws(ProviderError) {
            let listing = try await access.pages(of: course).listing
            draft.title = draft.title ?? listing.title
            return .success((draft, listing.videos.count))
        } catch { return .failure(DownloadError(error)) }
    }

    /// The id, or the same with a number behind it if it is taken.
    private static func free(_ id: String, _ taken: Set<String>) -> String {
        guard taken.contains(Identifier.normalized(id)) else { return id }
        return (2...).lazy.map { "\(id)-\($0)" }.first { !taken.contains(Identifier.normalized($0)) } ?? id
    }

    /// Writes the catalog with the course in its place, whole or not at all. A trial finds out whether that would do.
    private func write(
        _ draft: GeneratedCatalog, _ registry: PluginRegistry, isTrial: Bool
    ) async throws(Refusal) {
        guard !FirstFiles.existing([file]).isEmpty else {
            if !isTrial { try FirstFiles.write([.init(path: file, text: draft.text())]) }
            return
        }
        let place = try CatalogFile(path: file)
        let text = try place.read()
        guard let changed = CourseInsertion.text(adding: draft.course(), to: text) else {
            throw .catalog(.unfitting(file, reasons: [], course: draft.course()))
        }
        let copy = try place.draft(changed)
        let (_, check) = await CatalogCheck.read(
            CatalogSources(SyncOptions(catalogs: [copy.path])), registry: registry)
        guard check.conditions.isEmpty else {
            let reasons = check.diagnostics.filter { $0.severity == .error }.map(\.summary)
            throw .catalog(.unfitting(file, reasons: reasons, course: draft.course()))
        }
        guard !isTrial else { return }
        guard try place.read() == text else { throw .catalog(.changedMeanwhile(file)) }
        try place.take(copy, with: changed, former: text)
    }
}

/// A catalog's file, which is replaced as a whole.
private struct CatalogFile {
    /// Links are followed: the file itself is replaced.
    private let path: FilePath
    private let shown: String

    init(path: String) throws(Refusal) {
        shown = path
        guard let real = realpath(path, nil) else {
            throw .run(.unmadeFile(path: path, reason: "\(Errno(rawValue: errno))"))
        }
        defer { free(real) }
        self.path = FilePath(String(cString: real))
        guard access(self.path.string, W_OK) == 0 else {
            throw .run(.unmadeFile(path: path, reason: "\(Errno(rawValue: errno))"))
        }
    }

    func read() throws(Refusal) -> String {
        guard let bytes = FileManager.default.contents(atPath: path.string) else {
            throw .run(.unmadeFile(path: shown, reason: "\(Errno(rawValue: errno))"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A file beside it with this text, with its permissions and owner as far as possible. Removed with the last
    /// reference if it hasn't taken the catalog's place.
    func draft(_ text: String) throws(Refusal) -> (file: DraftFile, path: String) {
        do throws(Errno) {
            guard let name = path.lastComponent?.string else { throw .isDirectory }
            let (facts, folder) = (try facts(of: path.string), path.removingLastComponent())
            let draft = ".\(name.prefix(200)).\(getpid()).tmp"
            let file = try DraftFile(
                of: name, in: try FolderHandle(at: folder), draft: draft, mode: UInt16(facts.st_mode & 0o777))
            _ = fchown(file.descriptor, facts.st_uid, facts.st_gid)
            try file.write(Data(text.utf8))
            return (file, folder.appending(draft).string)
        } catch { throw .run(.unmadeFile(path: shown, reason: "\(error)")) }
    }

    /// Puts the draft, with this text, in its place. A file with another name, owner, group or access list than the
    /// draft has is overwritten instead, so that it keeps them; if that fails it gets its `former` text back.
    func take(_ draft: (file: DraftFile, path: String), with text: String, former: String) throws(Refusal) {
        do {
            let (old, new) = (try facts(of: path.string), try facts(of: draft.path))
            let isAlike =
                old.st_nlink == 1 && old.st_uid == new.st_uid && old.st_gid == new.st_gid
                && !FileAttributes.exist(at: path.string)
            guard !isAlike else { return try draft.file.replace() }
            let descriptor = try FileDescriptor.open(path, .writeOnly, options: [.closeOnExec])
            try descriptor.closeAfter {
                do { try Self.fill(descriptor, with: text) } catch {
                    // On a full disk, too, there is room for what was there.
                    try Self.fill(descriptor, with: former)
                    throw error
                }
            }
        } catch { throw .run(.unmadeFile(path: shown, reason: "\(error)")) }
    }

    private static func fill(_ descriptor: FileDescriptor, with text: String) throws {
        _ = try descriptor.writeAll(toAbsoluteOffset: 0, text.utf8)
        guard ftruncate(descriptor.rawValue, off_t(text.utf8.count)) == 0, fsync(descriptor.rawValue) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    private func facts(of path: String) throws(Errno) -> stat {
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw Errno(rawValue: errno) }
        return facts
    }
}
