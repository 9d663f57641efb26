import OstiaryMobile
import OstiaryProtocol

/// What a server says that is not so. It has the right keys: everything is sealed and signed as it should be, so only a rule of the phone can
/// find it out.
struct Lies: Sendable {
    /// Makes another answer of a true one, before it is signed.
    var answers: (@Sendable (MessageType, Status, [UInt8]) -> (Status, [UInt8]))?
    /// Makes another bundle of the true one, before it is signed.
    var bundle: (@Sendable (OstiaryProtocol.Bundle) -> OstiaryProtocol.Bundle)?
    /// Offered instead of the second-factor server's prekey.
    var prekey: Encoded<Prekey>?
    /// Makes another evaluation of the true one, before the second-factor server signs it.
    /// The second argument is what was evaluated, the blinded element.
    var evaluation: (@Sendable (SecondFactorEvaluation, [UInt8]) throws -> SecondFactorEvaluation)?
    /// What the second-factor server says of an evaluation that it gives.
    var evaluationStatus = Status.ok
    /// Signs evaluations instead of the second-factor server.
    var evaluationSigner: OperatorKey?
    /// Another second-factor server from the answer to a message on, and a new prekey, so that the phone hears of it.
    var secondFactorAfter: (message: MessageType, keys: TestServerKeys)?
}

extension TestServer {
    /// One lie about one message.
    func lie(about message: MessageType, _ change: @escaping @Sendable (Status, [UInt8]) -> (Status, [UInt8])) {
        lies.answers = { type, status, body in type == message ? change(status, body) : (status, body) }
    }

    var offeredPrekey: Encoded<Prekey> { lies.prekey ?? secondFactor.published(at: now) }

    func told(_ type: MessageType, _ answer: (Status, [UInt8])) -> (Status, [UInt8]) {
        if let swap = lies.secondFactorAfter, swap.message == type {
            lies.secondFactorAfter = nil
            secondFactor = swap.keys
            try? keys.rotatePrekey()
        }
        return lies.answers?(type, answer.0, answer.1) ?? answer
    }

    func sealedAsTold(_ evaluation: SecondFactorEvaluation, _ inner: OpenedRequest) throws -> [UInt8] {
        let body = (try lies.evaluation?(evaluation, inner.message) ?? evaluation).encoded
        return try inner.answer(lies.evaluationStatus, body: body, at: now, signedBy: lies.evaluationSigner ?? secondFactor.operatorKey)
    }

    /// A second-factor server that this phone never heard of.
    func otherSecondFactor() throws -> TestServerKeys { try TestServerKeys(seed: 0xA1, at: now) }
}

extension [UInt8] {
    /// The same bytes with some in the place of others, at `offset`.
    func overwritten(at offset: Int, with bytes: [UInt8]) -> [UInt8] {
        Array(prefix(offset)) + bytes + Array(dropFirst(offset + bytes.count))
    }
}

/// Where the first fields of an L2 stand (protocol §6): behind the header of four bytes.
enum L2Offset {
    static let session = 4
    static let purpose = 20
    static let accountLength = 21
    static let account = 22
}

extension L2 {
    /// This question with something to sign in it, which no server asks for yet: the bytes stand behind the hash of the image.
    func encoded(withTransaction transaction: [UInt8]) -> [UInt8] {
        let (bytes, party) = (encoded, relyingParty)
        let texts = announceInfo.reduce(0) { $0 + 1 + $1.key.utf8.count + 2 + $1.text.utf8.count }
        let names = [party.name, party.origin, party.clientID].reduce(0) { $0 + 1 + $1.utf8.count }
        let place = L2Offset.account + (accountMark?.count ?? 0) + names + 1 + texts + 1 + (logoHash?.count ?? 0)
        return Array(bytes.prefix(place)) + [UInt8(transaction.count >> 8), UInt8(transaction.count & 0xFF)] + transaction
            + bytes.dropFirst(place + 2)
    }
}
