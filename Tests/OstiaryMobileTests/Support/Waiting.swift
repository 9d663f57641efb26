/// Lets others go on for as long as `condition` holds. It throws when the time of the test is up: a broken rule then ends one test, and not the
/// whole run.
func waiting(while condition: @autoclosure () async throws -> Bool) async throws {
    while try await condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
