import Foundation
import OstiaryTestTraits
import OstiaryTesting
import Synchronization
import Testing

@Suite("Tests on both engines")
struct OnBothEnginesTests {
    /// Set where a run without PostgreSQL shows too little: by `.ci/run`, and by `scripts/test` where the package is installed.
    private static let isPostgreSQLNeeded = ProcessInfo.processInfo.environment["OSTIARY_NEEDS_POSTGRESQL"] == "1"

    @Test("One with the trait runs once on each engine that is installed, SQLite first; one without it on SQLite")
    func engines() async throws {
        let met = Mutex<[DatabaseEngine]>([])
        let trait: OnBothEngines = .onBothEngines
        try await trait.provideScope(for: try #require(Test.current), testCase: Test.Case.current) { met.withLock { $0.append(.current) } }
        let all: [DatabaseEngine] = Self.isPostgreSQLNeeded || PostgreSQLCluster.isInstalled ? [.sqlite, .postgresql] : [.sqlite]
        #expect(met.withLock(\.self) == all)
        #expect(DatabaseEngine.current == .sqlite)
    }

    /// Every list of engines, backends and shared files in the tests is as long as this says.
    @Test("Where PostgreSQL is needed there is one that tests can start, and nothing is left out for want of it")
    func needed() {
        guard Self.isPostgreSQLNeeded else { return }
        #expect(
            PostgreSQLCluster.isInstalled,
            "OSTIARY_NEEDS_POSTGRESQL is set: install version 15 or later (make setup); for root, too, /usr/bin/setpriv and the user postgres")
    }
}
