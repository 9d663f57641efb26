import HTTPTypes
import OstiaryMobile
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Attack 9 of the threat model against both real servers.
@Suite("Replay and reorder", .onBothEngines)
struct ReplayTests {
    @Test("Attack 9: every message of an enrolment, logins, a wrong try and a stop, sent again in any order, has no second effect")
    func storm() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            let enrolled = try await world.enrol(phone)
            world.clock.advance(1)
            let nonces = [world.backend.newNonce(), world.backend.newNonce()]
            #expect(try await phone.logIn(world.backend.loginCode(nonces[0])).end.session != nil)
            world.clock.advance(1)
            let wrong = try await phone.logIn(world.backend.loginCode(nonces[1]), pins: [Person.wrongPINs[0]])
            #expect(wrong.answers.map(\.failedAttempts) == [1])
            let session = try #require(phone.ostiary.sessions.first { $0.isLoggedIn && !$0.isEnrolment })
            try await phone.ostiary.end(session)
            #expect(try await world.backend.isLoggedIn(nonces[0]) == false)

            let recorded = await world.line.posted
            #expect(recorded.count >= 9)
            let before = try await (world.counted(), world.backend.call(.get, "users/alice/accounts").body)
            for order in [Array(recorded), recorded.reversed(), recorded.shuffled() + recorded.shuffled()] {
                for message in order {
                    let status = try await world.line.replay(message)
                    #expect([200, 400, 409].contains(status.code))
                }
            }
            for (message, other) in zip(recorded, recorded.dropFirst()) {
                let spliced = Array(message.prefix(message.count / 2)) + Array(other.suffix(other.count - other.count / 2))
                #expect([400, 409].contains(try await world.line.replay(spliced).code))
            }
            let after = try await (world.counted(), world.backend.call(.get, "users/alice/accounts").body)
            #expect(before.0 == after.0)
            #expect(before.1 == after.1)
            #expect(try await world.backend.isLoggedIn(enrolled))
            for nonce in nonces { #expect(try await world.backend.isLoggedIn(nonce) == false) }
        }
    }

    @Test("Attack 13 on one node: a stop that was acknowledged is false in every getSession that begins afterwards, whatever runs beside it")
    func stopIsFinal() async throws {
        let rounds = DatabaseEngine.current == .sqlite ? 5 : 2
        try await ServersFixture.run { world in
            let phone = try world.phone(isWatching: true)
            try await world.enrol(phone)
            for _ in 0..<rounds {
                let app = try await phone.logInToApp()
                let webNonce = try #require(app.end.session?.webNonce)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for _ in 0..<15 {
                                _ = try await world.backend.isLoggedIn(webNonce)
                                _ = try? await phone.ostiary.refresh()
                            }
                        }
                    }
                    try await world.backend.logOut(webNonce)
                    for _ in 0..<20 { #expect(try await world.backend.isLoggedIn(webNonce) == false) }
                    try await group.waitForAll()
                }
                #expect(try await world.backend.isLoggedIn(webNonce) == false)
                _ = try await phone.until { event -> Bool? in if case .sessionStop(let session) = event, session.isAppLogin { true } else { nil } }
            }
        }
    }
}
