import Crypto
import Foundation
import OstiaryProtocol

// SecondFactor: a PIN or a biometric feature, from the question to the servers' word.
//
// Owns: asking the person, one try of a PIN with its computations, proofs, setting a PIN, biometric keys, what is known of the servers' counters, and
// what a login's page hears of all that. Leaves to others: what a proof is good for (Login/, Enrolment/).
// Start reading here, then SecondFactorQuestion (asking), SecondFactorProof (an input on its way), Attempt (M1 and M2) and Completion (M3 and M4).

/// What a second factor is asked for, and everything that its attempts are bound to (protocol §7).
struct Challenge: Sendable {
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

/// One try: kept until its outcome is known, so that a repeat is the same try and costs nothing.
struct PINTry: Sendable {
    let attempt: AttemptID
    let stretched: StretchedPIN
    let blinding: PINBlinding
    /// By the monotonic clock.
    let madeAt: UInt64
    /// By the server's clock; all repeats bear it, because a biometric signature may cover it.
    let stamp: Instant

    /// The second-factor server takes the proof of an evaluation for 120 s; a try that is nearly as old is not repeated.
    static let longestLife: UInt64 = 90
}

/// What the servers made of a try.
enum Evaluated: Sendable {
    case counted(Evaluation)
    case penalised(Tries)
    case blocked(Tries)
    /// The PIN of another epoch counts now; nothing was counted.
    case otherEpoch(UInt32)
    /// A server could not be asked, or was busy for too long; perhaps nothing was counted.
    case unavailable
}

struct Evaluation: Sendable {
    let y: SecretBytes
    /// Nil where it came with E2.
    let serverShare: SecretBytes?
    /// pkK, which made `y`.
    let evaluationKey: [UInt8]
    let tries: Tries
    /// The time stamp of the Attempt that was counted.
    let stamp: Instant
}

/// The computations of a PIN, away from the engine because they take tens of milliseconds.
enum PINComputation {
    @concurrent
    static func prepare(
        _ pin: LockedBytes, deviceSecret: SecretBytes, scope: BoxScope, parameters: Argon2id.Parameters
    ) async throws(OstiaryError) -> StretchedPIN {
        do throws(Argon2idError) {
            return try StretchedPIN(pin: pin, deviceSecret: deviceSecret, scope: scope, parameters: parameters)
        } catch {
            throw .lockedMemory
        }
    }

    static func blind(_ pin: StretchedPIN) throws(OstiaryError) -> PINBlinding {
        do throws(PINBlindingError) { return try PINBlinding(pin) } catch { throw .lockedMemory }
    }

    /// The second-factor master in the box; nil for a wrong PIN.
    static func open(_ box: PINBox, _ pin: StretchedPIN, _ evaluation: Evaluation) throws(OstiaryError) -> SecretBytes? {
        guard let share = evaluation.serverShare else { throw .serverAnswer }
        do throws(BoxError) {
            return try BoxKey(pin, serverShare: share, evaluation: evaluation.y).open(box)
        } catch {
            switch error {
            case .wrongPIN: return nil
            case .corrupted, .otherParameters: throw .storeUnreadable
            case .badLength: throw .serverAnswer
            }
        }
    }

    static func seal(_ master: SecretBytes, _ pin: StretchedPIN, serverShare: SecretBytes, _ evaluation: Evaluation) throws(OstiaryError) -> PINBox {
        do throws(BoxError) {
            return try BoxKey(pin, serverShare: serverShare, evaluation: evaluation.y).seal(master, pinnedKey: evaluation.evaluationKey)
        } catch {
            throw .serverAnswer
        }
    }

    /// The second-factor key that the master is the seed of.
    static func key(_ master: SecretBytes) throws(OstiaryError) -> Curve25519.Signing.PrivateKey {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: master.exposed) else { throw .storeUnreadable }
        return key
    }
}
