import OstiaryProtocol

/// Logins that wait for a phone.
extension TestServer {
    /// The number that the client shows.
    static let number = "314"

    /// Begins one.
    func makeWaitingLogin(for account: AccountID) -> SessionID {
        let id = SessionID(using: random)
        sessions[id] = LoginSession(isApp: false)
        sessions[id]?.waitsFor = account
        let link = LoginLink(
            serverTag: keys.root.root.tag, sessionID: id, issuedAt: UInt32(clamping: now.seconds), frame: 0, binding: .qrStatic, qrSecret: [1, 2, 3])
        waitingLinks.append(Encoded(link))
        return id
    }

    func fetch(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<Fetch>(decoding: opened.message)
        let account = message.value.accountID
        try message.verify(by: try key(self.account(account).deviceKey), freshness: opened.freshness)
        let logins = waiting(for: account).map { WaitingLogin(link: $0, expiresAt: now + 300) }
        return (.ok, Waiting(logins: logins).encoded)
    }

    func somethingWaits(_ sid: SessionID) -> Bool { sessions[sid]?.claimedBy.map { !waiting(for: $0).isEmpty } ?? false }

    /// Nil when the number is right, or none is asked.
    func checkNumber(_ message: Encoded<L5>) -> (Status, [UInt8])? {
        let sid = message.value.sessionID
        guard let session = sessions[sid], session.waitsFor != nil else { return nil }
        numbers.append(message.value.number)
        guard message.value.number != Self.number else { return nil }
        sessions[sid]?.wrongNumbers += 1
        numbersLeft -= 1
        guard session.wrongNumbers + 1 >= 3 || numbersLeft <= 0 else { return (.numberWrong, []) }
        let answer = L6(
            result: .denied, sessionID: nil, pingTime: 0, userName: "", flags: numbersLeft <= 0 ? LoginFlags.numbersUsedUp : 0)
        sessions[sid]?.outcome = (message.unsignedBytes, answer)
        return (.ok, answer.encoded)
    }

    private func waiting(for account: AccountID) -> [Encoded<LoginLink>] {
        waitingLinks.filter { link in
            guard let session = sessions[link.value.sessionID] else { return false }
            return session.outcome == nil && session.waitsFor == account
        }
    }
}
