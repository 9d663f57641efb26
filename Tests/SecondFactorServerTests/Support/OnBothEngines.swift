import OstiaryTesting
import Testing

/// Runs each test on SQLite and then on PostgreSQL, where one is installed: the fixtures that it makes take their databases of that engine. What goes wrong
/// is told with it.
struct OnBothEngines: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        for engine in DatabaseEngine.allCases {
            let telling = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("on \(engine)")
                return issue
            }
            try await telling.provideScope(for: test, testCase: testCase) {
                try await engine.run { try await function() }
            }
        }
    }
}

extension Trait where Self == OnBothEngines {
    static var onBothEngines: Self { Self() }
}
