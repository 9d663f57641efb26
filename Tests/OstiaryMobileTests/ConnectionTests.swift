import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Connection", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test("An unreachable server is error 70 at once; the SDK goes on trying, longer and longer apart, and goes on when it is back")
    func recovers() async throws {
        let phone = try await TestPhone.enrolled()
        let link = try await phone.server.makeLoginLink()
        await phone.server.with { $0.mishaps.isDown = true }
        let before = phone.clock.waits.count
        phone.ostiary.start(with: link)
        let (error, session) = try await phone.failure()
        #expect(error == .serverConnection && error.code == 70 && error.advice == .retry)
        #expect(session?.state == .starting && session?.connectionError == true)
        try await waiting(while: phone.clock.waits.count < before + 3)
        await phone.server.with { $0.mishaps.isDown = false }
        let (confirmed, _) = try await phone.confirmLogin()
        #expect(!confirmed.connectionError)
        #expect(Array(phone.clock.waits.dropFirst(before).prefix(3)) == [1, 2, 4])
    }

    @Test("When the configured patience is over the session ends with error 70")
    func givesUp() async throws {
        let phone = try await TestPhone.enrolled { $0.connectionPatience = .seconds(40) }
        let link = try await phone.server.makeLoginLink()
        await phone.server.with { $0.mishaps.isDown = true }
        let before = phone.clock.waits.count
        phone.ostiary.start(with: link)
        #expect(try await phone.finalFailure() == .serverConnection)
        #expect(Array(phone.clock.waits.dropFirst(before)) == [1, 2, 4, 8, 15, 10])
        phone.ostiary.start(with: link)
        #expect(try await phone.failure().0 == .serverConnection, "and the next may begin")
    }

    @Test(
        "An HTTP status without a message of ours is a server that may recover, or one that does not speak with us",
        arguments: [
            (503, OstiaryError.serverConnection), (429, .serverConnection), (400, .serverAnswer), (404, .serverAnswer), (302, .serverAnswer),
        ])
    func httpStatuses(_ status: Int, _ error: OstiaryError) async throws {
        let phone = try await TestPhone.enrolled()
        let link = try await phone.server.makeLoginLink()
        await phone.server.with { $0.mishaps.httpStatus = status }
        phone.ostiary.start(with: link)
        #expect(try await phone.failure().0 == .serverConnection, "either way it is tried again")
        #expect(try await phone.finalFailure() == error)
    }

    @Test("404 in the place of the bundle, as a proxy says it while the server starts, is no answer and no impostor: the login goes on")
    func bundleMissing() async throws {
        let enrolled = try await TestPhone.enrolled()
        await enrolled.server.with { $0.mishaps.bundleStatus = 404 }
        // The phone that enrolled sleeps on, and asks for no bundle; one that is started anew finds what it has of the server too old.
        enrolled.clock.setWall(by: 2 * 86_400)
        let phone = TestPhone(enrolled.server, accounts: enrolled.accounts, keys: enrolled.keys)
        let asked = await phone.server.with { $0.bundleCalls }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.failure().0 == .serverConnection, "it is tried again")
        #expect(await phone.server.with { $0.bundleCalls } > asked)
        _ = try await phone.confirmLogin()
    }

    @Test("An unknown prekey brings the new bundle, and the request goes out once more")
    func newPrekey() async throws {
        let phone = try await TestPhone.enrolled()
        phone.clock.advance(10)
        let now = phone.clock.wall
        try await phone.server.with { server in
            try server.keys.rotatePrekey()
            server.bundleSequence = Instant(now)
        }
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        let state = try StoredState(decoding: phone.accounts.document)
        #expect(state.servers.map(\.sequence) == [now], "and is kept")
    }

    @Test("A wrong clock is put right by the server's signed one", arguments: [-86_400, 3_600, 172_800])
    func wrongClock(_ seconds: Int64) async throws {
        let phone = try await TestPhone.enrolled()
        let ahead = phone.clock.wall + 200_000
        await phone.server.with { $0.mishaps.clockAhead = 200_000 }
        phone.clock.setWall(by: seconds)
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(ahead > 0)
    }

    @Test("A clock outside the life of every server key is told as that, not as a false server")
    func clockOutsideCertificates() async throws {
        let phone = try await TestPhone.enrolled()
        phone.clock.setWall(by: 400 * 86_400)
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        next.ostiary.start(with: try await phone.server.makeLoginLink())
        let error = try await next.finalFailure()
        #expect(error == .clockWrong && error.advice == .askUser)
    }

    @Test("An answer signed by an operational key that the bundle did not have yet counts, after one look at a new bundle")
    func newOperatorKey() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        try await phone.server.with { server in
            try server.keys.replaceOperatorKey(certifiedBy: server.keys.root, at: server.now)
            server.received = []
        }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(await phone.server.with { $0.received.filter { $0 == .m1 }.count } == 1, "the answer is kept, the request is not made again")
    }

    @Test("A key that the pinned root did not certify is still an impostor's, whatever the new bundle says")
    func foreignOperatorKey() async throws {
        let phone = try await TestPhone.enrolled()
        let stranger = try TestServerKeys(seed: 77, at: await phone.server.with { $0.now })
        try await phone.server.with { server in try server.keys.replaceOperatorKey(certifiedBy: stranger.root, at: server.now) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverIdentity)
    }

    @Test("A stranger at the server's address is told as that, also to a phone that holds a good bundle")
    func stranger() async throws {
        let enrolled = try await TestPhone.enrolled()
        let stranger = try TestServer(clock: enrolled.clock, seed: 0x21)
        let phone = TestPhone(stranger, accounts: enrolled.accounts, keys: enrolled.keys)
        phone.ostiary.start(with: try await enrolled.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(await stranger.with { $0.received.isEmpty })
    }

    @Test("A lost answer to the decision is asked for again, and the first outcome stands")
    func lostDecision() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        await phone.server.with { $0.mishaps.lostAnswers[.l5] = 2 }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(await phone.server.with { $0.received.filter { $0 == .l5 }.count } == 3)
    }

    @Test("The code of a new account is shown even if the server is gone straight after it was made")
    func codeWithoutServer() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        await phone.server.with { $0.mishaps.lostAnswers[.w1] = 4 }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        await phone.server.confirmAccounts()
        _ = try await phone.login()
    }

    @Test("A store that cannot be read gives no accounts, and nothing is begun")
    func unreadableStore() async throws {
        let phone = try await TestPhone.enrolled()
        let accounts = MemoryAccountStore()
        accounts.isUnavailable = true
        let locked = TestPhone(phone.server, accounts: accounts, keys: phone.keys)
        #expect(locked.ostiary.accounts == nil)
        #expect(try await locked.failure().0 == .storeUnavailable)
        locked.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await locked.failure().0 == .storeUnavailable)
        accounts.isUnavailable = false
        accounts.document = phone.accounts.document
        locked.ostiary.start(with: try await phone.server.makeLoginLink())
        _ = try await locked.confirmLogin()
        #expect(locked.ostiary.accounts?.count == 1, "S1-19")
    }

    @Test("A damaged store is reported and never overwritten")
    func damagedStore() async throws {
        let server = try TestServer(clock: TestClock())
        let accounts = MemoryAccountStore()
        accounts.document = Array("{\"version\":".utf8)
        let phone = TestPhone(server, accounts: accounts)
        #expect(try await phone.failure().0 == .storeUnreadable)
        phone.ostiary.start(with: try await server.makeEnrolLink())
        #expect(try await phone.failure().0 == .storeUnreadable)
        #expect(accounts.document == Array("{\"version\":".utf8))
    }
}
