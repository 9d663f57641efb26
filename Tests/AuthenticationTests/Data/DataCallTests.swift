import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Data of the service behind a virtual server (protocol §10)", .timeLimit(.minutes(10)))
struct DataCallTests {
    /// A virtual server with a Data Service, and a phone with an account that nobody is logged in with.
    private struct Scene {
        let world: DomainFixture
        let phone: TestPhone
        /// Somebody else's, with an account at the same server.
        let other: TestPhone

        init(hasService: Bool = true) async throws {
            world = try await DomainFixture()
            phone = try await world.enrolledPhone()
            other = try await world.enrolledPhone("bob", name: "other phone")
            if hasService { try await Self.offer(at: world) }
        }

        static func offer(at world: DomainFixture) async throws {
            let address = try #require(ServiceAddress("https://data.example/"))
            _ = try await world.dataServices.set(address, patience: 5, at: world.server, by: .backend, now: world.now)
        }

        var account: AccountID { get throws { try #require(phone.account) } }

        func asking(
            _ payload: [UInt8] = [1, 2], _ call: CallID? = nil, about account: AccountID? = nil, by another: TestPhone? = nil
        ) throws -> Outgoing {
            let message = GetData(accountID: try account ?? self.account, callID: call ?? CallID(using: phone.random), payload: payload)
            return try (another ?? phone).fresh(try #require(message))
        }

        func data(_ payload: [UInt8] = [1, 2], _ call: CallID? = nil) async throws -> [UInt8] {
            try ServiceData(decoding: try await world.deliver(try asking(payload, call)).body).data
        }

        func refusal() async throws -> Refusal { try await world.refusal(of: try asking()) }
    }

    @Test("S0-03 a device asks without a login and without a second factor, and has what the service answered, byte for byte, also nothing")
    func verbatim() async throws {
        let scene = try await Scene()
        #expect(try await scene.data([1, 2, 3]) == [3, 2, 1])
        let (call, account) = (try #require(scene.world.dataService.asked.first), try scene.account)
        #expect(call.payload == [1, 2, 3] && call.account == account && call.userID == "alice")
        for bytes in [[], [0xFF, 0], [UInt8](repeating: 7, count: 65_000)] {
            scene.world.dataService.answer { _ in .bytes(bytes) }
            #expect(try await scene.data() == bytes)
        }
        scene.world.dataService.answer { _ in .bytes([UInt8](repeating: 7, count: 65_001)) }
        #expect(try await scene.refusal() == .service(.answer))
    }

    @Test("A service of the other kind, and one of the neighbour, is none; from the next call on what an operator said counts")
    func notOffered() async throws {
        let scene = try await Scene(hasService: false)
        let address = try #require(ServiceAddress("https://data.example/"))
        _ = try await scene.world.tokenServices.set(address, patience: 5, at: scene.world.server, by: .backend, now: scene.world.now)
        _ = try await scene.world.dataServices.set(address, patience: 5, at: scene.world.neighbour.server, by: .backend, now: scene.world.now)
        let message = try scene.asking()
        #expect(try await scene.world.refusal(of: message) == .notOffered)
        #expect(scene.world.dataService.asked.isEmpty)
        try await Scene.offer(at: scene.world)
        #expect(try await scene.data() == [2, 1])
        try await scene.world.dataServices.remove(at: scene.world.server, by: .backend, now: scene.world.now)
        #expect(try await scene.refusal() == .notOffered)
    }

    @Test("The name of a call is that of its account, its id and its content: no try changes it, and no other call has it")
    func named() async throws {
        let scene = try await Scene()
        let call = CallID(using: scene.phone.random)
        let message = try scene.world.seal(try scene.asking([1], call))
        _ = try await scene.world.receive(message.bytes)
        #expect(try await scene.world.refusal { _ = try await scene.world.receive(message.bytes) } == .replayed)
        #expect(scene.world.dataService.asked.count == 1, "a copy asks nobody")
        _ = try await scene.data([1], call)
        _ = try await scene.data([2], call)
        _ = try await scene.data([1])
        let theirs = GetData(accountID: try #require(scene.other.account), callID: call, payload: [1])
        _ = try await scene.world.deliver(try scene.other.fresh(try #require(theirs)))
        let ids = scene.world.dataService.asked.map(\.id)
        #expect(ids.count == 5 && ids[0] == ids[1] && Set(ids).count == 4)
        let account = try scene.account
        #expect(ids[0] == H(.call, account.bytes + call.bytes + SHA([1])))
    }

    @Test("Who may not ask is told so, and the service hears nothing of them")
    func notAllowed() async throws {
        let scene = try await Scene()
        let world = scene.world
        #expect(try await world.refusal(of: try scene.asking(by: scene.other)) == .badSignature)
        #expect(try await world.refusal(of: try scene.asking(about: AccountID(using: world.random))) == .accountUnknown)
        var moved = try scene.asking()
        moved.sentAt = moved.sentAt + 1
        #expect(try await world.refusal(of: moved) == .badSignature, "a signature is of its own request")
        #expect(world.dataService.asked.isEmpty)
    }

    @Test("A blocked account and a deleted one ask nothing; and whoever is blocked while the service thinks has no answer, nor a word of how it went")
    func unusable() async throws {
        let blocked = try await Scene()
        _ = try await blocked.world.accounts.setBlocked(true, try blocked.account, at: blocked.world.server, by: .backend, now: blocked.world.now)
        #expect(try await blocked.refusal() == .accountBlocked)
        let deleted = try await Scene()
        try await deleted.world.accounts.delete(try deleted.account, at: deleted.world.server, by: .backend, now: deleted.world.now)
        #expect(try await deleted.refusal().status == .accountDeleted)
        #expect(blocked.world.dataService.asked.isEmpty && deleted.world.dataService.asked.isEmpty)
        for answer in [ServiceAnswer.bytes([9]), .trouble(.refused)] {
            let scene = try await Scene()
            let account = try scene.account
            scene.world.dataService.answer { _ in
                _ = try? await scene.world.accounts.setBlocked(true, account, at: scene.world.server, by: .backend, now: scene.world.now)
                return answer
            }
            #expect(try await scene.refusal() == .accountBlocked)
            #expect(scene.world.dataService.asked.count == 1)
        }
    }

    @Test(
        "Each trouble of the service has a status of its own",
        arguments: [
            (ServiceTrouble.unavailable, Status.serviceUnavailable), (.refused, .serviceRefused), (.answer, .serviceAnswer),
        ])
    func trouble(_ trouble: ServiceTrouble, _ status: Status) async throws {
        let scene = try await Scene()
        scene.world.dataService.answer { _ in .trouble(trouble) }
        let refusal = try await scene.refusal()
        #expect(refusal == .service(trouble) && refusal.status == status)
        scene.world.dataService.answer { _ in .bytes([1]) }
        #expect(try await scene.data() == [1], "the place was given back")
    }

    @Test("Of sixteen tries of one call one asks the service; the others are told to come again, and another call is not held up by it")
    func oneAtATime() async throws {
        let scene = try await Scene()
        let call = CallID(using: scene.phone.random)
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        scene.world.dataService.answer { call in
            guard call.payload == [1] else { return .bytes([2]) }
            asking.finish()
            for await _ in gate {}
            return .bytes([1])
        }
        let first = Task { try await scene.data([1], call) }
        for await _ in asked {}
        for _ in 1..<16 {
            let refusal = try await scene.world.refusal(of: try scene.asking([1], call))
            #expect(refusal == .tooManyCalls(.same) && refusal.status == .busy)
        }
        #expect(try await scene.data([7]) == [2])
        opening.finish()
        #expect(try await first.value == [1])
        #expect(scene.world.dataService.asked.filter { $0.payload == [1] }.count == 1)
        #expect(try await scene.data([1], call) == [1], "the name was given back")
    }

    @Test("An account asks sixty times in a minute; tokens have a count of their own, and the next minute is new")
    func oftenest() async throws {
        let scene = try await Scene()
        // To the beginning of a minute.
        scene.world.pass(60 - scene.world.now.seconds % 60)
        for _ in 0..<60 { _ = try await scene.data() }
        let refusal = try await scene.refusal()
        #expect(refusal == .tooManyCalls(.ofAccount) && refusal.status == .tooMany)
        #expect(scene.world.dataService.asked.count == 60)
        scene.world.pass(60)
        #expect(try await scene.data() == [2, 1])
    }
}
