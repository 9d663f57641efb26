import Foundation
import OstiaryTesting
import Testing

@Suite("Which PostgreSQL tests run on", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLProgramsTests {
    /// What stands in for the programs of one, in a folder that everybody may enter; gone with the value.
    private struct Programs {
        let folder: TemporaryFolder
        var path: String { folder.path }

        /// - Parameter status: with which each ends.
        init(_ names: [String] = ["initdb", "postgres"], status: Int = 0) throws {
            folder = try TemporaryFolder()
            for name in names { _ = try folder.write("#!/bin/sh\nexit \(status)\n", to: name, mode: 0o755) }
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        }
    }

    @Test("A folder that is named wins over what is installed; where none is, the first is taken that has an initdb")
    func choice() throws {
        let (none, first, second) = (try Programs([]), try Programs(), try Programs())
        try withExtendedLifetime((none, first, second)) { () throws in
            let installed = [none.path, first.path, second.path]
            #expect(try PostgreSQLPrograms.choose(named: second.path, installed: installed)?.folder == second.path)
            #expect(try PostgreSQLPrograms.choose(named: nil, installed: installed)?.folder == first.path)
            #expect(try PostgreSQLPrograms.choose(named: nil, installed: [none.path])?.folder == nil)
        }
    }

    @Test("Where what is named is no PostgreSQL, or cannot be run, that is told with its folder, and what is installed is not taken in its place")
    func refusal() throws {
        let (good, none, broken) = (try Programs(), try Programs(["postgres"]), try Programs(status: 1))
        try withExtendedLifetime((good, none, broken)) { () throws in
            let cases = [
                (none.path, "there is no initdb in"), (good.path + "/nowhere", "there is no initdb in"), ("", "absolute path"),
                ("bin", "absolute path"), (broken.path, "cannot be run"),
            ]
            for (folder, reason) in cases {
                let trouble = #expect(throws: PostgreSQLTrouble.self) {
                    try PostgreSQLPrograms.choose(named: folder, installed: [good.path])
                }
                let words = try #require(trouble).description
                let isTold = folder.isEmpty || words.contains(folder)
                #expect(words.contains(PostgreSQLPrograms.variable) && isTold && words.contains(reason), "\(words)")
            }
        }
    }

    @Test("The server of this run is of the programs that were named for it")
    func server() async throws {
        let cluster = try await PostgreSQLCluster.shared
        guard let named = ProcessInfo.processInfo.environment[PostgreSQLPrograms.variable] else { return }
        // Its own path begins the file.
        let started = try String(contentsOfFile: cluster.folder + "/data/postmaster.opts", encoding: .utf8)
        #expect(started.hasPrefix(URL(fileURLWithPath: named).resolvingSymlinksInPath().path + "/postgres "))
    }
}
