import OstiaryProtocol

/// Why nobody is logged in by a code that was typed (protocol §9). Only the last was counted.
package enum OfflineCodeRefusal: Error, Equatable, Sendable {
    /// The virtual server takes none.
    case notOffered
    /// Nothing that a phone shows.
    case notACode(CrockfordError)
    /// No session of this nonce, or of this page, waits for anybody; or it is one that is for a phone with a connection only.
    case noSession
    /// The login asks for more than one factor gives.
    case notEnough
    /// This session has had its tries.
    case sessionSpent
    /// The reference has had its tries, or all of the virtual server have: so many seconds until there is another.
    case tooMany(seconds: UInt64)
    /// Not the code, whatever is wrong with it: also of nobody, of an account that may not log in, and of one that this session is not for. So many
    /// tries are left of this session.
    case wrong(left: Int)
}
