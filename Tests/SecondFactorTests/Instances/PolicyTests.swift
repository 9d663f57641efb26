import Testing

@testable import SecondFactor

@Suite("Policy")
struct PolicyTests {
    @Test("S4-58: five tries, 0, 0, 30 s and 5 min between them, and then the block, unless configured")
    func standard() throws {
        #expect(try Policy() == .standard)
        #expect((1...6).map { Policy.standard.penalty(afterFailures: $0) } == [0, 0, 30, 300, 0, 0])
    }

    @Test("Settings out of bounds are refused by name")
    func bounds() {
        #expect(throws: PolicyError.maxAttempts) { try Policy(maxAttempts: 0) }
        #expect(throws: PolicyError.maxAttempts) { try Policy(maxAttempts: 6) }
        #expect(throws: PolicyError.penalties) { try Policy(penalties: [86_401]) }
        #expect(throws: PolicyError.penalties) { try Policy(penalties: [0, 0, 0, 0, 0, 0]) }
        #expect(throws: PolicyError.lifetimeWithoutPIN) { try Policy(lifetimeWithoutPIN: 0) }
        #expect(throws: PolicyError.lifetimeWithoutPIN) { try Policy(lifetimeWithoutPIN: 101) }
        #expect(throws: PolicyError.resetsPerDay) { try Policy(resetsPerDay: -1) }
        #expect(throws: PolicyError.resetsPerDay) { try Policy(resetsPerDay: 11) }
        #expect(throws: PolicyError.maxNumberWithoutPIN) { try Policy(maxNumberWithoutPIN: 65_535) }
        #expect(throws: PolicyError.maxTimeWithoutPIN) { try Policy(maxTimeWithoutPIN: 315_360_001) }
    }

    @Test("The last penalty stands for all that follow, and no penalties are none")
    func shortLists() throws {
        let one = try Policy(penalties: [7])
        #expect((1...4).map { one.penalty(afterFailures: $0) } == [7, 7, 7, 7])
        let none = try Policy(penalties: [])
        #expect((1...4).map { none.penalty(afterFailures: $0) } == [0, 0, 0, 0])
    }
}
