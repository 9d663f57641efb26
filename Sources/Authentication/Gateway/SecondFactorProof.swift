import OstiaryProtocol

/// A proof for the second-factor server, and with it all that its receipt must say: nothing of that is learnt from the answer (protocol §6, §7).
struct SecondFactorProof: Sendable {
    let server: ServerID
    let instance: InstanceID
    let attempt: AttemptID
    let sessionHash: [UInt8]
    let context: SecondFactorContext
    let method: Methods
    let epoch: UInt32
    /// The second-factor key of the epoch, which a PIN that is being set brings along.
    let secondFactorKey: [UInt8]
    var secondFactorSignature: [UInt8]?
    var biometricSignature: [UInt8]?
    /// Vouches for a biometric on its own, which had no M1.
    var ticket: Ticket?
    /// The number under which this side gave out the evaluation of the attempt; nil for one that it gave none out for, or not last.
    var number: UInt64?
    /// The newest receipts of the instance.
    var receipts = KnownReceipts.none

    func message(signedBy key: OperatorKey) -> Proof {
        Proof(
            serverID: server, instanceID: instance, attemptID: attempt, context: context, method: method, epoch: epoch, sessionHash: sessionHash,
            secondFactorKey: context.setsPIN ? secondFactorKey : nil, ticket: ticket.map { Encoded($0, signedBy: key) },
            secondFactorSignature: secondFactorSignature, biometricSignature: biometricSignature)
    }

    /// Throws unless each field is the expected one. The signature of the receipt is checked apart.
    func check(_ receipt: Receipt) throws(Refusal) {
        guard receipt.serverID == server, receipt.instanceID == instance else { throw .receiptWrong }
        guard receipt.attemptID == attempt else { throw .receiptWrong }
        guard receipt.sessionHash == sessionHash else { throw .receiptWrong }
        guard receipt.context == context, receipt.method == method else { throw .receiptWrong }
        guard receipt.epoch == epoch, receipt.secondFactorKey == secondFactorKey else { throw .receiptWrong }
        guard receipt.signaturesHash == SHA((secondFactorSignature ?? []) + (biometricSignature ?? [])) else { throw .receiptWrong }
        guard number == nil || receipt.sequence == number else { throw .receiptWrong }
        // Kept, a number that no honest server comes to would be newer than all that follow (protocol §7).
        guard receipt.sequence < AttemptSequence.limit else { throw .receiptWrong }
    }
}

/// What the second-factor server said of a proof that it took.
struct ProvedFactor: Sendable {
    let receipt: Encoded<Receipt>
    let tries: Tries

    /// When the person showed the second factor: a PIN when the receipt says, a biometric now.
    func verifiedAt(_ now: Instant) -> Instant { receipt.value.method.contains(.pin) ? min(receipt.value.lastPIN, now) : now }
}

extension SecondFactorClient {
    /// Hands on what the second factor signed and returns the receipt for it, checked in every field.
    /// - Throws: `Refusal`.
    func receipt(for proof: SecondFactorProof, now: Instant) async throws -> ProvedFactor {
        let answer = try await prove(proof, now: now)
        guard answer.status == .ok else { throw Refusal.secondFactor(answer.status) }
        // Without a receipt, OK is what the ticket of this attempt was answered, played again by whoever stands between: no answer to a proof.
        guard let receipt = answer.receipt else { throw Refusal.secondFactorUnavailable }
        guard await isSigned(receipt, at: now) else { throw Refusal.receiptWrong }
        try proof.check(receipt.value)
        return ProvedFactor(receipt: receipt, tries: answer.tries)
    }
}
