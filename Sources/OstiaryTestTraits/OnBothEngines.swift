import OstiaryTesting
import Testing

/// Runs each test on SQLite and then on PostgreSQL, where one is installed: the fixtures that it makes take their databases of that engine. What goes wrong
/// is told with it. It stands in no test target because two of them have it, and not in OstiaryTesting because that knows no testing library.
package struct OnBothEngines: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        for engine in DatabaseEngine.allCases {
            try await IssueHandlingTrait.telling("on \(engine)").provideScope(for: test, testCase: testCase) {
                try await engine.run { try await function() }
            }
        }
    }
}

extension Trait where Self == OnBothEngines {
    package static var onBothEngines: Self { Self() }
}
