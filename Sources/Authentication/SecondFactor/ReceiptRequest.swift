import OstiaryProtocol

/// Asks the second-factor server to take a proof: every login, enrolment and change that a second factor stands for has its receipt from here.
struct ReceiptRequest: Sendable {
    let proof: SecondFactorProof
    /// Whose phone is told if the instance is closed.
    let account: AccountID
    let now: Instant

    /// - Throws: `Refusal`; CLOSED ends the accounts of the instance before it is told.
    func receipt(from secondFactor: SecondFactorClient, closing closure: InstanceClosure) async throws -> ProvedFactor {
        do { return try await secondFactor.receipt(for: proof, now: now) } catch Refusal.secondFactor(.closed) {
            throw try await closure.end(proof.instance, tellingPhoneOf: account, at: now)
        }
    }
}
