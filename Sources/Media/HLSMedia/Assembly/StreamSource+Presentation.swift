import MediaTransfer

extension StreamSource {
    /// The same as ``load(_:preference:access:textLimit:addressLimit:)`` for a DASH presentation (MPD) at `url`.
    ///
    /// Indexes within files are requested like playlists: with the same tokens and limits, and only from where the
    /// presentation may name addresses.
    package static func loadPresentation(
        _ url: String, preference: StreamPreference, access: StreamAccess
    ) async -> Result<StreamSource, Problem> {
        do throws(Problem) {
            let answer = await access.fetch(url, range: nil, part: .playlist, maxSize: Int64(PlaylistLimit.bytes))
            let presentation = try presentation(answer, url, access)
            let planner = try PresentationPlanner(presentation, preference: preference)
            let base = answer.url ?? url
            let confined = access.confined(to: answer.scope)
            var indexes: [SegmentIndex] = []
            for index in planner.indexes {
                indexes.append(try await read(index, base: base, confined))
                // They are held in memory together.
                guard indexes.reduce(0, { $0 + $1.entries.count }) <= 2 * PlaylistLimit.segments else {
                    throw .presentation(PresentationError(.tooMany(.segments), line: index.line))
                }
            }
            return .success(try planner.source(url: base, scope: answer.scope, indexes: indexes))
        } catch {
            return .failure(error)
        }
    }

    private static func presentation(
        _ answer: StreamAccess.Answer, _ url: String, _ access: StreamAccess
    ) throws(Problem) -> Presentation {
        let bytes = try answer.bytes
        do throws(PresentationError) {
            // The end of the outermost element shows that it is whole, however the response ended.
            if let presentation = try Presentation.parse(bytes) { return presentation }
        } catch {
            if answer.isFramed { throw .presentation(error) }
            access.failed(url)
            throw .failure(.transfer(.lengthUnknown(framed: false), .playlist))
        }
        // A page or another text in its place: the URL has expired.
        access.failed(url)
        throw .failure(.notMedia(.playlist))
    }

    /// Downloads and reads the index of one file.
    private static func read(
        _ index: Representation.Index, base: String, _ access: StreamAccess
    ) async throws(Problem) -> SegmentIndex {
        guard index.range.count <= PlaylistLimit.bytes else {
            throw .presentation(PresentationError(.index(.tooLarge), line: index.line))
        }
        let url = try resolved(index.uri, base)
        let answer = await access.fetch(url, range: index.range, part: .playlist, maxSize: Int64(index.range.count))
        let bytes = try answer.bytes
        guard answer.isFramed || bytes.count == index.range.count else {
            access.failed(url)
            throw .failure(.transfer(.lengthUnknown(framed: false), .playlist))
        }
        var header: [UInt8]?
        if index.isWebM {
            let section = index.initialization
            header = try await access.fetch(
                resolved(section.uri, base), range: section.range, part: .initialization,
                maxSize: InitializationSections.limit
            ).bytes
        }
        do throws(SegmentIndexError) {
            let start = index.range.lowerBound
            if let header { return try SegmentIndex.read(cues: bytes, at: start, header: header) }
            return try SegmentIndex.read(bytes, at: start)
        } catch {
            // Something else in its place: the URL has expired.
            if MediaKind.recognize(bytes) == .page {
                access.failed(url)
                throw .failure(.notMedia(.playlist))
            }
            throw .presentation(PresentationError(.index(error), line: index.line))
        }
    }
}

extension StreamAccess.Answer {
    fileprivate var bytes: [UInt8] {
        get throws(StreamSource.Problem) {
            switch result {
            case .success(let body): return body
            case .failure(let failure): throw .failure(failure)
            }
        }
    }
}
