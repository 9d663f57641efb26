import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer
@testable import Authentication

/// An authentication server with true keys, and with the device key of a phone, that tells the second-factor server what it likes.
struct FuzzedServer: Sendable {
    let keys: ServerKeys
    /// Signs the attempts that it makes up.
    let phone: EnrolledPhone
    /// What it said before it went wrong.
    let calls: [SecondFactorCall]
    let seed: FuzzSeed

    /// Of the messages that it sends.
    static let kinds: Set<MessageType> = [.ticket, .proof, .close, .reset, .probe, .leave]
    private static let signatureCount = OperatorSignature(keyID: [UInt8](repeating: 0, count: 8), ed25519: blankDeviceSignature).encoded.count

    /// Has two phones do everything that the second-factor server is asked or told about, and records it.
    init(at servers: ServersFixture, _ seed: FuzzSeed) async throws {
        let recorded = RecordedCalls()
        servers.secondFactor.listen { recorded.keep($0) }
        let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz")
        try await phone.logIn(try servers.nonce())
        try await phone.proveByPIN(.biometricsAdd, phone.fingerKey)
        _ = try await phone.logInByBiometric(try servers.nonce())
        // Of another instance, which may be closed again: tries go on to be counted at the first.
        let other = try await TestPhone(servers).enrol(try servers.nonce(), userID: "fuzz")
        let further = try await other.enrolFurther()
        _ = try await other.setPIN(try await other.proveByPIN(.pinChangeVerify).attempt, epoch: 2)
        let (accounts, server, now) = (servers.services.accounts, servers.server, servers.now)
        try await accounts.resetSecondFactor(of: other.account, at: server, by: .backend, now: now)
        for account in [further.account, other.account] {
            try await accounts.delete(account, at: server, by: .backend, now: now)
            try await servers.services.closes.run(at: now)
        }
        // Asks whether it is trusted.
        await servers.runBackground()
        servers.secondFactor.listen(nil)
        keys = try await servers.services.logins.keyring.keys(of: server)
        calls = try recorded.all.map { try SecondFactorCall(decoding: $0) }
        self.phone = phone
        self.seed = seed
    }

    /// A call that was made, changed and mostly signed again, so that it comes past the signature.
    func call() throws -> [UInt8] {
        guard let call = seed.pick(calls) else { return [] }
        if seed.chance(4) { return seed.mutate(call.encoded, with: calls.map(\.encoded)) }
        let message = try seed.chance(2) ? madeUp() ?? changed(call.message) : changed(call.message)
        let (other, foreign) = (seed.pick(calls) ?? call, seed.chance(8))
        return SecondFactorCall(
            caller: call.caller, message: message, sealed: call.sealed, receipt: foreign ? other.receipt : call.receipt,
            pinReceipt: seed.chance(8) ? other.receipt : call.pinReceipt
        ).encoded
    }

    private func changed(_ message: [UInt8]) throws -> [UInt8] {
        let unsigned = seed.mutate(Array(message.dropLast(Self.signatureCount)), with: calls.map(\.message))
        guard let label = Self.label(of: message) else { return unsigned }
        return unsigned + keys.operatorKey.sign(label, unsigned).encoded
    }

    private static func label(of message: [UInt8]) -> Label? {
        switch try? MessageType(of: message) {
        case .ticket: Ticket.label
        case .proof: Proof.label
        case .close: Close.label
        case .reset: Reset.label
        case .probe: Probe.label
        case .leave: Leave.label
        default: nil
        }
    }
}

/// Tickets for tries that no phone made.
extension FuzzedServer {
    /// Numbers and moments at which counters break.
    private static let edges: [UInt64] = [0, 1, 1 << 31, (1 << 62) - 1, 1 << 62, 1 << 63, .max - 1, .max]

    /// A ticket of the first phone for another attempt, under another number. Nil when nobody logged in by a PIN.
    private func madeUp() throws -> [UInt8]? {
        let tickets = calls.compactMap { try? Encoded<Ticket>(decoding: $0.message).value }
        let tries = tickets.filter { $0.attempt.value.instanceID == phone.phone.instance && $0.attempt.value.context == .verify }
        guard let ticket = seed.pick(tries) else { return nil }
        let highest = tickets.map(\.sequence).max() ?? 0
        let made = Ticket(
            serverID: ticket.serverID, sequence: number(after: highest), issuedAt: moment(near: ticket.issuedAt), payload: ticket.payload,
            attempt: try phone.phone.raw.sign(attempt(like: ticket.attempt.value)))
        return Encoded(made, signedBy: keys.operatorKey).bytes
    }

    /// Behind, next, too far for the tries that there are, or beyond what can be counted.
    private func number(after highest: UInt64) -> UInt64 {
        switch seed.below(4) {
        case 0: UInt64(seed.below(Int(highest) + 1))
        case 1: highest + 1 + UInt64(seed.below(4))
        case 2: highest + 6 + UInt64(seed.below(90))
        default: seed.pick(Self.edges) ?? 0
        }
    }

    private func moment(near now: Instant) -> Instant {
        guard seed.chance(6) else { return now }
        return seed.chance(2) ? Instant(seed.pick(Self.edges) ?? 0) : now + UInt64(seed.below(400))
    }

    /// Mostly another one of the same instance and epoch.
    private func attempt(like old: Attempt) -> Attempt {
        Attempt(
            instanceID: seed.chance(6) ? InstanceID(seed.bytes(16)) ?? old.instanceID : old.instanceID,
            attemptID: seed.chance(6) ? old.attemptID : AttemptID(seed.bytes(16)) ?? old.attemptID,
            sessionHash: seed.chance(6) ? seed.bytes(32) : old.sessionHash, context: old.context,
            epoch: seed.chance(6) ? UInt32(truncatingIfNeeded: seed.pick(Self.edges) ?? 0) : old.epoch, blindedHash: old.blindedHash,
            sealedHash: old.sealedHash, ephemeralHash: old.ephemeralHash, madeAt: moment(near: old.madeAt))
    }
}
