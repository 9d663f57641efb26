import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Tokens of the service behind a virtual server")
struct TokenCallTests {
    /// A virtual server with a token service, and a phone that is logged in to its app.
    private struct Scene {
        let world: DomainFixture
        let phone: TestPhone
        /// Somebody else's, with an account at the same server.
        let other: TestPhone
        let session: SessionID
        let webNonce: String

        init(hasService: Bool = true) async throws {
            world = try await DomainFixture()
            phone = try await world.enrolledPhone()
            other = try await world.enrolledPhone("bob", name: "other phone")
            if hasService { try await Self.offer(at: world) }
            let login = try await phone.appLogIn()
            (session, webNonce) = (login.session, login.webNonce)
        }

        static func offer(at world: DomainFixture) async throws {
            let address = try #require(ServiceAddress("https://tokens.example/token"))
            _ = try await world.tokenServices.set(address, patience: 5, at: world.server, by: .backend, now: world.now)
        }

        func asking(_ call: CallID? = nil, about other: SessionID? = nil, by another: TestPhone? = nil) throws -> Outgoing {
            try (another ?? phone).fresh(GetToken(sessionID: other ?? session, callID: call ?? CallID(using: phone.random)))
        }

        func token(_ call: CallID? = nil) async throws -> [UInt8] {
            try ServiceToken(decoding: try await world.deliver(try asking(call)).body).token
        }

        func refusal() async throws -> Refusal { try await world.refusal(of: try asking()) }
    }

    @Test("S0-27 the app has what the service answered, byte for byte, as long as an answer of ours can carry it")
    func verbatim() async throws {
        let scene = try await Scene()
        for bytes in [Array("{\"access_token\":\"x\"}\n".utf8), [0x00, 0xFF, 0xC3, 0x28], [UInt8](repeating: 7, count: 65_000)] {
            scene.world.tokenService.answer { _ in .bytes(bytes) }
            #expect(try await scene.token() == bytes)
        }
        for bytes in [[], [UInt8](repeating: 7, count: 65_001)] {
            scene.world.tokenService.answer { _ in .bytes(bytes) }
            #expect(try await scene.refusal() == .service(.answer))
        }
    }

    @Test("S0-30 the service is told who is logged in, since when and how strongly, and nothing of the webNonce")
    func facts() async throws {
        let scene = try await Scene()
        let loggedInAt = scene.world.now
        scene.world.pass(10)
        _ = try await scene.token()
        let call = try #require(scene.world.tokenService.asked.first)
        #expect(call.session == scene.session && call.userID == "alice" && call.account == scene.phone.account)
        #expect(call.device == scene.phone.instance && call.loggedInAt == loggedInAt)
        #expect(call.authentication.amr == ["mfa", "pin", "pop"] && call.authentication.acr == "mfa" && call.authentication.binding == "app")
        var told = ""
        dump(call, to: &told)
        #expect(!told.contains(scene.webNonce))
    }

    @Test("S0-02 S0-32 a virtual server without a token service gives none, whatever its neighbour has, and spends nothing on saying so")
    func notOffered() async throws {
        let scene = try await Scene(hasService: false)
        let address = try #require(ServiceAddress("https://tokens.example/"))
        _ = try await scene.world.tokenServices.set(address, patience: 5, at: scene.world.neighbour.server, by: .backend, now: scene.world.now)
        let message = try scene.asking()
        #expect(try await scene.world.refusal(of: message) == .notOffered)
        #expect(Refusal.notOffered.status == .notOffered && scene.world.tokenService.asked.isEmpty)
        try await Scene.offer(at: scene.world)
        #expect(try await scene.token() == [1, 2, 3])
        try await scene.world.tokenServices.remove(at: scene.world.server, by: .backend, now: scene.world.now)
        #expect(try await scene.refusal() == .notOffered)
    }

    @Test("A copy of a request asks nobody; the same call sealed anew is asked again under the same name, and no other call has it")
    func repeated() async throws {
        let scene = try await Scene()
        let call = CallID(using: scene.phone.random)
        let message = try scene.world.seal(try scene.asking(call))
        _ = try await scene.world.receive(message.bytes)
        #expect(try await scene.world.refusal { _ = try await scene.world.receive(message.bytes) } == .replayed)
        #expect(scene.world.tokenService.asked.count == 1)
        _ = try await scene.token(call)
        _ = try await scene.token()
        let ids = scene.world.tokenService.asked.map(\.id)
        #expect(ids.count == 3 && ids[0] == ids[1] && ids[2] != ids[0])
        #expect(ids[0] == H(.call, scene.session.bytes + call.bytes), "so that nobody can name the call of another session")
    }

    @Test("Who may not ask is told so, and the service hears nothing of them")
    func notAllowed() async throws {
        let scene = try await Scene()
        let world = scene.world
        #expect(try await world.refusal(of: try scene.asking(by: scene.other)) == .sessionOfAnother)
        #expect(try await world.refusal(of: try scene.asking(about: SessionID(using: world.random))) == .sessionUnknown)
        var moved = try scene.asking()
        moved.sentAt = moved.sentAt + 1
        #expect(try await world.refusal(of: moved) == .sessionOfAnother, "a signature is of its own request")
        #expect(Refusal.sessionOfAnother.status == .sessionUnknown, "nobody learns that there is such a session")
        let page = try #require(try await scene.phone.logIn().sessionID)
        #expect(try await world.refusal(of: try scene.asking(about: page)) == .notAppLogin)
        #expect(world.tokenService.asked.isEmpty)
    }

    @Test("A login that is over has no token, by a stop, by its deadline and by a block; also where it ends while the service thinks")
    func over() async throws {
        let stopped = try await Scene()
        _ = try await stopped.phone.stop(stopped.session)
        #expect(try await stopped.refusal() == .sessionOver)
        let late = try await Scene()
        late.world.pass(316)
        #expect(try await late.refusal() == .sessionOver)
        #expect(stopped.world.tokenService.asked.isEmpty && late.world.tokenService.asked.isEmpty)

        for trouble in [nil, ServiceTrouble.refused] {
            let scene = try await Scene()
            scene.world.tokenService.answer { _ in
                _ = try? await scene.phone.stop(scene.session)
                return trouble.map { .trouble($0) } ?? .bytes([9])
            }
            #expect(try await scene.refusal() == .sessionOver)
            #expect(scene.world.tokenService.asked.count == 1)
        }
        let slow = try await Scene()
        slow.world.tokenService.answer { _ in
            slow.world.pass(316)
            return .bytes([9])
        }
        #expect(try await slow.refusal() == .sessionOver, "the clock is read when the service has answered")
    }

    @Test(
        "S0-02 each trouble of the service has a status of its own",
        arguments: [
            (ServiceTrouble.unavailable, Status.serviceUnavailable), (.refused, .serviceRefused), (.answer, .serviceAnswer),
        ])
    func trouble(_ trouble: ServiceTrouble, _ status: Status) async throws {
        let scene = try await Scene()
        scene.world.tokenService.answer { _ in .trouble(trouble) }
        let refusal = try await scene.refusal()
        #expect(refusal == .service(trouble) && refusal.status == status)
        #expect(try await scene.phone.ping(scene.session).state == .loggedIn, "the login goes on")
    }

    @Test("What an HTTP status means: a token, no, not now, or no answer that a token service has")
    func statuses() {
        #expect(ServiceTrouble(status: 200) == nil)
        for status in [400, 403, 404, 409, 410, 413, 422, 451, 499] { #expect(ServiceTrouble(status: status) == .refused, "\(status)") }
        for status in [401, 407, 408, 425, 429, 500, 502, 503, 504, 599] {
            #expect(ServiceTrouble(status: status) == .unavailable, "\(status)")
        }
        for status in [201, 202, 204, 206, 301, 302, 303, 307, 308, 600, 999] { #expect(ServiceTrouble(status: status) == .answer, "\(status)") }
    }

    @Test("An account asks twelve times in a minute; copies cost none of them, others have their own, and the next minute is new")
    func oftenest() async throws {
        let scene = try await Scene()
        // To the beginning of a minute.
        scene.world.pass(60 - scene.world.now.seconds % 60)
        let first = try scene.world.seal(try scene.asking())
        _ = try await scene.world.receive(first.bytes)
        for _ in 0..<20 { _ = try? await scene.world.receive(first.bytes) }
        for _ in 1..<12 { _ = try await scene.token() }
        let refusal = try await scene.refusal()
        #expect(refusal == .tooManyCalls(.ofAccount) && refusal.status == .tooMany)
        #expect(scene.world.tokenService.asked.count == 12)
        let login = try await scene.other.appLogIn()
        let message = try scene.other.fresh(GetToken(sessionID: login.session, callID: CallID(using: scene.other.random)))
        #expect(try await scene.world.deliver(message).status == .ok)
        scene.world.pass(60)
        #expect(try await scene.token() == [1, 2, 3])
    }

    @Test("A virtual server has 64 calls under way at once: one more is told to come again, its neighbour's are not, and each place is given back")
    func crowded() throws {
        let limits = ServiceCallLimits(mostInMinute: 12)
        let (server, neighbour) = (ServerID(using: SeededRandom("one")), ServerID(using: SeededRandom("two")))
        let random = SeededRandom("accounts")
        let now = Instant(1_800_000_000)
        let accounts = (0..<65).map { _ in AccountID(using: random) }
        for account in accounts.prefix(64) { try limits.begin(account, at: server, now: now) }
        #expect(throws: Refusal.tooManyCalls(.underWay)) { try limits.begin(accounts[64], at: server, now: now) }
        #expect(Refusal.tooManyCalls(.underWay).status == .busy)
        try limits.begin(accounts[64], at: neighbour, now: now)
        limits.end(accounts[0], at: server)
        try limits.begin(accounts[0], at: server, now: now)
        #expect(limits.underWay(at: server) == 64 && limits.underWay(at: neighbour) == 1)
        for account in accounts.prefix(64) { limits.end(account, at: server) }
        #expect(limits.underWay(at: server) == 0)
    }

    @Test("A88 of one account eight calls are under way at once: one more is told to come again and not counted, and others have their places")
    func oneAccount() throws {
        let limits = ServiceCallLimits(mostInMinute: 60)
        let (server, random, now) = (ServerID(using: SeededRandom("one")), SeededRandom("accounts"), Instant(1_800_000_000))
        let (slow, other) = (AccountID(using: random), AccountID(using: random))
        for _ in 0..<8 { try limits.begin(slow, at: server, now: now) }
        for _ in 0..<100 {
            #expect(throws: Refusal.tooManyCalls(.underWayOfAccount)) { try limits.begin(slow, at: server, named: [1], now: now) }
        }
        #expect(Refusal.tooManyCalls(.underWayOfAccount).status == .busy)
        try limits.begin(other, at: server, now: now)
        for _ in 0..<52 {
            limits.end(slow, at: server)
            try limits.begin(slow, at: server, now: now)
        }
        limits.end(slow, at: server)
        #expect(throws: Refusal.tooManyCalls(.ofAccount)) { try limits.begin(slow, at: server, now: now) }
        #expect(limits.underWay(at: server) == 8)
    }

    @Test("A call gives its place back whatever came of it")
    func places() async throws {
        let scene = try await Scene()
        let limits = ServiceCallLimits(mostInMinute: 12)
        let tokens = TokenCallService(store: scene.world.store, limits: limits)
        for answer in [ServiceAnswer.bytes([1]), .bytes([]), .trouble(.unavailable)] {
            let request = PhoneRequest(
                server: scene.world.server, opened: try OpenedRequest(try scene.world.seal(try scene.asking()).bytes, with: scene.world.keys.prekey),
                now: scene.world.now)
            let ask = { @Sendable (_: TokenServiceCall) async -> ServiceAnswer in
                #expect(limits.underWay(at: scene.world.server) == 1)
                return answer
            }
            _ = try? await tokens.answer(request, clock: { scene.world.now }, ask: ask)
            #expect(limits.underWay(at: scene.world.server) == 0)
        }
    }
}
