import Authentication
import Database
import OstiaryProtocol

/// Asks the second-factor server, signed and with no effect there, whether it takes calls of this server (protocol §7, Probe).
struct SecondFactorProber: Sendable {
    let keyring: any ServerKeyring
    /// The virtual server as which we ask.
    let server: ServerID
    let random: any RandomSource

    /// - Parameter others: keys of which one must have signed the answer, whenever it was valid: a signature for this very probe was made now.
    /// - Throws: ``SecondFactorTrouble``, and what the transport throws.
    func prove(over transport: any SecondFactorTransport, to others: OperatorKeys, at now: Instant) async throws {
        let keys: ServerKeys
        do { keys = try await keyring.keys(of: server) } catch {
            // What the database does not give, or has no more, says nothing of a clock.
            let isGone = error is UnknownServer || error as? ServerKeyError == .keysGone || SQLError.isOutage(error)
            throw isGone ? SecondFactorTrouble.ownKeysGone("\(error)") : .ownKeys("\(error)")
        }
        let probe = Encoded(Probe(serverID: server, nonce: random.bytes(16), time: now), signedBy: keys.operatorKey)
        let bytes = try await transport.call(SecondFactorCall(caller: keys.chain, message: probe.bytes).encoded)
        guard let answer = try? Encoded<SecondFactorAnswer>(decoding: bytes), answer.value.attemptID == probe.answerID,
            let begin = others.begin(of: answer.value.signature.keyID), (try? answer.verify(with: others, at: begin)) != nil
        else { throw SecondFactorTrouble.notOne }
        guard others.hasKey(answer.value.signature.keyID, at: now) else { throw SecondFactorTrouble.keysNotValid }
        switch answer.value.status {
        case .ok: return
        case .clock: throw SecondFactorTrouble.clocks
        case .secondFactorUnavailable: throw SecondFactorTrouble.storage
        default: throw SecondFactorTrouble.distrust
        }
    }
}

/// The operator wrote this server's own identity where that of the second-factor server belongs.
package struct OwnIdentityPinned: Error, Equatable, CustomStringConvertible {
    package let description =
        "OSTIARY_SECOND_FACTOR_IDENTITY is this server's own identity: put what `ostiary second-factor --print-identity` prints there"
}
