/// Why a text is no token of the kind that was asked for: precise for the log and the tests. Whoever sent it is told “invalid” and no more.
package enum JOSEError: Error, Equatable, Sendable {
    // Its form.
    case tooLong, notThreeParts, notBase64URL
    case header(JSONError)
    case payload(JSONError)
    // Its header.
    case algorithmMissing
    /// `none`, an algorithm of shared secrets, or one that nobody knows.
    case algorithmUnknown
    case headerMemberWrong(String)
    /// It names extensions that have to be understood (`crit`); none are.
    case criticalExtension
    case typeMissing, typeWrong
    // Its signature.
    case algorithmNotAllowed, keyUnknown, signatureEmpty, signatureWrong
}
