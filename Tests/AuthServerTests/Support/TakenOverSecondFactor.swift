import Database
import OstiaryProtocol
import Synchronization

@testable import SecondFactorServer

/// A second-factor server that was taken over. It has its true key, so whatever it says is signed rightly, and now; of one person it says what a test has
/// it say, and of everybody else what is true.
struct TakenOverSecondFactor: Sendable {
    /// What it was asked.
    enum Call: Sendable {
        case ticket(Ticket)
        case proof(Proof)

        /// Nil for what is about no attempt.
        init?(_ message: [UInt8]) {
            if let ticket = try? Ticket(decoding: message) {
                self = .ticket(ticket)
            } else if let proof = try? Proof(decoding: message) {
                self = .proof(proof)
            } else {
                return nil
            }
        }

        var instance: InstanceID {
            switch self {
            case .ticket(let ticket): ticket.attempt.value.instanceID
            case .proof(let proof): proof.instanceID
            }
        }

        var attempt: AttemptID {
            switch self {
            case .ticket(let ticket): ticket.attempt.value.attemptID
            case .proof(let proof): proof.attemptID
            }
        }
    }

    /// An answer instead of the true one, which is nil.
    typealias Lie = @Sendable (Call) throws -> SecondFactorAnswer?

    let key: OperatorKey
    fileprivate let transport: SwitchedTransport

    /// Answers calls about one instance as it likes. The true server hears nothing of those, and counts nothing.
    func lie(about instance: InstanceID, _ lie: @escaping Lie) {
        transport.invent { [key] bytes in
            guard let call = Call(try SecondFactorCall(decoding: bytes).message), call.instance == instance, let answer = try lie(call)
            else { return nil }
            return Encoded(answer, signedBy: key).bytes
        }
    }

    /// Changes each true answer, and signs it anew.
    func bend(_ change: @Sendable @escaping (SecondFactorAnswer) -> SecondFactorAnswer) {
        transport.bend { [key] bytes in
            guard let truth = try? SecondFactorAnswer(decoding: bytes) else { return bytes }
            return Encoded(change(truth), signedBy: key).bytes
        }
    }

    func tellTheTruth() {
        transport.invent(nil)
        transport.bend(nil)
    }

    /// A receipt in all its fields as it has to be, of a proof that nobody looked at.
    /// - Parameter secondFactorKey: of the instance; the second-factor server has it.
    func receipt(for proof: Proof, number: UInt64, secondFactorKey: [UInt8], at now: Instant) -> Encoded<Receipt> {
        let receipt = Receipt(
            serverID: proof.serverID, instanceID: proof.instanceID, attemptID: proof.attemptID, sessionHash: proof.sessionHash,
            context: proof.context, method: proof.method, epoch: proof.epoch, sequence: number, secondFactorKey: secondFactorKey,
            signaturesHash: SHA((proof.secondFactorSignature ?? []) + (proof.biometricSignature ?? [])), withoutPIN: 0, lastPIN: now, issuedAt: now)
        return Encoded(receipt, signedBy: key)
    }

    /// Says “evaluated” to every try and “proved” to every proof, whatever was counted or signed.
    func vouching(secondFactorKey: [UInt8], at now: Instant) -> Lie {
        let number = Mutex<UInt64>(0)
        return { call in
            switch call {
            case .ticket(let ticket):
                number.withLock { $0 = ticket.sequence }
                return .said(.ok, of: call.attempt, highest: ticket.sequence)
            case .proof(let proof):
                let told = number.withLock { $0 }
                return .said(
                    .ok, of: call.attempt, highest: told,
                    receipt: receipt(for: proof, number: told, secondFactorKey: secondFactorKey, at: now))
            }
        }
    }
}

extension ServersFixture {
    /// The second-factor server in the hands of somebody who has its database and its key file.
    func takeOver(with key: KeyEncryptionKey) async throws -> TakenOverSecondFactor {
        let keys = IdentityRenewal(
            store: SQLSecondFactorStore(database: secondFactorDatabase), keyEncryptionKey: key, rootSeed: nil, random: SystemRandomSource())
        return TakenOverSecondFactor(key: try await keys.renewed(at: now).operatorKey, transport: secondFactor)
    }
}

extension SecondFactorAnswer {
    /// An answer of its own choice.
    static func said(
        _ status: Status, of attempt: AttemptID, highest: UInt64 = 0, epoch: UInt32 = 1, tries: Tries = .none, sealed: [UInt8] = [],
        receipt: Encoded<Receipt>? = nil
    ) -> SecondFactorAnswer {
        SecondFactorAnswer(
            attemptID: attempt, status: status, highest: highest, epoch: epoch, tries: tries, sealed: sealed, receipt: receipt)
    }

    /// The same about another attempt, or with another receipt, to be signed anew.
    func changed(attempt: AttemptID? = nil, receipt: Encoded<Receipt>? = nil) -> SecondFactorAnswer {
        SecondFactorAnswer(
            attemptID: attempt ?? attemptID, status: status, highest: highest, epoch: epoch, tries: tries, sealed: sealed,
            receipt: receipt ?? self.receipt)
    }
}
