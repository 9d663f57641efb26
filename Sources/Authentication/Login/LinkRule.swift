import OstiaryProtocol

/// Which links a server takes, and what they say of the browser (protocol §3 Age, §6).
package struct LinkRule: Sendable {
    /// Seconds for which one frame of a moving code may be scanned that a backend shows.
    package static let frameAge: UInt64 = 10
    /// The same of a login page, which is given its frames ``CodeFrames/ahead``: whoever steals one has ten seconds with it, too, and no more.
    package static let pageFrameAge: UInt64 = 5
    /// Seconds by which a code may be ahead of this server's clock: another node may have drawn it.
    package static let mostAhead: UInt64 = 2

    let serverTag: [UInt8]
    let linkSecret: [UInt8]
    /// Seconds for which a code that stands still may be scanned; 0 never.
    let staticAge: UInt64
    let refusesUnboundLinks: Bool
    /// Whether the session belongs to a login page, whose own link alone may be tapped.
    let hasPage: Bool
    /// Whether the session is pushed: then its account's phone alone has a link to it, and takes it from nowhere else.
    let isPushed: Bool

    package init(serverTag: [UInt8], linkSecret: [UInt8], staticAge: UInt64, refusesUnboundLinks: Bool, hasPage: Bool = false, isPushed: Bool = false)
    {
        self.serverTag = serverTag
        self.linkSecret = linkSecret
        self.staticAge = staticAge
        self.refusesUnboundLinks = refusesUnboundLinks
        self.hasPage = hasPage
        self.isPushed = isPushed
    }

    /// The binding that a link gives, or why it is refused.
    package func binding(of link: Encoded<LoginLink>, via: Via, at now: Instant) throws(Refusal) -> Binding {
        guard link.value.serverTag == serverTag else { throw .linkForeign }
        guard link.isGenuine(qrSecret: linkSecret) else { throw .linkForged }
        guard isPushed == (link.value.binding == .push), isPushed == (via == .push) else { throw .linkNotAllowed }
        guard !isPushed else { return .push }
        let shownAt = Instant(UInt64(link.value.issuedAt)) + UInt64(link.value.frame)
        guard shownAt <= now + Self.mostAhead else { throw .linkEarly }
        let age = now.seconds(since: shownAt)
        switch (via, link.value.binding) {
        case (.scan, .qrDynamic) where age <= (hasPage ? Self.pageFrameAge : Self.frameAge): return .qrDynamic
        case (.scan, .qrDynamic), (.scan, .qrStatic):
            guard staticAge > 0, age <= staticAge else { throw .linkOld }
            return .qrStatic
        // Good as long as the session is open: whoever forwards it gains nothing, because the code goes to the app that was tapped.
        case (.link, .returnCode) where hasPage: return .returnCode
        case (.link, .qrDynamic), (.link, .qrStatic), (.link, .unboundLink):
            guard !hasPage, !refusesUnboundLinks else { throw .linkNotAllowed }
            guard age <= max(staticAge, Self.frameAge) else { throw .linkOld }
            return .unboundLink
        case (.scan, .unboundLink), (.scan, .returnCode), (.link, .returnCode), (.scan, .push), (.link, .push), (.scan, .app), (.link, .app),
            (.push, _), (.app, _):
            throw .linkNotAllowed
        }
    }
}
