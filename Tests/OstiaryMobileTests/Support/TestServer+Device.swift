import OstiaryProtocol

/// Codes that devices show (RFC 8628).
extension TestServer {
    /// The address that one shows as a QR code, and the login that the phone is asked about when it brings it.
    func makeDeviceCode() -> (uri: String, sid: SessionID) {
        let id = SessionID(using: random)
        sessions[id] = LoginSession(isApp: false)
        settings.binding = .unboundLink
        let letters = Array("BCDFGHJKLMNPQRST".utf8)
        let code = random.bytes(8).map { letters[Int($0 % 16)] }
        let uri = "\(Self.url)/device?user_code=\(String(decoding: code, as: UTF8.self))"
        devices[uri] = id
        return (uri, id)
    }

    func verify(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<Verification>(decoding: opened.message)
        try message.verify(by: try key(account(message.value.accountID).deviceKey), freshness: opened.freshness)
        brought.append(message.value.uri)
        guard let sid = devices[message.value.uri] else { return (.sessionUnknown, []) }
        return (.ok, Waiting(logins: [WaitingLogin(link: link(to: sid, .unboundLink), expiresAt: now + 600)]).encoded)
    }

    func link(to sid: SessionID, _ binding: Binding) -> Encoded<LoginLink> {
        Encoded(
            LoginLink(
                serverTag: keys.root.root.tag, sessionID: sid, issuedAt: UInt32(clamping: now.seconds), frame: 0, binding: binding,
                qrSecret: [1, 2, 3]))
    }
}
