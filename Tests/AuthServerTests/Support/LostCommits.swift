import Database
import OstiaryTesting
import Testing

@testable import AuthServer
@testable import SecondFactorServer

/// How the databases of a test lose commits.
enum LostCommits {
    @TaskLocal static var plan = LosingDatabase.Plan.none
}

/// A database that runs every body twice, and loses commits as the test wishes.
func misbehavingDatabase(over base: any Database, tellsChanges: Bool = true) -> LosingDatabase {
    // Told on SQLite only: numbers that PostgreSQL counts up are not taken back, so two runs always differ.
    LosingDatabase(RerunningDatabase(base) { if base.dialect == .sqlite { Issue.record("\($0)") } }, LostCommits.plan, tellsChanges: tellsChanges)
}

/// One of its own, with the schema of today.
func misbehavingDatabase() async throws -> any Database { misbehavingDatabase(over: try await SchemaTemplate.authentication.ofEngine()) }

extension SchemaTemplate {
    static let authentication = SchemaTemplate(AuthenticationSchema.migrations) { Issue.record("\($0)") }
    static let secondFactor = SchemaTemplate(secondFactorMigrations) { Issue.record("\($0)") }
}

/// Runs each test of a suite a second time, while the connection to each database is lost at every commit, once for each caller. What was lost is
/// kept or gone by a draw that is the same in each run of the test.
struct AgainWithLostCommits: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await function()
        let seed = test.name.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        try await LostCommits.$plan.withValue(.drawn(seed)) { try await function() }
    }
}

extension Trait where Self == AgainWithLostCommits {
    static var againWithLostCommits: Self { Self() }
}
