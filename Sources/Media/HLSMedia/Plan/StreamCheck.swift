extension Playlist {
    /// Whether it is certainly complete. Only then is it accepted.
    ///
    /// A framed body (its Content-Length, or the last chunk, has arrived) is complete. One that ended with its
    /// connection may be truncated anywhere: it is complete if the end mark follows all of its segments. Nothing else
    /// proves it, not even an EXT-X-PLAYLIST-TYPE of VOD, and a master playlist has no end mark.
    func isWhole(isFramed: Bool) -> Bool {
        if isFramed { return true }
        guard case .media(let playlist) = self else { return false }
        return playlist.endsWithMark
    }
}

extension Playlist {
    /// Drops the last segment of a list that may still grow: its line has no end, and may be written just now.
    mutating func dropUnfinishedLine() {
        guard case .media(var list) = self, list.isLive, !list.segments.isEmpty else { return }
        list.segments.removeLast()
        self = .media(list)
    }
}

/// Whether a stream can be downloaded, checked before any part of it is.
extension MasterPlaylist {
    /// Throws ``StreamRefusal/drm(system:)`` or ``StreamRefusal/unsupported(reason:)`` for session keys without a key
    /// of the `identity` format for AES-128 among them. ``MediaPlaylist/check()`` checks the keys of the media
    /// playlists; a playlist without session keys says nothing about them.
    package func check() throws(StreamRefusal) { _ = try SegmentKeys(sessionKeys) }
}

extension MediaPlaylist {
    /// Throws the reason why the stream can't be downloaded, the most permanent one first: protection, unsupported
    /// features, a playlist that isn't complete yet, a complete one without segments.
    ///
    /// A playlist that is complete (see ``Playlist/isWhole(isFramed:)``) doesn't grow any more with EXT-X-ENDLIST, or
    /// if its type is VOD (RFC 8216 §6.3.4).
    /// - Parameter allowsLive: whether it may still grow, if it has segments.
    package func check(allowsLive: Bool = false) throws(StreamRefusal) {
        var checked: [PlaylistKey] = []
        for segment in segments where segment.keys != checked {
            checked = segment.keys
            _ = try SegmentKeys(checked)
        }
        // A map that no segment uses doesn't count.
        var map: Int?
        for segment in segments where segment.map != map {
            map = segment.map
            if let map { _ = try SegmentKeys(maps[map].keys) }
        }
        if isIFramesOnly { throw .unsupported(reason: "the playlist has only single pictures") }
        if hasSkippedSegments { throw .unsupported(reason: "the playlist leaves segments out") }
        guard !isLive || (allowsLive && !segments.isEmpty) else { throw .notReady }
        if segments.isEmpty { throw .empty }
    }
}
