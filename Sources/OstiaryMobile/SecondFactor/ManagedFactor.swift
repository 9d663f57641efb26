import OstiaryProtocol
import Synchronization

/// The instance that an operation changes, and the account that asks for it.
struct ManagedFactor: Sendable {
    let account: StoredAccount
    let instance: StoredInstance
}

/// The questions of one operation, of which the last one is told at its end that nothing more is asked.
final class ManagementQuestions: Sendable {
    private let newest = Mutex<OpenQuestion?>(nil)

    var last: OpenQuestion? { newest.withLock { $0 } }

    func open(_ challenge: FactorChallenge, place: OpenQuestion.Place) -> OpenQuestion {
        let question = OpenQuestion(challenge, place: place)
        newest.withLock { $0 = question }
        return question
    }
}

extension Engine {
    /// A challenge of an operation.
    func challenge(
        _ context: SecondFactorContext, _ factor: ManagedFactor, _ id: Session.ID, payload: [UInt8], acceptsBiometrics: Bool = false
    ) async throws(OstiaryError) -> FactorChallenge {
        let rootHash = factor.account.rootHash.bytes
        let prekey = try await secondFactorPrekey(nil, at: rootHash, pinned: factor.instance.secondFactorRootHash, for: id)
        return FactorChallenge(
            context: context, session: id, account: factor.account.id, keyName: factor.account.keyName, instance: factor.instance,
            binding: .operation, payload: payload, rootHash: rootHash, ephemeral: try makeEphemeral(), prekey: prekey,
            acceptsBiometrics: acceptsBiometrics)
    }
}
