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
        return try await send(ticket, by: keys, about: ticket.attempt.value.attemptID, sealed: sealed, receipts: receipts, now: now)
    }

    func prove(_ proof: SecondFactorProof, now: Instant) async throws -> SecondFactorAnswer {
        let keys = try await keyring.keys(of: proof.server)
        return try await send(proof.message(signedBy: keys.operatorKey), by: keys, about: proof.attempt, receipts: proof.receipts, now: now)
    }

    func close(_ instance: InstanceID, at server: ServerID, now: Instant) async throws -> Status {
        let keys = try await keyring.keys(of: server)
        return try await send(Close(serverID: server, instanceID: instance, time: now), by: keys, about: nil, now: now).status
    }

    func leave(_ deviceKey: [UInt8], _ instance: InstanceID, at server: ServerID, now: Instant) async throws -> Status {
        let keys = try await keyring.keys(of: server)
        let message = Leave(serverID: server, instanceID: instance, deviceKey: deviceKey, time: now)
        return try await send(message, by: keys, about: nil, now: now).status
    }

    func reset(_ instance: InstanceID, at server: ServerID, now: Instant) async throws -> Status {
        let keys = try await keyring.keys(of: server)
        return try await send(Reset(serverID: server, instanceID: instance, time: now), by: keys, about: nil, now: now).status
    }

    private func send(
        _ message: some OperatorSigned, by keys: ServerKeys, about attempt: AttemptID?, sealed: [UInt8] = [], receipts: KnownReceipts = .none,
        now: Instant
    ) async throws(Refusal) -> SecondFactorAnswer {
        let signed = Encoded(message, signedBy: keys.operatorKey)
        let call = SecondFactorCall(
            caller: keys.chain, message: signed.bytes, sealed: sealed, receipt: receipts.newest, pinReceipt: receipts.newestByPIN)
        guard let bytes = try? await gateway.call(call), let answer = try? Encoded<SecondFactorAnswer>(decoding: bytes),
            await isSigned(answer, at: now), answer.value.attemptID.bytes == attempt?.bytes ?? [UInt8](repeating: 0, count: 16)
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
