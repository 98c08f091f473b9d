import PathLayout
package import YAMLSource

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads the catalogs of a run with all of their includes.
package struct CatalogReader {
    private var catalog = Catalog()
    /// For each file, its diagnostics.
    private var found: [DiagnosticList] = []
    private var sources: [SourceName] = []
    /// For each file, the base of relative names in it.
    private var folders: [String] = []
    /// The identities of files, mostly their real paths, and their index.
    private var indices: [String: Int] = [:]
    /// The position of the include for a file; nil for one of the command line.
    private var includers: [SourceLocation?] = []
    private var courses: [String: SourceLocation] = [:]
    /// The number of errors about unreadable files.
    private var unreadableCount = 0
    private var bytesLeft: Int
    private var nodesLeft: Int
    private var memoryLeft: Int
    private let limits: YAMLLimits
    /// What is kept of the courses; nil keeps all.
    private let part: CatalogPart?
    /// With a part: how many courses, also of other shards, have a name, by its digest.
    private var names: [Int: Int] = [:]

    /// The values that a file gets from the one that includes it.
    private struct Inherited {
        var settings = Settings()
        var layout: PathLayout?
    }

    private init(limits: YAMLLimits, part: CatalogPart?) {
        self.limits = limits
        self.part = part
        (bytesLeft, nodesLeft, memoryLeft) = (limits.bytes, limits.nodes, limits.memory)
    }

    /// Reads catalogs; several are one run, in which course ids are unique.
    ///
    /// All mistakes are found in one pass. No file's text is kept: for diagnostics, the lines to show are read once
    /// more at the end.
    package static func read(_ paths: [String], limits: YAMLLimits = .catalog) -> CatalogReading {
        read(paths.map { CatalogInput(file: $0) }, limits: limits)
    }

    /// Reads catalogs from any source.
    ///
    /// - Parameters:
    ///   - limits: nil for those of the format.
    ///   - part: what is kept of the courses. The others are checked as well, but are in memory one at a time, and only
    ///     while they are read.
    package static func read(
        _ inputs: [CatalogInput], limits: YAMLLimits? = nil, part: CatalogPart? = nil
    ) -> CatalogReading {
        var reader = CatalogReader(limits: limits ?? .catalog(parts: part?.shard.count ?? 1), part: part)
        for input in inputs {
            if let trouble = input.trouble, trouble.isError {
                reader.unreadable(input.shownPath, trouble.message)
                continue
            }
            do throws(SystemError) {
                let real = try IncludePattern.resolve(input.path)
                reader.catalog.given.append(ResolvedPath(path: input.path, real: real))
                var input = input
                input.path = real
                let identity = input.identity ?? real
                if reader.indices[identity] == nil {
                    reader.file(identity, input, base: Inherited(), chain: [], by: nil)
                }
            } catch {
                reader.unreadable(input.shownPath, "can't be read: \(error)")
            }
        }
        return reader.reading()
    }

    // MARK: One file

    /// Reads a file and its includes.
    ///
    /// - Parameters:
    ///   - chain: The files that include it, outermost first.
    ///   - naming: The position of its name, in the last of these; nil for a file of the command line.
    private mutating func file(
        _ path: String, _ input: CatalogInput, base: Inherited, chain: [String],
        by naming: (entry: CatalogDraft.Include, includer: Int)?
    ) {
        let (index, shown) = (catalog.files.count, input.shownPath)
        let source = SourceName(shown)
        let folder = input.folder ?? IncludePattern.folder(of: input.path)
        indices[path] = index
        folders.append(folder)
        catalog.files.append(CatalogFile(path: path, shownPath: shown, contentPath: input.path, name: nil))
        sources.append(source)
        includers.append(naming?.entry.location)
        found.append(DiagnosticList())

        var limits = limits
        (limits.bytes, limits.nodes, limits.memory) = (bytesLeft, nodesLeft, memoryLeft)
        var outcome = CatalogFileReader(
            path: input.path, source: source, folder: folder, limits: limits, part: part
        ).read()
        if let trouble = input.trouble {
            outcome.mistakes.warning(at: SourceLocation(source, .wholeFile), trouble.message)
        }
        bytesLeft = max(0, bytesLeft - outcome.bytes)
        nodesLeft = max(0, nodesLeft - outcome.nodes)
        memoryLeft = max(0, memoryLeft - outcome.held)
        if let (entry, includer) = naming, outcome.refusal == nil, !outcome.draft.isCatalog,
            outcome.mistakes.items.contains(where: { $0.location.position != .wholeFile })
        {
            // A catalog of somebody else may name any file: what isn't a catalog isn't quoted.
            found[includer].error(
                at: entry.location, "\(Self.name(of: entry, shown)) isn't a catalog: it lacks 'version: 1'")
            return
        }
        if let refusal = outcome.refusal {
            unreadableCount += 1
            if let (entry, includer) = naming {
                found[includer].error(at: entry.location, "\(Self.name(of: entry, shown)) \(refusal)")
            } else {
                outcome.mistakes.error(at: SourceLocation(source, .wholeFile), refusal)
            }
        }
        take(&outcome, of: index, path, folder: folder, base: base, chain: chain)
    }

    /// Takes over what was decoded of a file, and reads its includes.
    private mutating func take(
        _ outcome: inout CatalogFileReader.Outcome, of index: Int, _ path: String, folder: String, base: Inherited,
        chain: [String]
    ) {
        let source = sources[index]
        catalog.files[index].name = outcome.draft.name
        catalog.files[index].stamp = outcome.stamp
        let includes = outcome.draft.includes
        if outcome.draft.isProviderDoubtful, outcome.draft.defaults.provider == nil {
            // Then its included files aren't wrong either.
            outcome.draft.defaults.provider = ProviderReference(name: "", location: SourceLocation(source, .wholeFile))
        }
        var inherited = base
        if !outcome.draft.defaults.isEmpty {
            inherited.settings = Settings(outcome.draft.defaults, above: base.settings)
        }
        inherited.layout = outcome.draft.layout ?? base.layout
        let others = outcome.draft.others
        catalog.otherVideos.formUnion(outcome.draft.otherVideos)
        var resolution = SettingsResolution(outcome.draft)
        outcome.draft = CatalogDraft()
        catalog.courseSources += resolution.sources(
            above: base.settings, layout: inherited.layout, file: index, source: source, mistakes: &outcome.mistakes)
        let hasSources = catalog.courseSources.contains { $0.list.file == index }
        let courses = resolution.courses(
            above: base.settings, layout: inherited.layout, file: index, folder: folder, source: source,
            mistakes: &outcome.mistakes)
        for course in courses { add(course, mistakes: &outcome.mistakes) }
        for other in others {
            catalog.otherCourseCount += 1
            names[other.nameDigest, default: 0] += 1
            note(other.id, at: SourceLocation(source, other.position), &outcome.mistakes)
        }
        if courses.isEmpty, others.isEmpty, includes.isEmpty, !hasSources, outcome.mistakes.errorCount == 0,
            outcome.refusal == nil
        {
            outcome.mistakes.warning(at: SourceLocation(source, .wholeFile), "the catalog has no courses")
        }
        found[index].add(contentsOf: outcome.mistakes)
        for entry in includes { include(entry, from: index, base: inherited, chain: chain + [path]) }
    }

    /// An include in a message, with the file that a pattern means.
    private static func name(of entry: CatalogDraft.Include, _ shown: String) -> String {
        let pattern = "the include '\(entry.pattern.excerpt)'"
        return IncludePattern.isPattern(entry.pattern) ? "\(shown), which \(pattern) means," : pattern
    }

    private mutating func add(_ course: Course, mistakes: inout DiagnosticList) {
        catalog.videoCount += course.videoCount
        catalog.courses.append(course)
        if let part { names[part.nameDigest(course.title), default: 0] += 1 }
        note(course.id, at: course.location, &mistakes)
    }

    /// Notes the id of a course; empty after a mistake.
    private mutating func note(_ id: String, at place: SourceLocation, _ mistakes: inout DiagnosticList) {
        guard !id.isEmpty else { return }
        if let first = courses[id] {
            mistakes.error(
                at: place,
                "the course id '\(id.excerpt)' is already used at \(first); ids of courses must differ in a run")
        } else {
            courses[id] = place
        }
    }

    // MARK: Includes

    private mutating func include(
        _ entry: CatalogDraft.Include, from includer: Int, base: Inherited, chain: [String]
    ) {
        let folder = folders[includer]
        let pattern = entry.pattern
        guard !WebAddress.hasScheme(folder.utf8) else {
            return found[includer].error(
                at: entry.location,
                "a catalog from an address can't include others; name each address where this one is named")
        }
        var named = CatalogInclude(pattern: pattern, folder: folder)
        defer { catalog.includes.append(named) }
        var paths = [IncludePattern.path(pattern, in: folder)]
        if IncludePattern.isPattern(pattern), !IncludePattern.exists(paths[0]) {
            var walk = PatternWalk()
            paths = walk.matches(pattern, in: folder)
            if walk.isOver {
                paths = []
                found[includer].error(
                    at: entry.location,
                    """
                    the include '\(pattern.excerpt)' matches more than \(PatternWalk.bound) names; use a narrower \
                    pattern
                    """
                )
            } else if paths.count > CatalogBounds.files {
                paths = []
                found[includer].error(at: entry.location, "a run reads at most \(CatalogBounds.files) files")
            } else if paths.isEmpty {
                found[includer].error(at: entry.location, "no file matches '\(pattern.excerpt)' in \(folder)")
            }
        }
        for path in paths {
            do throws(SystemError) {
                let real = try IncludePattern.resolve(path)
                named.names.append(ResolvedPath(path: path, real: real))
                include(real, found: path, entry, from: includer, base: base, chain: chain)
            } catch {
                unreadableCount += 1
                found[includer].error(
                    at: entry.location, "the include '\(pattern.excerpt)' can't be read: \(error)")
            }
        }
    }

    private mutating func include(
        _ path: String, found candidate: String, _ entry: CatalogDraft.Include, from includer: Int, base: Inherited,
        chain: [String]
    ) {
        if let place = chain.firstIndex(of: path) {
            let through = chain[(place + 1)...].map { catalog.files[indices[$0] ?? includer].shownPath }
            let way = through.isEmpty ? "" : " through \(through.joined(separator: ", "))"
            return found[includer].error(
                at: entry.location, "the include '\(entry.pattern.excerpt)' includes this file itself\(way)")
        }
        if let index = indices[path] {
            let other = includers[index].map { "included at \($0)" } ?? "given on the command line"
            if includers[index]?.source !== entry.location.source {
                found[includer].warning(
                    at: entry.location,
                    """
                    \(catalog.files[index].shownPath) is \(other) already; a file is read once, with the settings from \
                    there
                    """
                )
            }
            return
        }
        guard chain.count <= CatalogBounds.depth else {
            return found[includer].error(
                at: entry.location, "files are included more than \(CatalogBounds.depth) levels deep")
        }
        guard catalog.files.count < CatalogBounds.files else {
            return found[includer].error(at: entry.location, "a run reads at most \(CatalogBounds.files) files")
        }
        var input = CatalogInput(file: path)
        input.shownPath = shownPath(candidate, from: includer)
        file(path, input, base: base, chain: chain, by: (entry, includer))
    }

    /// An included file's name in messages: in the form of the file that includes it.
    private func shownPath(_ path: String, from includer: Int) -> String {
        let real = folders[includer]
        let shown = IncludePattern.folder(of: catalog.files[includer].shownPath)
        guard path.hasPrefix(real + "/"), (try? IncludePattern.resolve(shown)) == real else { return path }
        let rest = path.dropFirst(real.count + 1)
        return shown == "." && !catalog.files[includer].shownPath.hasPrefix("./") ? String(rest) : "\(shown)/\(rest)"
    }

    // MARK: The result

    private mutating func unreadable(_ path: String, _ message: String) {
        unreadableCount += 1
        let source = SourceName(path)
        catalog.files.append(CatalogFile(path: path, shownPath: path, contentPath: path, name: nil))
        folders.append(".")
        sources.append(source)
        includers.append(nil)
        var list = DiagnosticList()
        list.error(at: SourceLocation(source, .wholeFile), message)
        found.append(list)
    }

    private consuming func reading() -> CatalogReading {
        var diagnostics = found.flatMap(\.sorted)
        let paths = Dictionary(
            catalog.files.map { ($0.shownPath, $0.contentPath) }, uniquingKeysWith: { first, _ in first })
        diagnostics.addExcerpts { paths[$0] ?? $0 }
        let errors = found.reduce(0) { $0 + $1.errorCount }
        var catalog = catalog
        catalog.warnings = diagnostics.filter { $0.severity == .warning }
        if let part { catalog.mark(part, names: names) }
        return CatalogReading(
            catalog: catalog, diagnostics: diagnostics,
            omitted: zip(sources, found).compactMap { $1.omitted > 0 ? ($0.path, $1.omitted) : nil },
            errorCount: errors, verdict: errors == 0 ? .valid : errors == unreadableCount ? .unreadable : .invalid)
    }
}
