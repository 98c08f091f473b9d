import MigrationSources

/// The catalog of a source's list of streams.
package enum StreamCatalog {
    /// The catalog as text, and the number of entries without a name or an address, which it leaves out.
    package static func text(ofListAt source: String) throws(MigrationProblem) -> (text: String, leftOut: Int) {
        let streams: [HLSCatalogReader.Stream]
        do throws(SourceProblem) { streams = try HLSCatalogReader.streams(SourceFolder(source)) } catch {
            throw .source(error)
        }
        var catalog = NewCatalog(.hlscatalog)
        let usable = streams.filter { $0.fault == nil }
        for stream in usable {
            var record = SourceRecord(key: stream.name, state: .unfinished)
            (record.names, record.title, record.url) = ([stream.name], stream.name, stream.url)
            catalog.add(record, course: "streams", title: "Streams")
        }
        return (catalog.text, streams.count - usable.count)
    }
}
