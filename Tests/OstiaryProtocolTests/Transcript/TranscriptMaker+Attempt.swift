import OstiaryProtocol

/// What a step about the second factor is made of.
extension TranscriptMaker {
    /// One try of the PIN.
    struct Try {
        let context: SecondFactorContext
        let id: AttemptID
        let sessionHash: [UInt8]
        var payload: [UInt8] = []
        var about: (session: SessionID, offer: Encoded<Offer>)?
        let sequence: UInt64
        let tries: Tries
    }

    /// M1 and M2, with what travels inside them, and the Ticket.
    func attempt(_ name: String, _ attempt: Try, of flow: String, _ ephemeral: EphemeralKey, at time: Instant) throws {
        let box = try TranscriptBox.scenario(pin: Self.pin, secret, of: flow)
        let blinded = try PINBlinding(try box.stretched(), blind: box.blind).blindedElement
        let inner = try SealedRequest(
            blinded, to: secondFactor.prekey.value, of: secondFactor.root, ephemeral: ephemeral, at: time)
        let signed = try Encoded(
            Attempt(
                instanceID: instance, attemptID: attempt.id, sessionHash: attempt.sessionHash, context: attempt.context, epoch: 1,
                blindedHash: SHA(blinded), sealedHash: inner.hash, ephemeralHash: SHA(ephemeral.publicKey), madeAt: time), signedBy: sign)
        let m1 = M1(accountID: account, attempt: signed, payload: attempt.payload, sealed: inner.bytes, about: attempt.about).encoded
        let evaluation = SecondFactorEvaluation(
            attemptID: attempt.id, evaluation: try key.evaluate(blinded, attempt: attempt.id),
            evaluationKey: attempt.context == .firstSet ? key.publicKey : nil, tries: attempt.tries)
        let sealed = try OpenedRequest(inner.bytes, with: secondFactor.prekeySecret).answer(
            .ok, body: evaluation.encoded, at: time, signedBy: secondFactor.operatorKey)
        let ticket = Encoded(
            Ticket(serverID: server.root.serverID, sequence: attempt.sequence, issuedAt: time, payload: attempt.payload, attempt: signed),
            signedBy: server.operatorKey)
        let said = SecondFactorAnswer(
            attemptID: attempt.id, status: .ok, highest: attempt.sequence, epoch: 1, tries: attempt.tries, sealed: sealed)
        // With a first PIN the share came with E2.
        let share = attempt.context == .firstSet ? nil : try secret("srvShare")
        try add(
            name, m1, try seal(m1, ephemeral, at: time), M2(epoch: 1, tries: attempt.tries, serverShare: share, sealed: sealed).encoded,
            inside: TranscriptVector.Inside(
                message: VectorFiles.hex(blinded), request: VectorFiles.hex(inner.bytes), answer: VectorFiles.hex(sealed),
                body: VectorFiles.hex(evaluation.encoded)),
            call: call(ticket.bytes, sealed: inner.bytes, said))
    }

    /// A Proof and its receipt.
    func proof(
        _ attempt: Try, secondFactorKey: [UInt8]? = nil, signature: [UInt8], lastPIN: Instant, at time: Instant
    ) -> TranscriptVector.Call {
        let proof = Encoded(
            Proof(
                serverID: server.root.serverID, instanceID: instance, attemptID: attempt.id, context: attempt.context, method: .pin, epoch: 1,
                sessionHash: attempt.sessionHash, secondFactorKey: secondFactorKey, secondFactorSignature: signature),
            signedBy: server.operatorKey)
        let receipt = Encoded(
            Receipt(
                serverID: server.root.serverID, instanceID: instance, attemptID: attempt.id, sessionHash: attempt.sessionHash,
                context: attempt.context, method: .pin, epoch: 1, sequence: attempt.sequence, secondFactorKey: self.secondFactorKey,
                signaturesHash: SHA(signature), withoutPIN: 0, lastPIN: lastPIN, issuedAt: time), signedBy: secondFactor.operatorKey)
        let tries = Tries(failed: 0, most: 5, wait: 0, withoutPINLeft: Tries.unlimited)
        return call(
            proof.bytes,
            SecondFactorAnswer(attemptID: attempt.id, status: .ok, highest: attempt.sequence, epoch: 1, tries: tries, receipt: receipt))
    }

    private func call(_ message: [UInt8], sealed: [UInt8] = [], _ answer: SecondFactorAnswer) -> TranscriptVector.Call {
        TranscriptVector.Call(
            call: VectorFiles.hex(SecondFactorCall(caller: Encoded(server.chain), message: message, sealed: sealed).encoded),
            answer: VectorFiles.hex(Encoded(answer, signedBy: secondFactor.operatorKey).bytes))
    }
}
