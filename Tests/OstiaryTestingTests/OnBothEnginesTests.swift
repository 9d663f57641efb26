import OstiaryTestTraits
import OstiaryTesting
import Synchronization
import Testing

@Suite("Tests on both engines")
struct OnBothEnginesTests {
    @Test("One with the trait runs once on each engine that is installed, SQLite first; one without it on SQLite")
    func engines() async throws {
        let met = Mutex<[DatabaseEngine]>([])
        let trait: OnBothEngines = .onBothEngines
        try await trait.provideScope(for: try #require(Test.current), testCase: Test.Case.current) { met.withLock { $0.append(.current) } }
        #expect(met.withLock(\.self) == DatabaseEngine.allCases)
        #expect(DatabaseEngine.current == .sqlite)
    }
}
