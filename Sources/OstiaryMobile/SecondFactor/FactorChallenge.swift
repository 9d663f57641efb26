import OstiaryProtocol

// SecondFactor: a PIN or a biometric feature, from the question to the servers' word.
//
// Owns: asking the person, one try of a PIN with its computations, proofs, setting a PIN, biometric keys, what is known of the servers'
// counters, and what a login's page hears of all that. Leaves to others: what a proof is good for (Login/, Enrolment/).
// Start reading here, then SecondFactorQuestion (asking), SecondFactorProof (an input on its way), FactorEvaluation (M1 and M2) and
// ChangeCompletion (M3 and M4).

/// What a second factor is asked for, and everything that its attempts are bound to (protocol §7).
struct FactorChallenge: Sendable {
    /// What ties an answer to what it approves.
    enum Binding: Sendable {
        /// The `sessHash` of a login, and what its L2 wants back.
        case session([UInt8], SessionID, Encoded<Offer>)
        /// Context, instance, epoch and payload (protocol §7).
        case operation
    }

    let context: SecondFactorContext
    let session: Session.ID
    /// The account that M1 names, and whose key signs the attempts.
    let account: AccountID
    let keyName: String
    /// Another epoch takes its place when the servers count that one.
    var instance: StoredInstance
    let binding: Binding
    let payload: [UInt8]
    let rootHash: [UInt8]
    let ephemeral: EphemeralKey
    /// Of the second-factor server.
    var prekey: Prekey
    /// Whether the server takes a biometric feature for this.
    var acceptsBiometrics = false

    /// What M1 brings back of the L2 of a login.
    var question: (session: SessionID, offer: Encoded<Offer>)? {
        switch binding {
        case .session(_, let session, let offer): (session, offer)
        case .operation: nil
        }
    }

    /// What is said about it.
    func line(patience: Double? = nil, waitsOutBusy: Bool = false) -> ServerLine {
        ServerLine(
            rootHash: rootHash, keyName: keyName, account: account, ephemeral: ephemeral, session: session, patience: patience,
            waitsOutBusy: waitsOutBusy)
    }

    var scope: BoxScope { BoxScope(instance: instance.id, epoch: instance.epoch) }

    var sessionHash: [UInt8] {
        switch binding {
        case .session(let hash, _, _): hash
        case .operation: Transcript.operation(context, instance: instance.id, epoch: instance.epoch, payload: payload)
        }
    }

    /// Whether PIN and feature may be given together; elsewhere the PIN counts alone.
    var acceptsBoth: Bool { acceptsBiometrics && (context == .verify || context == .pinChangeVerify) }
}
