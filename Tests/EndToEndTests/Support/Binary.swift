import Foundation

/// The programs that were built together with these tests.
enum Binary {
    /// `ostiary`.
    static let url = folder.appendingPathComponent("ostiary")
    /// What it becomes for the phone and the demonstration.
    static let phone = folder.appendingPathComponent("ostiary-phone")

    static let folder: URL = {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle.main.bundleURL
        #endif
        return tests.deletingLastPathComponent()
    }()

    /// What a program of ours inherits from the tests: nothing that could be a setting.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key) }
    }
}
