import Testing

@Suite("A question that changes, walked at random")
struct QuestionWalkTests {
    @Test(
        "However the site changes its text and whoever looks, takes or decides in between: what is told is what was approved",
        arguments: [true, false])
    func walks(asksPIN: Bool) async throws {
        var (logins, changes, claims) = (0, 0, 0)
        for seed in 0..<24 {
            let walk = try await QuestionWalk(seed: seed, asksPIN: asksPIN)
            let result = try await walk.run(steps: 80)
            #expect(result.breaches.isEmpty, "seed \(seed)")
            logins += result.logins
            changes += result.changes
            claims += result.claims
        }
        // The walks have been where it matters.
        #expect(logins > 8 && changes > 40 && claims >= logins)
    }
}
