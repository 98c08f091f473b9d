extension CheckSettings {
    /// Takes what the description says; the parameters that are here already win.
    package mutating func take(_ fixture: FixtureDescription) {
        parameters = fixture.parameters.merging(parameters) { $1 }
        credentials = fixture.credentials
        stored = fixture.stored
        videos = fixture.videos
        now = fixture.now
        isSelfContained = true
    }
}
