package import CourseCatalog
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
import ProviderKit
package import SyncFacts
import SystemPackage
import UserState
import YAMLSource

/// The catalogs of a command, from any source: files, standard input, addresses.
package struct CatalogSources: Sendable, PrintsRedacted {
    private let addresses: [CatalogAddress]
    /// The folder of the copies of fetched catalogs.
    private let copies: FilePath
    private let caFile: String?
    /// The longest text that is read of standard input.
    private let bytes: Int
    /// What is kept of the courses; nil keeps all.
    let part: CatalogPart?
    /// The shard whose videos the run has; nil for all.
    let shardOfVideos: Shard?

    /// - Parameters:
    ///   - texts: as given; of duplicates the first counts.
    ///   - state: replaces the folder that holds all users' state.
    ///   - shard: nil for all courses.
    ///   - unit: what is divided among shards.
    package init(
        _ texts: [String], state: String?, caFile: String?, shard: Shard? = nil, by unit: ShardUnit = .course
    ) {
        let shardOfCourses = unit == .course ? shard : nil
        part = shardOfCourses.map { CatalogPart($0) { LibraryName.key(LibraryName.component($0)) } }
        shardOfVideos = unit == .video ? shard : nil
        bytes = YAMLLimits.catalog(parts: shardOfCourses?.count ?? 1).bytes
        addresses = texts.map { CatalogAddress($0) }
        let environment = ProcessInfo.processInfo.environment
        copies = Locations(environment: environment, state: state.map { FilePath($0) }).stateRoot.appending("catalogs")
        self.caFile = caFile
    }

    package init(_ options: SyncOptions) {
        self.init(
            options.catalogs, state: options.state, caFile: options.caFile, shard: options.shard,
            by: options.shardUnit)
    }

    /// The files that were named, which a watching run watches.
    package var files: [String] {
        addresses.compactMap { if case .file(let path) = $0 { path } else { nil } }
    }

    /// The inputs to read, in the given order. ``discard(_:)`` removes the temporary files among them.
    func inputs() async -> [CatalogInput] {
        var inputs: [CatalogInput] = []
        var seen: [CatalogAddress] = []
        let engine = TransferEngine(configuration: configuration)
        for address in addresses where !seen.contains(address) {
            seen.append(address)
            switch address {
            case .file(let path): inputs.append(CatalogInput(file: path))
            case .standardInput: inputs.append(await Blocking.run { _ in standardInput(address) })
            case .web(let url): inputs.append(await fetched(url, address, engine))
            }
        }
        await engine.shutDown()
        return inputs
    }

    /// Removes the copy of an address; of anything else there is none.
    package static func removeCopy(of address: CatalogAddress, state: String?) {
        let sources = CatalogSources([], state: state, caFile: nil)
        if let name = address.copyName { CatalogCopy(folder: sources.copies, name: name).remove() }
    }

    /// Removes what was written only to be read.
    static func discard(_ inputs: [CatalogInput]) {
        for input in inputs where input.path.hasPrefix(spoolPrefix) { unlink(input.path) }
    }

    private var configuration: TransferConfiguration {
        var configuration = TransferConfiguration()
        configuration.caFile = caFile
        configuration.userAgent = "coursefetch/\(Version.text)"
        return configuration
    }

    private func fetched(_ url: String, _ address: CatalogAddress, _ engine: TransferEngine) async -> CatalogInput {
        var input = CatalogInput(
            identity: address.identity ?? "", shownPath: address.shown, path: "", folder: address.folder ?? "")
        guard let name = address.copyName else {
            input.trouble = .notFetched(.notAnAddress)
            return input
        }
        let copy = CatalogCopy(folder: copies, name: name)
        switch await CatalogFetch(url: url, copy: copy, engine: engine).run() {
        case .copy(let trouble): (input.path, input.trouble) = (copy.path, trouble)
        case .nothing(let trouble): input.trouble = trouble
        case .new(let bytes, let etag, let lastModified):
            do throws(Errno) {
                input.path = try Self.spool { descriptor throws(Errno) in try Self.append(bytes, to: descriptor) }
            } catch {
                input.trouble = .noInput("\(error)")
                return input
            }
            replace(copy, with: bytes, etag: etag, lastModified: lastModified, &input)
        }
        return input
    }

    /// Stores a fetched text if it is a catalog without mistakes. One with mistakes is read from its own file, so that
    /// they are shown; for one without any courses the last copy is read.
    private func replace(
        _ copy: CatalogCopy, with bytes: [UInt8], etag: String?, lastModified: String?, _ input: inout CatalogInput
    ) {
        let reading = CatalogReader.read([input], part: part)
        let catalog = reading.catalog
        if catalog.courses.isEmpty, catalog.otherCourseCount == 0, catalog.courseSources.isEmpty,
            let outdated = copy.outdated(.noCatalog)
        {
            input.trouble = outdated
        } else if reading.verdict == .valid {
            do throws(Errno) {
                try copy.store(bytes, etag: etag, lastModified: lastModified, at: Date())
            } catch {
                input.trouble = .notKept("\(error)")
                return
            }
        } else {
            return
        }
        Self.discard([input])
        input.path = copy.path
    }

    private func standardInput(_ address: CatalogAddress) -> CatalogInput {
        var input = CatalogInput(
            identity: address.identity ?? "", shownPath: address.shown, path: "",
            folder: FileManager.default.currentDirectoryPath)
        guard isatty(STDIN_FILENO) == 0 else {
            input.trouble = .terminal
            return input
        }
        do throws(Errno) {
            input.path = try Self.spool { descriptor throws(Errno) in try copyInput(to: descriptor) }
        } catch {
            input.trouble = .noInput("\(error)")
        }
        return input
    }

    /// Stops just beyond the longest allowed catalog, so that its reader reports the excess.
    private func copyInput(to descriptor: CInt) throws(Errno) {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var total = 0
        while total <= bytes {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Errno(rawValue: errno) }
            if count == 0 { return }
            try Self.append(Array(chunk[..<count]), to: descriptor)
            total += count
        }
    }

    private static func append(_ bytes: [UInt8], to descriptor: CInt) throws(Errno) {
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(bytes)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    private static var spoolPrefix: String {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        return folder + "/coursefetch-catalog-\(getpid())-"
    }

    /// A temporary file that nobody else can read.
    private static func spool(_ fill: (CInt) throws(Errno) -> Void) throws(Errno) -> String {
        var name = Array((spoolPrefix + "XXXXXX").utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        defer { close(descriptor) }
        let path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
        do {
            try fill(descriptor)
        } catch {
            unlink(path)
            throw error
        }
        return path
    }
}

extension SyncOptions {
    /// Its catalogs in the form to show and store.
    package var shownCatalogs: [String] { catalogs.map { CatalogAddress($0).shown } }
}
