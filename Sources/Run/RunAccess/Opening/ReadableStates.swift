package import DownloadStore
package import SyncFacts

/// The states of a command about all shards, of which some can't be read: the command is about the others then.
package struct ReadableStates {
    /// One for each place; nil for a state that doesn't exist or can't be read.
    package let stores: [DownloadStore?]
    /// The indices of those that can't be read.
    package let failed: Set<Int>
    /// Why these are left out, in the order of the places.
    package let leftOut: [Refusal]

    /// Opens them to read. Throws if none can be read.
    package init(of places: [StateLocation.Place]) throws(Refusal) {
        var stores: [DownloadStore?] = []
        var errors: [Int: Refusal] = [:]
        for (index, place) in places.enumerated() {
            do throws(Refusal) { stores.append(try place.openForReading()) } catch {
                stores.append(nil)
                errors[index] = error
            }
        }
        if errors.count == places.count, let error = errors[0] { throw error }
        self.stores = stores
        failed = Set(errors.keys)
        leftOut = errors.sorted { $0.key < $1.key }.map { places[$0.key].leftOut($0.value) }
    }

    package func close() { for store in stores { store?.close() } }
}
