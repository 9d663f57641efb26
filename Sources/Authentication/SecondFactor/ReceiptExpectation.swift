import OstiaryProtocol

/// What a receipt must say for one decision of a phone. Everything in it was known before the second-factor server was asked (protocol §6, §7).
struct ReceiptExpectation: Sendable {
    let server: ServerID
    let instance: InstanceID
    let attempt: AttemptID
    let sessionHash: [UInt8]
    let context: SecondFactorContext
    let method: Methods
    /// The second-factor keys that are believed, by epoch.
    let keys: [UInt32: [UInt8]]
    let secondFactorSignature: [UInt8]

    /// Throws unless each field is the expected one. The signature of the receipt is checked apart.
    func check(_ receipt: Receipt) throws(Refusal) {
        guard receipt.serverID == server, receipt.instanceID == instance else { throw .receiptWrong }
        guard receipt.attemptID == attempt else { throw .receiptWrong }
        guard receipt.sessionHash == sessionHash else { throw .receiptWrong }
        guard receipt.context == context, receipt.method == method else { throw .receiptWrong }
        guard let key = keys[receipt.epoch], key == receipt.secondFactorKey else { throw .receiptWrong }
        guard receipt.signaturesHash == SHA(secondFactorSignature) else { throw .receiptWrong }
    }
}

extension SecondFactorClient {
    /// Hands on what the opened box signed and returns the receipt for it, checked in every field.
    /// - Throws: `Refusal`.
    func receipt(for proof: Proof, expecting expectation: ReceiptExpectation, newest: Encoded<Receipt>?, now: Instant) async throws -> Encoded<
        Receipt
    > {
        let answer = try await prove(proof, receipt: newest, now: now)
        guard answer.status == .ok else { throw Refusal.secondFactor(answer.status) }
        guard let receipt = answer.receipt, await isSigned(receipt, at: now) else { throw Refusal.receiptWrong }
        try expectation.check(receipt.value)
        return receipt
    }
}
