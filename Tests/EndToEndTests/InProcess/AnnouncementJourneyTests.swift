import Foundation
import HTTPTypes
import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

/// What a backend says of a login, on its way to the person and back, through both real servers and the SDK.
@Suite("A login that is announced", .onBothEngines)
struct AnnouncementJourneyTests {
    private static let png = Data(TestPicture.png())

    private func enrolled(_ world: ServersFixture) async throws -> FixturePhone {
        let phone = try world.phone()
        try await world.enrol(phone)
        return phone
    }

    private func question(_ phone: FixturePhone) async throws -> (Session, [Account]) {
        try await phone.until { event in
            if case .confirmLogin(let session, let accounts) = event { return (session, accounts) }
            return nil
        }
    }

    @Test("S4-08, 09, 10, 11, 13, 14: texts and logo of the REST call stand on the phone, and what the person adds comes back by getSession")
    func thereAndBack() async throws {
        try await ServersFixture.run { world in
            let phone = try await enrolled(world)
            let nonce = world.backend.newNonce()
            let code = try await world.backend.call(
                .post, "sessions/qr/login", nonce: nonce,
                json: """
                    {"announceinfo":{"info":{"order":"7 lamps","sum":"128.00 EUR"},"logo":"\(Self.png.base64EncodedString())","useragent":"Firefox"},
                     "sessioninfo":{"info":{"cart":"42"}}}
                    """)
            #expect(code.status == 200)
            phone.ostiary.start(with: code.body)
            let (session, accounts) = try await question(phone)
            #expect(session.info.announceInfo == ["order": "7 lamps", "sum": "128.00 EUR"])
            #expect(session.info.announceLogo == Self.png)
            phone.ostiary.setAccount(accounts.first, for: session, with: "leave it at the door")
            let asked = try await phone.until { if case .secondFactorStarted(let factor) = $0 { factor.secondFactorInfo } else { nil } }
            #expect(asked.maxAttempts == 5 && asked.failedAttempts == 0, "how many tries there are is known since the enrolment")
            phone.enter(Person.pin)
            _ = try #require(try await phone.until(FixturePhone.end).session)
            let status = try await world.backend.session(nonce)
            #expect(status["userinput"]?.string == "leave it at the door")
            #expect(status["sessioninfo"]?["info"]?["cart"]?.string == "42")
            #expect(status["pinattemptsfailed"]?.int == 0)
        }
    }

    @Test("S4-07: an account that the backend selected is the only one on offer")
    func preselected() async throws {
        try await ServersFixture.run { world in
            let phone = try await enrolled(world)
            let second = world.backend.newNonce()
            let end = try await phone.enrol(try await world.backend.enrolCode(second, name: "Bo", user: "bo")) { code in
                let status = try await world.backend.confirm(second, code)
                #expect(status == 200)
            }
            let account = try #require(end.session?.account)
            let nonce = world.backend.newNonce()
            let code = try await world.backend.call(.post, "sessions/qr/login?accountid=\(account.id)", nonce: nonce)
            phone.ostiary.start(with: code.body)
            let (session, offered) = try await question(phone)
            #expect(offered.map(\.id) == [account.id])
            let other = try #require(phone.ostiary.accounts?.first { $0.id != account.id })
            phone.ostiary.setAccount(other, for: session)
            let refusal: OstiaryError = try await phone.until { if case .error(let error, _) = $0 { error } else { nil } }
            #expect(refusal == .accountNotOffered)
            phone.ostiary.stop(session)
        }
    }
}
