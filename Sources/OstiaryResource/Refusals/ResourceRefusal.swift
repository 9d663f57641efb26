/// Why a request is not let in: the precise reason, for the log. What the caller is told is ``ResourceVerifier/answer(to:for:)``'s to say.
public enum ResourceRefusal: Error, Equatable, Sendable {
    /// Nobody tried: there is no token and no webNonce.
    case noCredential
    /// A request that no answer can be right to (RFC 6750 §3.1, `invalid_request`).
    case badRequest(BadRequest)
    case token(TokenFault)
    case proof(ProofFault)
    /// The caller is who they say and may not do this.
    case forbidden(Forbidden)
    /// The caller has to log in more strongly, or anew (RFC 9470).
    case stepUp(StepUp)
    /// Whether the caller may come in can't be told at present. It is no word about the token.
    case outage(Outage)

    /// How a request brings what it brings in a way that can't be taken.
    public enum BadRequest: Hashable, Sendable {
        /// A token twice, or a token and a webNonce.
        case severalCredentials
        /// In the address, which ends up in logs (RFC 9700 §4.3.2).
        case credentialInAddress
        /// A scheme without a token, or with more than one word.
        case malformed
    }

    /// What a caller lacks.
    public struct Forbidden: Hashable, Sendable {
        /// The scopes that the route needs; empty where no scope would help.
        public let scopes: Set<String>
        /// What else it needs: permissions, and the names of an API's own rules.
        public let others: Set<String>

        public init(scopes: Set<String> = [], others: Set<String> = []) {
            self.scopes = scopes
            self.others = others
        }
    }

    /// How a caller has to log in.
    public struct StepUp: Hashable, Sendable {
        /// One of these, the first best; empty for any.
        public let acrValues: [String]
        /// Not longer ago than this, in seconds; nil for any time.
        public let maxAge: UInt64?

        public init(acrValues: [String] = [], maxAge: UInt64? = nil) {
            self.acrValues = acrValues
            self.maxAge = maxAge
        }
    }
}

/// Why nobody can say at present whether a token is good.
public enum Outage: Error, Equatable, Sendable {
    /// There was no answer, or none in time.
    case unreachable
    /// An answer that says nothing of what was asked.
    case status(Int)
    case answerTooLarge
    /// It is not what the standard says that it is.
    case answerMalformed
    /// The metadata at the issuer's address is another issuer's (RFC 8414 §3.3).
    case issuerWrong
    /// The metadata names no address for what is needed, or one that is not called: plain HTTP, for example.
    case addressMissing
    /// As many questions of this kind, introspection or getSession, are under way as there may be, 64.
    case tooManyQuestions
    /// The key by which this API shows its provider who it is did not sign: ``ClientKey``.
    case assertionFailed
    /// As many proofs of possession are remembered as there may be: ``ProofMemory``.
    case proofMemoryFull
    /// The memory of proofs that the API's developer gave failed.
    case proofMemoryFailed
}
