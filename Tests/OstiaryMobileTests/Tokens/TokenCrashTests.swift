import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("The app is killed at any step", .timeLimit(.minutes(10)))
struct TokenCrashTests {
    /// More than a refresh has; a run that was not cut short proves that.
    private static let mostSteps = 26

    @Test(
        "A phone killed at every step of a refresh never loses its login: the next process has a good token, by whichever refresh token",
        arguments: 0..<mostSteps, [true, false])
    func refresh(_ steps: Int, _ isAfterEffect: Bool) async throws {
        for bindsToDevice in [true, false] {
            let world = try TokenFixture(bindsToDevice: bindsToDevice)
            _ = try await world.loggedIn()
            world.passLife()
            let wire = Tripwire(steps: steps, isAfterEffect: isAfterEffect)
            let token = try? await world.process(wire).freshToken()
            if steps == Self.mostSteps - 1 { #expect(token != nil && !wire.isTripped, "there are more steps than this test goes") }
            if let token { #expect(world.server.isGood(token)) }
            for _ in 0..<3 {
                let next = world.process()
                #expect(world.server.isGood(try await next.freshToken()))
                #expect(try await next.credentials()?.profile?.subject == "alice")
                #expect(try world.isTidy)
                world.passLife()
            }
            #expect(world.server.with { !$0.families[0].isOver }, "\(steps), bound \(bindsToDevice)")
            #expect(world.keys.names.count == (bindsToDevice ? 2 : 1), "what the killed process began is gone")
        }
    }

    @Test("Whoever got a token has it stored: what the app used is what the next process goes on with", arguments: 0..<mostSteps)
    func storedBeforeUse(_ steps: Int) async throws {
        let world = try TokenFixture(bindsToDevice: false)
        _ = try await world.loggedIn()
        world.passLife()
        guard let token = try? await world.process(Tripwire(steps: steps, isAfterEffect: false)).freshToken() else { return }
        let calls = world.server.calls(to: "/oauth/token")
        #expect(try await world.process().freshToken().value == token.value)
        #expect(world.server.calls(to: "/oauth/token") == calls)
    }

    @Test("A phone killed at every step of a login is logged in or is not, and the next login is good", arguments: 0..<mostSteps, [true, false])
    func login(_ steps: Int, _ isAfterEffect: Bool) async throws {
        let world = try TokenFixture()
        let wire = Tripwire(steps: steps, isAfterEffect: isAfterEffect)
        let given = try? await world.process(wire).logIn(in: world.browser)
        if steps == Self.mostSteps - 1 { #expect(given != nil && !wire.isTripped) }
        let next = world.process()
        if given != nil { #expect(world.server.isGood(try await next.freshToken())) }
        #expect(try world.isTidy)
        try await next.logIn(in: world.browser)
        #expect(world.server.isGood(try await next.freshToken()))
        // A draft of a login that nobody came back from goes after a day.
        world.clock.advance(100_000)
        try await next.logIn(in: world.browser)
        #expect(world.keys.names.count == 2)
        #expect(try world.isTidy)
    }

    @Test(
        "A phone killed at every step of a logout is logged out once it began, and the provider hears of it", arguments: 0..<mostSteps, [true, false])
    func logout(_ steps: Int, _ isAfterEffect: Bool) async throws {
        let world = try TokenFixture()
        _ = try await world.loggedIn()
        let wire = Tripwire(steps: steps, isAfterEffect: isAfterEffect)
        try? await world.process(wire).revoke()
        let next = world.process()
        if try await next.credentials() != nil { #expect(world.server.with { $0.revoked.isEmpty }) }
        try await next.revoke()
        #expect(try await next.credentials() == nil)
        #expect(world.server.with { $0.families[0].isOver })
        #expect(try world.stored.ended.isEmpty)
        try await next.logIn(in: world.browser)
        #expect(world.keys.names.count == 2)
    }
}
