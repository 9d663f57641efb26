import OstiaryProtocol

/// Where instances, attempts and pending keys are kept. Each question that changes anything reads, decides by the rules and commits in one
/// step, and answers only when the changes are on stable storage.
package protocol SecondFactorStore: Sendable {
    /// The rows of an instance and an attempt, for verifying signatures outside a transaction.
    /// - Parameter voucher: the PIN_CHANGE_VERIFY that a PIN_CHANGE_SET names.
    func situation(of instance: InstanceID, attempt: AttemptID, voucher: AttemptID?) async throws -> Situation

    /// Counts a try durably, or says why not (``TicketRules``). Nothing may be evaluated before this has answered.
    func reserve(_ ticket: ProvenTicket, at now: Instant) async throws -> TicketOutcome

    /// Keeps an evaluation with its attempt, so that the repetition costs none; the first one stays.
    func keep(evaluation: [UInt8], of attempt: AttemptID) async throws

    /// Takes a proof (``ProofRules``); of many at once with one attempt, one changes anything and all get its receipt.
    func complete(_ proof: ProvenProof, at now: Instant, signing: @escaping SignReceipt) async throws -> ProofOutcome

    /// Takes a biometric on its own (``BiometricRules``); of many at once with one attempt, one changes anything and all get its receipt.
    func complete(_ proof: ProvenBiometric, at now: Instant, signing: @escaping SignReceipt) async throws -> ProofOutcome

    /// Erases the key of an instance (``CloseRules``).
    func close(_ instance: InstanceID, by owner: VirtualServer, at now: Instant) async throws -> CloseOutcome

    /// Takes a device key out of an instance (``LeaveRules``).
    func leave(_ deviceKey: [UInt8], _ instance: InstanceID, by owner: VirtualServer, at now: Instant) async throws -> LeaveOutcome

    /// Lifts a block (``ResetRules``).
    func reset(_ instance: InstanceID, _ source: ResetSource, at now: Instant) async throws -> ResetOutcome

    /// Deletes attempts and pending keys that have had their time.
    /// - Returns: how many rows went.
    @discardableResult
    func deleteExpired(at now: Instant) async throws -> Int

    /// Overwrites what is left, in logs for example, of values that were deleted or replaced.
    func purge() async throws
}

extension SecondFactorStore {
    package func situation(of instance: InstanceID, attempt: AttemptID) async throws -> Situation {
        try await situation(of: instance, attempt: attempt, voucher: nil)
    }
}
