import OstiaryProtocol

/// How a page comes to begin a session, and which session makes room for it (protocol §6).
///
/// The session that makes room ends first: its phone hears that it is over, and its code is nobody's. So whatever begins, a login still ends in the
/// browser of the page that showed it.
package enum PageBeginning: Equatable, Sendable {
    /// The page was opened just now. What a phone is deciding goes on, and so does a login.
    case opened
    /// Its person asks for it on the page, and does not wait for a phone any more. The page may also take the login over from an older page of the
    /// nonce, which is named by the SHA of its cookie, and from no other.
    case renewed(over: [UInt8]?)

    /// Throws if a session that goes on does not make room for the page.
    /// - Parameter cookieHash: SHA of the page's cookie.
    package func check(_ current: Session, for cookieHash: [UInt8]) throws(LoginLinkError) {
        guard case .renewed(let older) = self, !current.isFinished else { return }
        guard let owner = current.page?.cookieHash, owner == cookieHash || owner == older else { throw .otherPage }
        if current.isReturning { throw .returning }
    }

    var endsClaims: Bool { self != .opened }
}
