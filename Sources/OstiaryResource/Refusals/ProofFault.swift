import OstiaryTokens

/// Why a proof of possession proves nothing (RFC 9449 §4.3): precise for the log and the tests of an API.
public enum ProofFault: Error, Equatable, Sendable {
    case missing
    /// More than one header field, or a list in one.
    case several
    /// It is no JWT of the kind, or its signature is wrong.
    case token(TokenFault)
    case keyMissing
    /// Its key is none that proofs are made with, or has a private part.
    case keyWrong
    case claimMissing(String)
    case claimWrong(String)
    case methodWrong, targetWrong
    /// By more than a minute.
    case tooOld, tooNew
    case accessTokenHashMissing, accessTokenHashWrong
    /// There is none, or one that was not made here or long ago: the answer brings a new one (§9).
    case nonceNeeded
    /// A proof with this `jti` by this key was taken before.
    case replayed
}

extension ProofFault {
    init(_ refusal: DPoPRefusal) {
        switch refusal {
        case .missing: self = .missing
        case .several: self = .several
        case .token(let error): self = .token(TokenFault(error))
        case .keyMissing: self = .keyMissing
        case .key, .otherKey: self = .keyWrong
        case .claims(.missing(let name)): self = .claimMissing(name)
        case .claims(.wrong(let name)): self = .claimWrong(name)
        case .claims(.expired), .tooOld: self = .tooOld
        case .claims(.notYetValid), .claims(.issuedLater), .tooNew: self = .tooNew
        case .methodWrong: self = .methodWrong
        case .targetWrong: self = .targetWrong
        case .accessTokenHashMissing: self = .accessTokenHashMissing
        case .accessTokenHashWrong: self = .accessTokenHashWrong
        case .nonceNeeded: self = .nonceNeeded
        case .replayed: self = .replayed
        }
    }
}
