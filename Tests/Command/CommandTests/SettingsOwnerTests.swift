import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CourseFetchCommands

@Suite("who could change the settings file")
struct SettingsOwnerTests {
    private static func read(_ path: String) -> SettingProblem? {
        do throws(SettingsError) {
            _ = try SettingsFile.read(path)
            return nil
        } catch {
            return error.problems.first
        }
    }

    @Test("settings that others could change aren't used: they name commands")
    func others() throws {
        let folder = TemporaryFolder()
        try folder.write("hooks: {on-new: 'true'}\n", to: "home/.config/coursefetch/config.yaml")
        let path = folder.at("home/.config/coursefetch/config.yaml").string
        let base = folder.at("home/.config").string
        for place in [folder.at("home").string, base, base + "/coursefetch"] { chmod(place, 0o755) }
        chmod(path, 0o644)
        #expect(Self.read(path) == nil)
        for (place, mode) in [(path, mode_t(0o644)), (base, 0o755)] {
            chmod(place, mode | 0o002)
            #expect(Self.read(path) == .distrusted(path, "\(place) can be written by others"))
            chmod(place, mode)
        }
        guard geteuid() == 0 else { return }
        chown(path, 65534, 65534)
        let problem = try #require(Self.read(path))
        #expect(
            problem.text.hasPrefix("error: the settings file \(path) isn't used, since it can name commands to run: "))
        #expect(problem.text.contains("\(path) belongs to "))
    }
}
