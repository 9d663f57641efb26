import Authentication
import OstiaryProtocol

/// Something that a client's backend is still to hear.
package protocol BackendNotice: Sendable {
    var server: ServerID { get }
    var client: ClientID { get }
    /// Where it listens.
    var address: String { get }
    var retry: RetrySchedule { get }
}
