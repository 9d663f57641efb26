import Foundation
import OstiaryProtocol

/// Beginning and ending a flow.
extension Engine {
    /// Begins an enrolment, a login or an AppLogin; throws when it cannot even begin.
    @discardableResult
    func begin(_ source: FlowSource) throws(OstiaryError) -> Session.ID {
        endAppLoginIfDue()
        guard flow == nil else { throw .flowInProgress }
        try reread()
        switch source {
        case .app: return try beginAppLogin()
        case .bytes(let bytes):
            if let code = String(validating: bytes, as: UTF8.self).flatMap({ VerificationLink($0) }) { return try begin(code) }
            return try begin(try Self.link(scanned: bytes), via: .scan)
        case .text(let text):
            guard mayBeFollowed(text) else { throw .linkUnreadable }
            if let code = VerificationLink(text) { return try begin(code) }
            return try begin(try Self.link(text), via: .link)
        }
    }

    private func begin(_ code: VerificationLink) throws(OstiaryError) -> Session.ID {
        let accounts = try accounts(at: code.origin)
        return run(Session(id: UUID()), at: accounts[0].rootHash.bytes) { engine, id throws(OstiaryError) in
            try await engine.login(id, byCode: code, of: accounts)
        }
    }

    private func begin(_ link: Link, via: Via) throws(OstiaryError) -> Session.ID {
        switch link {
        case .login(let link):
            guard let server = try known().server(tag: link.value.serverTag) else { throw .noAccountsForServer }
            let rootHash = server.rootHash.bytes
            let scan = scannedLogin(link, at: rootHash)
            return run(Session(id: UUID()), at: rootHash) { engine, id throws(OstiaryError) in
                try await engine.login(id, by: link, via: via, at: rootHash, orCodeFor: scan)
            }
        case .upgrade(let link):
            let account = try known().account(upgradedBy: link)
            return run(Session(id: UUID(), isEnrolment: true), at: link.enrol.rootHash) { engine, id throws(OstiaryError) in
                try await engine.enrol(id, by: link.enrol, upgrading: account)
            }
        case .enrol(let link):
            return run(Session(id: UUID(), isEnrolment: true), at: link.rootHash) { engine, id throws(OstiaryError) in
                try await engine.enrol(id, by: link)
            }
        }
    }

    private func beginAppLogin() throws(OstiaryError) -> Session.ID {
        guard !live.contains(where: { $0.shown.isAppLogin && !$0.shown.isOver }) else { throw .wrongOrder }
        let accounts = try known().accounts.filter { $0.state == .active && !$0.isHeadless }
        guard accounts.count <= 1 else { throw .severalAccounts }
        guard let account = accounts.first else { throw try known().noLogin(at: try known().accounts.map(\.rootHash.bytes)) }
        return run(Session(id: UUID(), isAppLogin: true), at: account.rootHash.bytes) { engine, id throws(OstiaryError) in
            try await engine.logInToApp(id, as: account)
        }
    }

    func run(
        _ shown: Session, at rootHash: [UInt8], _ body: @escaping @Sendable (isolated Engine, Session.ID) async throws(OstiaryError) -> Void
    ) -> Session.ID {
        let id = shown.id
        flow = Flow(session: id)
        add(LiveSession(shown: shown, rootHash: rootHash))
        flow?.task = Task {
            do throws(OstiaryError) { try await body(self, id) } catch { await self.fail(id, error) }
            if self.flow?.session == id { self.flow = nil }
        }
        return id
    }

    /// The end of a flow that did not reach its aim. What the server must hear of it is said first.
    private func fail(_ id: Session.ID, _ error: OstiaryError) async {
        guard flow?.session == id else { return }
        guard !isEndedByCode(id, error) else {
            flow = nil
            return close(id, as: .otp)
        }
        let (onAbort, report) = (flow?.onAbort, flow?.report)
        // A yes that has no answer is to be ended, whatever becomes of it. What was only let go is for the next process to find out.
        if onAbort != nil { noteEnding(id) }
        guard let abort = flow?.abort else {
            flow = nil
            sayParting(report)
            close(id, as: .failed, error)
            if error.leavesServerUnsure, let onAbort { runInBackground { await onAbort($0, nil) } }
            return
        }
        // This task is cancelled; a fresh one can still reach the server.
        await Task { await onAbort?(self, abort) }.value
        flow = nil
        // A denial says it all.
        if case .denied = abort {} else { sayParting(report) }
        switch abort {
        case .cancelled: close(id, as: .cancelled)
        case .denied: close(id, as: .denied)
        case .inputTimeout: close(id, as: .failed, .userInputTimeout)
        }
    }

    /// Whether the path of a link is one that the app takes; the text alone, without an address, always is.
    private func mayBeFollowed(_ text: String) -> Bool {
        guard !configuration.universalLinkPathPrefix.isEmpty, text.contains("://") else { return true }
        return URL(string: text)?.path.hasPrefix(configuration.universalLinkPathPrefix) ?? false
    }

    /// A link from a QR code: the raw bytes, or the text of a link.
    static func link(scanned bytes: [UInt8]) throws(OstiaryError) -> Link {
        if let link = try? Link(decoding: bytes) { return link }
        if bytes.starts(with: Array("http".utf8)), let text = String(validating: bytes, as: UTF8.self) { return try link(text) }
        throw refusal(of: bytes)
    }

    static func link(_ text: String) throws(OstiaryError) -> Link {
        if let link = try? Link(text: text) { return link }
        let fragment = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        throw refusal(of: Base64URL.decode(fragment) ?? [])
    }

    /// A code of our version but of an unknown kind comes from a newer server.
    private static func refusal(of bytes: [UInt8]) -> OstiaryError {
        bytes.count > 20 && bytes[0] == protocolVersion && !Link.hasKind(bytes[1]) ? .linkUnknownKind : .linkUnreadable
    }
}

extension StoredState {
    /// The account of this phone that a link is to make a full one. One that has a second factor here may have lost it at a server whose database is older:
    /// that says so, or that the link is used up.
    fileprivate func account(upgradedBy link: UpgradeLink) throws(OstiaryError) -> StoredAccount {
        let there = accounts.filter { $0.rootHash.bytes == link.enrol.rootHash && $0.state != .enrolling }
        guard !there.isEmpty else { throw .noAccountsForServer }
        guard let account = there.first(where: { link.selects($0.id) }) else { throw .accountNotOffered }
        guard account.state == .active else { throw .accountPending }
        return account
    }
}
