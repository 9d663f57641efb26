/// What becomes of something that a client's backend is told (OpenID Connect CIBA §10.2, OpenID Connect Back-Channel Logout §2.8).
package enum DeliveryVerdict: Equatable, Sendable {
    case delivered
    /// Once more, later: the client was not there, or hears no more for now.
    case retry
    /// Not again: it was there, and did not want it.
    case givenUp

    /// - Parameter status: of the client's answer, whose body is not read and whose redirect is not followed; nil when there was none.
    package init(status: Int?) {
        switch status {
        case .some(200..<300): self = .delivered
        // How long one that is called too often wants to be left alone is not read (RFC 6585 §4): the next try is later each time.
        case nil, 429, .some(500...): self = .retry
        case .some: self = .givenUp
        }
    }
}
