import OstiaryTestTraits
import Testing

/// Looks at one of several things that share what was dear to make. What is found is told with its name, and whoever looks next does so all the same.
func look(at name: String, _ body: @Sendable () async throws -> Void) async throws {
    let current = Test.current
    let test = try #require(current, "nobody looks outside a test")
    try await IssueHandlingTrait.telling("found by the look at \(name)").provideScope(for: test, testCase: Test.Case.current) {
        do { try await body() } catch {
            // What was required was told where it was missing.
            if !(error is ExpectationFailedError) { Issue.record(error) }
        }
    }
}
