/// Every label that separates one use of a hash, key or signature from another (protocol §2). Nowhere else is one spelled.
package enum Label: String, CaseIterable, Sendable {
    case root, op, prekey, bundle, chan, resp, s2c, ans, sess, enrol
    case enrolCode = "enrol-code"
    case devEnrol = "dev-enrol"
    case devWait = "dev-wait"
    case devApp = "dev-app"
    case devSecondFactor = "dev-sf"
    case devProof = "dev-proof"
    case devLogin = "dev-login"
    case devState = "dev-state"
    case devPing = "dev-ping"
    case devStop = "dev-stop"
    case devFetch = "dev-fetch"
    case devVerification = "dev-verification"
    case devToken = "dev-token"
    case devDelete = "dev-delete"
    case ticket
    case secondFactorAnswer = "sfans"
    case proof
    case receipt = "rcpt"
    case secondFactorSet = "sf-set"
    case secondFactorProof = "sf-proof"
    case secondFactorOperation = "sf-op"
    case secondFactorProbe = "sfs-probe"
    case bio, tombstone, close, reset, leave, nonce, sid, hsid, qr, link, offer, `return`, number, acct, pinin, kpin, commit, visual, attest, otp
    case data, call, dleq

    /// "AP1/" label 00, the prefix of whatever is hashed, derived or signed under this label.
    package var prefix: [UInt8] { Array("AP1/\(rawValue)".utf8) + [0] }
}
