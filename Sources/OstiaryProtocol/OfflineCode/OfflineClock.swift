/// What time it is for the codes of one session, at a phone that asks nobody: by what it scanned and by the seconds since (protocol §9).
package struct OfflineClock: Hashable, Sendable {
    /// Seconds from the scan for which the phone makes codes.
    package static let life: UInt64 = 300
    /// Seconds after a code was drawn within which the phone's own clock is believed.
    package static let mostApart: UInt64 = 120

    /// The server's time at the scan, as well as the phone can know it.
    package let scannedAt: Instant

    /// Nil for a link that no browser shows: there is nothing to type a code into.
    /// - Parameter wall: the phone's clock at the scan, with what the server's was ahead of it when it last signed its time.
    package init?(_ link: LoginLink, wall: Instant) {
        let shown = Instant(UInt64(link.issuedAt)) + UInt64(link.frame)
        switch link.binding {
        case .qrDynamic: scannedAt = shown
        case .qrStatic, .returnCode, .unboundLink: scannedAt = wall >= shown && wall <= shown + Self.mostApart ? wall : shown
        case .push, .app: return nil
        }
    }

    /// The interval so many seconds after the scan; nil when the phone makes no codes any more.
    /// - Parameter elapsed: by the clock that nobody sets.
    package func interval(after elapsed: UInt64) -> UInt64? {
        elapsed <= Self.life ? OfflineCode.interval(at: scannedAt + elapsed) : nil
    }

    /// Seconds until there is another code, 1 to 120; the server takes the former for 120 more.
    package func secondsLeft(after elapsed: UInt64) -> UInt64 {
        OfflineCode.step - (scannedAt + elapsed).seconds % OfflineCode.step
    }
}
