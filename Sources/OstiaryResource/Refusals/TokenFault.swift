import OstiaryTokens

/// Why a token or a webNonce opens nothing: precise for the log and the tests of an API. Whoever sent it is told ``RefusalAnswer/badToken`` and no more.
public enum TokenFault: Error, Equatable, Sendable {
    // Its form.
    case tooLong, notThreeParts, notBase64URL, notJSON
    /// A member that is there twice: two readers could read it differently.
    case memberTwice
    /// Characters that no token and no webNonce has.
    case badCharacter
    /// A kind that this API does not take: a JWT where there are none, or an opaque token where nobody can be asked.
    case kindNotTaken

    // The header of a JWT.
    case algorithmMissing
    /// `none`, an algorithm of shared secrets, or one that nobody knows.
    case algorithmUnknown
    case algorithmNotAllowed
    case headerMemberWrong(String)
    /// It names extensions that have to be understood (`crit`); none are.
    case criticalExtension
    case typeMissing, typeWrong

    // Its signature.
    case keyUnknown, signatureEmpty, signatureWrong

    // What it claims.
    case claimMissing(String)
    case claimWrong(String)
    case issuerWrong, audienceWrong, expired, notYetValid, issuedLater
    /// An ID token, a logout token: something else that the provider signs.
    case notAnAccessToken

    // Its key (RFC 9449 §7.1).
    /// It is bound to a key and came as a bearer token.
    case proofMissing
    /// It is bound to no key, and came with the scheme of those that are.
    case proofUnexpected
    /// The proof is by another key than the one that it is bound to.
    case keyWrong

    // What the provider says of it now.
    case notActive
    case nobodyLoggedIn
}

extension TokenFault {
    init(_ error: JOSEError) {
        switch error {
        case .tooLong: self = .tooLong
        case .notThreeParts: self = .notThreeParts
        case .notBase64URL: self = .notBase64URL
        case .header(.duplicateName), .payload(.duplicateName): self = .memberTwice
        case .header, .payload: self = .notJSON
        case .algorithmMissing: self = .algorithmMissing
        case .algorithmUnknown: self = .algorithmUnknown
        case .headerMemberWrong(let name): self = .headerMemberWrong(name)
        case .criticalExtension: self = .criticalExtension
        case .typeMissing: self = .typeMissing
        case .typeWrong: self = .typeWrong
        case .algorithmNotAllowed: self = .algorithmNotAllowed
        case .keyUnknown: self = .keyUnknown
        case .signatureEmpty: self = .signatureEmpty
        case .signatureWrong: self = .signatureWrong
        }
    }

    init(_ error: ClaimError) {
        switch error {
        case .missing(let name): self = .claimMissing(name)
        case .wrong(let name): self = .claimWrong(name)
        case .expired: self = .expired
        case .notYetValid: self = .notYetValid
        case .issuedLater: self = .issuedLater
        }
    }
}
