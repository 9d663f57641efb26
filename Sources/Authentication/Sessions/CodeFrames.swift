import OstiaryProtocol

/// The frame of a moving code that is shown now, and what is needed to make those of the next seconds from it: a page draws them by itself until it
/// asks again (protocol §3).
package struct CodeFrames: Sendable {
    /// Seconds for which frames are given away ahead: so long whoever steals a page has its code without the page.
    package static let ahead = 5

    package let first: Encoded<LoginLink>
    /// The macs of the frames that follow, one a second.
    package let next: [[UInt8]]

    /// - Parameters:
    ///   - issuedAt: what frames are counted from.
    ///   - now: the second of the first frame.
    init(of session: SessionID, serverTag: [UInt8], issuedAt: Instant, at now: Instant, qrSecret: [UInt8]) {
        func link(after seconds: Int) -> LoginLink {
            LoginLink(
                serverTag: serverTag, sessionID: session, issuedAt: UInt32(clamping: issuedAt.seconds),
                frame: UInt16(clamping: now.seconds(since: issuedAt) + UInt64(seconds)), binding: .qrDynamic, qrSecret: qrSecret)
        }
        first = Encoded(link(after: 0))
        next = (1...Self.ahead).map { link(after: $0).mac }
    }
}
