import OstiaryProtocol

/// M3 → M4: biometrics are added or removed, and the PIN is changed in two steps (protocol §7).
package struct SecondFactorChangeService: Sendable {
    private let store: any AuthenticationStore
    private let secondFactor: SecondFactorClient
    private let closure: InstanceClosure
    private let random: any RandomSource

    package init(store: any AuthenticationStore, events: any SessionEvents, secondFactor: SecondFactorClient, random: any RandomSource) {
        self.store = store
        self.secondFactor = secondFactor
        closure = InstanceClosure(store: store, events: events)
        self.random = random
    }

    package func complete(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(M3.self, from: request)
        let admission = ChangeAdmission(message: message, request: request)
        var found = try await store.read { rows in try admission.look(in: rows) }
        if case .newPIN = found { found = try await store.write { rows in try admission.adopt(in: rows) } }
        switch found {
        case .repeated(let change): return Reply(body: change.answer)
        case .proof(let proof), .newPIN(let proof, _): return try await take(proof, of: message.value, admission, request)
        }
    }

    /// Has a proof counted, and does what it proves.
    private func take(_ proof: SecondFactorProof, of change: M3, _ admission: ChangeAdmission, _ request: PhoneRequest) async throws -> Reply {
        let proved = try await ReceiptRequest(proof: proof, account: change.accountID, now: request.now)
            .receipt(from: secondFactor, closing: closure)
        let effect = ChangeEffect(
            change: change, decision: admission.decisionHash, proof: proof, proved: proved, newShare: random.bytes(32),
            notice: BiometricPINNotice(id: NoticeID(using: random)))
        return try await store.write { rows, former in try effect.take(in: rows, request, after: former) }
    }
}

/// What a proved M3 does, inside a transaction.
struct ChangeEffect: Sendable {
    let change: M3
    let decision: [UInt8]
    let proof: SecondFactorProof
    let proved: ProvedFactor
    /// For the PIN that a PIN_CHANGE_VERIFY vouches for.
    let newShare: [UInt8]
    /// For the PIN that a biometric alone vouched for.
    let notice: BiometricPINNotice

    /// - Parameter former: what the first look answered, in a second one.
    func take(in rows: any AuthenticationRows, _ request: PhoneRequest, after former: Reply?) throws -> Reply {
        let account = try rows.living(change.accountID, at: request.server)
        try account.checkMayLogIn()
        guard var instance = try rows.instance(of: account) else { throw Refusal.instanceWrong }
        // Two copies of the same M3 may be under way: the second finds what the first did.
        if let last = instance.lastChange, last.decision == decision { return Reply(body: last.answer) }
        // A copy that was late by more than that is answered, but undoes nothing that came after it.
        guard try rows.spend(decision, until: request.now + PhoneRequest.memory) else {
            // Done by the first look, and another change came after it.
            if let former { return former }
            throw Refusal.replayed
        }
        try request.spend(in: rows, again: former != nil)
        let kind = try apply(to: &instance, at: request.now)
        instance.keep(proved.receipt)
        let answer = M4(epoch: proof.epoch, withoutPINLeft: proved.tries.withoutPINLeft).encoded
        instance.lastChange = FinishedChange(decision: decision, answer: answer)
        try rows.save(instance)
        if change.context == .pinChangeSet, proof.method == .bio { try notice.tell(ofChangeOn: instance.id, in: rows, at: request.now) }
        if let kind { try rows.record(AuditEntry(kind, server: request.server, account: account.id, by: .phone, at: request.now)) }
        return Reply(body: answer)
    }

    /// Answers what is to be written down of it.
    private func apply(to instance: inout Instance, at now: Instant) throws(Refusal) -> AuditEntry.Kind? {
        switch change.context {
        case .biometricsAdd:
            instance.biometricKey = change.payload
            return .biometricsAdded
        case .biometricsRemove:
            instance.biometricKey = nil
            return .biometricsRemoved
        case .pinChangeVerify:
            instance.pinChange = PINChange(
                attempt: change.attemptID, account: change.accountID, methods: proof.method, verifiedAt: now, epoch: proof.epoch,
                serverShare: instance.shareDrawn(after: proof.epoch) ?? StoredSecret(newShare))
            return nil
        case .pinChangeSet:
            guard let vouching = instance.pinChange, vouching.attempt.bytes == change.payload else { throw .changeNotVouched }
            instance.adopt(
                Instance.Epoch(number: proof.epoch, serverShare: vouching.serverShare, secondFactorKey: proof.secondFactorKey))
            instance.pinChange = nil
            return .pinChanged
        case .verify, .firstSet, .enrol: throw .methodNotAllowed
        }
    }
}
