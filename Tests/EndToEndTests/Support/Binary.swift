import Foundation

/// The `ostiary` that was built together with these tests.
enum Binary {
    static let url: URL = {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle.main.bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("ostiary")
    }()

    /// What a program of ours inherits from the tests: nothing that could be a setting.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key) }
    }
}
