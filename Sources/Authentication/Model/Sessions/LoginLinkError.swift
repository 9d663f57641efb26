/// Why there is no login link for a nonce.
package enum LoginLinkError: Error, Equatable, Sendable {
    /// Somebody is logged in by this nonce already.
    case loggedIn
    /// A phone has claimed the session and is about to decide.
    case claimed
    /// The nonce is the webNonce of an AppLogin.
    case webNonce
    case accountUnknown
    /// The account that is named has no second factor, and logs in nowhere.
    case accountHeadless
    /// A code that stands still, at a server that takes none.
    case stillCodesRefused
    /// The session is of another page of the nonce, which is newer.
    case otherPage
    /// Accepted on the phone: the browser of the page is awaited.
    case returning
}
