import OstiaryProtocol

/// Signs what goes to the second-factor server and believes only what it signed.
package struct SecondFactorClient: Sendable {
    private let gateway: any SecondFactorGateway
    private let keyring: any ServerKeyring

    package init(gateway: any SecondFactorGateway, keyring: any ServerKeyring) {
        self.gateway = gateway
        self.keyring = keyring
    }

    /// The prekey to which phones seal what only the second-factor server may read.
    func prekey(at now: Instant) async throws(Refusal) -> Encoded<Prekey> {
        if let prekey = (try? await gateway.identity())?.prekey(at: now) { return prekey }
        guard let prekey = (try? await gateway.refreshedIdentity())?.prekey(at: now) else { throw .secondFactorUnavailable }
        return prekey
    }

    func ask(_ ticket: Ticket, sealed: [UInt8], receipts: KnownReceipts, now: Instant) async throws -> SecondFactorAnswer {
        let keys = try await keyring.keys(of: ticket.serverID)
        let call = Call(Encoded(ticket, signedBy: keys.operatorKey).bytes, sealed: sealed, receipts: receipts)
        return try await send(call, by: keys, about: ticket.attempt.value.attemptID, now: now)
    }

    func prove(_ proof: SecondFactorProof, now: Instant) async throws -> SecondFactorAnswer {
        let keys = try await keyring.keys(of: proof.server)
        let message = Encoded(proof.message(signedBy: keys.operatorKey), signedBy: keys.operatorKey)
        return try await send(Call(message.bytes, receipts: proof.receipts), by: keys, about: proof.attempt, now: now)
    }

    func close(_ instance: InstanceID, at server: ServerID, now: Instant) async throws -> Status {
        try await send(Close(serverID: server, instanceID: instance, time: now), of: server, now: now)
    }

    func leave(_ deviceKey: [UInt8], _ instance: InstanceID, at server: ServerID, now: Instant) async throws -> Status {
        try await send(Leave(serverID: server, instanceID: instance, deviceKey: deviceKey, time: now), of: server, now: now)
    }

    func reset(_ instance: InstanceID, at server: ServerID, now: Instant) async throws -> Status {
        try await send(Reset(serverID: server, instanceID: instance, time: now), of: server, now: now)
    }

    /// An order, whose answer must name these very bytes: one that was recorded, of an earlier order, is none.
    private func send(_ order: some SecondFactorOrder, of server: ServerID, now: Instant) async throws -> Status {
        let keys = try await keyring.keys(of: server)
        let signed = Encoded(order, signedBy: keys.operatorKey)
        return try await send(Call(signed.bytes), by: keys, about: signed.answerID, now: now).status
    }

    /// A signed message and what goes with it.
    private struct Call {
        let message: [UInt8]
        let sealed: [UInt8]
        let receipts: KnownReceipts

        init(_ message: [UInt8], sealed: [UInt8] = [], receipts: KnownReceipts = .none) {
            self.message = message
            self.sealed = sealed
            self.receipts = receipts
        }
    }

    /// - Parameter subject: what the answer has to name.
    private func send(_ call: Call, by keys: ServerKeys, about subject: AttemptID, now: Instant) async throws(Refusal) -> SecondFactorAnswer {
        let call = SecondFactorCall(
            caller: keys.chain, message: call.message, sealed: call.sealed, receipt: call.receipts.newest, pinReceipt: call.receipts.newestByPIN)
        guard let bytes = try? await gateway.call(call), let answer = try? Encoded<SecondFactorAnswer>(decoding: bytes),
            await isSigned(answer, at: now), answer.value.attemptID == subject
        else { throw .secondFactorUnavailable }
        return answer.value
    }

    /// Whether the second-factor server signed it; a signature that the known keys did not make is tried again with keys asked for anew.
    private func isSigned(_ answer: Encoded<SecondFactorAnswer>, at now: Instant) async -> Bool {
        if let known = try? await gateway.identity(), (try? answer.verify(with: known.keys, at: now)) != nil { return true }
        guard let fresh = try? await gateway.refreshedIdentity() else { return false }
        return (try? answer.verify(with: fresh.keys, at: now)) != nil
    }

    /// Whether the second-factor server signed a receipt.
    func isSigned(_ receipt: Encoded<Receipt>, at now: Instant) async -> Bool {
        guard let known = try? await gateway.identity() else { return false }
        return (try? receipt.verify(with: known.keys, at: now)) != nil
    }
}
