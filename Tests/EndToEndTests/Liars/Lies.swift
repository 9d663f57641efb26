import OstiaryProgram
import OstiaryProtocol
import SecondFactor

@testable import OstiaryPhone
@testable import SecondFactorServer

extension LyingSecondFactor {
    /// A lie about receipts alone.
    static func receipts(_ change: @escaping @Sendable (Receipt) -> Receipt) -> Lie {
        { _, truth, own in
            guard let receipt = truth.receipt?.value else { return truth }
            return truth.but(receipt: Encoded(change(receipt), signedBy: own.keys.operatorKey))
        }
    }

    /// A lie about the evaluation that only the phone can open: the request of the phone, what it asked to have evaluated, and the truth.
    static func evaluations(
        under status: Status = .ok, late: UInt64 = 0, _ change: @escaping @Sendable (SecondFactorEvaluation, [UInt8]) throws -> SecondFactorEvaluation
    ) -> Lie {
        { call, truth, own in
            guard let ticket = try? Ticket(decoding: call.message), !truth.sealed.isEmpty, let opened = own.keys.open(call.sealed)
            else { return truth }
            let attempt = ticket.attempt.value
            let honest = SecondFactorEvaluation(
                attemptID: attempt.attemptID, evaluation: try await own.evaluation(of: attempt, opened.message), evaluationKey: nil,
                tries: truth.tries)
            let said = try change(honest, opened.message)
            return truth.but(sealed: try opened.answer(status, body: said.encoded, at: .now + late, signedBy: own.keys.operatorKey))
        }
    }

    /// A receipt for every proof, whatever was proved.
    static let vouchingForAnything: Lie = { call, truth, own in
        guard let proof = try? Proof(decoding: call.message) else { return truth }
        let receipt = Receipt(
            serverID: proof.serverID, instanceID: proof.instanceID, attemptID: proof.attemptID, sessionHash: proof.sessionHash,
            context: proof.context, method: proof.method, epoch: proof.epoch, sequence: truth.highest,
            secondFactorKey: proof.secondFactorKey ?? [UInt8](repeating: 0, count: 32),
            signaturesHash: SHA((proof.secondFactorSignature ?? []) + (proof.biometricSignature ?? [])), withoutPIN: 0, lastPIN: .now,
            issuedAt: .now)
        return truth.but(status: .ok, receipt: Encoded(receipt, signedBy: own.keys.operatorKey))
    }
}

extension SecondFactorAnswer {
    func but(
        attempt: AttemptID? = nil, status: Status? = nil, highest: UInt64? = nil, tries: Tries? = nil, sealed: [UInt8]? = nil,
        receipt: Encoded<Receipt>? = nil
    ) -> SecondFactorAnswer {
        SecondFactorAnswer(
            attemptID: attempt ?? attemptID, status: status ?? self.status, highest: highest ?? self.highest, epoch: epoch,
            tries: tries ?? self.tries, sealed: sealed ?? self.sealed, receipt: receipt ?? self.receipt)
    }
}

extension SecondFactorEvaluation {
    func but(attempt: AttemptID? = nil, evaluation: [UInt8]? = nil, key: [UInt8]? = nil, tries: Tries? = nil) -> SecondFactorEvaluation {
        SecondFactorEvaluation(
            attemptID: attempt ?? attemptID, evaluation: evaluation ?? self.evaluation, evaluationKey: key ?? evaluationKey,
            tries: tries ?? self.tries)
    }
}

extension Receipt {
    func but(
        attempt: AttemptID? = nil, session: [UInt8]? = nil, method: Methods? = nil, epoch: UInt32? = nil, sequence: UInt64? = nil,
        key: [UInt8]? = nil, signatures: [UInt8]? = nil, lastPIN: Instant? = nil, issuedAt: Instant? = nil
    ) -> Receipt {
        Receipt(
            serverID: serverID, instanceID: instanceID, attemptID: attempt ?? attemptID, sessionHash: session ?? sessionHash, context: context,
            method: method ?? self.method, epoch: epoch ?? self.epoch, sequence: sequence ?? self.sequence,
            secondFactorKey: key ?? secondFactorKey, signaturesHash: signatures ?? signaturesHash, withoutPIN: withoutPIN,
            lastPIN: lastPIN ?? self.lastPIN, issuedAt: issuedAt ?? self.issuedAt)
    }
}
