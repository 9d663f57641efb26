import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// The sender knows the server's prekey and seals what they like: only what is inside can stop them.
@Suite("Changed messages")
struct TamperTests {
    /// Sends the message with each byte changed, cut off at each length, and with bytes behind its end; then as it was made.
    /// - Parameter unsigned: where the message holds what nothing but the seal protects, and a changed byte may be taken for another word.
    private func tamper(_ world: DomainFixture, _ message: Outgoing, unsigned: Range<Int> = 0..<0) async throws {
        let before = try await world.snapshot()
        var changed: [(String, [UInt8])] = message.bytes.indices.filter { !unsigned.contains($0) }.map { index in
            var bytes = message.bytes
            bytes[index] ^= index.isMultiple(of: 2) ? 0x01 : 0x80
            return ("byte \(index)", bytes)
        }
        changed += message.bytes.indices.map { ("\($0) bytes", Array(message.bytes.prefix($0))) }
        changed += [("a zero behind", message.bytes + [0]), ("one more byte", message.bytes + [0xFF]), ("twice", message.bytes + message.bytes)]
        var taken: [String] = []
        for (name, bytes) in changed {
            do {
                _ = try await world.deliver(Outgoing(bytes: bytes, ephemeral: message.ephemeral, sentAt: message.sentAt))
                taken.append(name)
            } catch is Refusal {}
        }
        #expect(taken.isEmpty)
        #expect(try await world.snapshot() == before)
        _ = try await world.deliver(message)
    }

    private func ready() async throws -> (DomainFixture, TestPhone, Shown) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let question = try await phone.look(at: try await world.link())
        return (world, phone, question)
    }

    @Test("E1: whatever is changed of link, secret or key is refused, and nothing changes")
    func e1() async throws {
        let world = try await DomainFixture()
        let message = try TestPhone(world, "phone").claiming(try await world.invite())
        // After header, id, secret and key come the words about the device, which the enrolment's hash covers.
        try await tamper(world, message, unsigned: 101..<message.bytes.count)
    }

    @Test("M1 of a first PIN: whatever is changed is refused, and nothing changes")
    func firstPIN() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        try await tamper(world, try phone.settingFirstPIN(claimed).message)
    }

    @Test("E3: whatever is changed is refused, and nothing changes", arguments: [Decision.accept, .decline])
    func e3(decision: Decision) async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let tried = try await phone.setFirstPIN(claimed)
        try await tamper(world, try phone.finishing(claimed, tried, decision: decision))
    }

    @Test("W1: whatever is changed is refused, and nothing changes")
    func w1() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        try await tamper(world, try phone.waiting(for: try present(phone.account)))
    }

    @Test("L1: whatever is changed of the link or the account is refused, and nothing changes")
    func l1() async throws {
        let (world, phone, _) = try await ready()
        let scan = try phone.looking(at: try await world.link(), via: .scan)
        // Behind the account stand the words about the app, which the session's hash covers.
        try await tamper(world, scan, unsigned: 44..<scan.bytes.count)
        try await tamper(world, try phone.openingApp())
    }

    @Test("M1: whatever is changed is refused before anything is numbered or asked")
    func m1() async throws {
        let (world, phone, shown) = try await ready()
        let tickets = world.secondFactor.tickets.count
        try await tamper(world, try phone.trying(shown).message)
        #expect(world.secondFactor.tickets.count == tickets + 1)
    }

    @Test("L5: whatever is changed is refused, and nothing changes", arguments: [true, false])
    func l5(accepts: Bool) async throws {
        let (world, phone, shown) = try await ready()
        let tried = try await phone.tryPIN(shown)
        try await tamper(world, accepts ? try phone.accepting(shown, tried, userInput: "words") : try phone.refusing(shown))
    }

    @Test("Ping, Stop and Delete: whatever is changed is refused, and nothing changes")
    func presence() async throws {
        let (world, phone, _) = try await ready()
        let login = try await phone.appLogIn()
        world.pass(1)
        try await tamper(world, try phone.fresh(Ping(sessionID: login.session, hold: 3)))
        try await tamper(world, try phone.fresh(Stop(sessionID: login.session, reason: .user)))
        try await tamper(world, try phone.deleting(try present(phone.account)))
    }

    @Test("A request whose seal was touched is not opened")
    func seal() async throws {
        let (world, phone, _) = try await ready()
        let sealed = try world.seal(try phone.openingApp()).bytes
        for index in stride(from: 0, to: sealed.count, by: 7) {
            var bytes = sealed
            bytes[index] ^= 1
            #expect(throws: ExchangeError.self) { try OpenedRequest(bytes, with: world.keys.prekey) }
        }
    }
}
