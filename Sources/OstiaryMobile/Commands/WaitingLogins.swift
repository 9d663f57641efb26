import Foundation
import OstiaryProtocol

/// Logins that wait for this phone (protocol §8): fetched, and begun one after the other, each like one that was scanned, and each confirmed by the person.
extension Engine {
    /// How many links are remembered. Four wait at once for each account, and five minutes at most.
    private static let mostRemembered = 64

    /// A person asks.
    func fetchWaitingLogins() {
        runInBackground { engine in
            do throws(OstiaryError) {
                _ = try await engine.beginWaitingLogin()
            } catch {
                // It waits, and is begun when that is over.
                guard error != .flowInProgress else { return }
                await engine.emit(.error(error, session: nil))
            }
        }
    }

    /// A person asks, and gets the login that was begun: what they gave up before is begun again.
    func beginWaitingLogin() async throws(OstiaryError) -> Session.ID? {
        endAppLoginIfDue()
        begunWaiting = []
        return try await fetchAndBegin()
    }

    /// Nobody asked: nothing is said of what fails, because the next time looks again.
    func lookForWaitingLogins() async {
        guard ports.beginsWaitingLogins, !isInBackground else { return }
        do throws(OstiaryError) { _ = try await fetchAndBegin() } catch { return }
    }

    private func fetchAndBegin() async throws(OstiaryError) -> Session.ID? {
        mayHaveWaiting = true
        guard flow == nil, !isFetchingWaiting else { throw .flowInProgress }
        isFetchingWaiting = true
        defer { isFetchingWaiting = false }
        try reread()
        var failure: OstiaryError?
        var found: [FetchedLogin] = []
        for account in try known().accounts where account.state == .active && !account.isHeadless {
            do throws(OstiaryError) {
                let waiting = try await ServerLine(of: account, patience: 0).ask(Fetch(accountID: account.id), for: Waiting.self, by: self).value
                found += waiting.logins.map { FetchedLogin(link: $0.link, account: account) }.filter { isNew($0) }
            } catch {
                failure = failure ?? error
            }
        }
        // Begun while the servers were asked: what was found is looked for again when that is over.
        guard flow == nil else { throw .flowInProgress }
        mayHaveWaiting = found.count > 1
        guard let oldest = found.first else {
            if let failure { throw failure }
            return nil
        }
        begunWaiting = (begunWaiting + [oldest.link.bytes]).suffix(Self.mostRemembered)
        return begin(oldest)
    }

    private func begin(_ login: FetchedLogin) -> Session.ID {
        let rootHash = login.account.rootHash.bytes
        return run(Session(id: UUID()), at: rootHash) { engine, id throws(OstiaryError) in
            try await engine.login(id, by: login.link, via: .push, at: rootHash, as: login.account.id)
        }
    }

    /// Whether it was not begun here, and no yes to it waits for its answer. A link to another server, or one that would be followed there, is none.
    private func isNew(_ login: FetchedLogin) -> Bool {
        let sid = login.link.value.sessionID
        return !begunWaiting.contains(login.link.bytes) && !live.contains { $0.sid == sid && !$0.shown.isOver }
            && stored?.sessions.contains { $0.session == sid } != true
            && stored?.server(tag: login.link.value.serverTag)?.rootHash == login.account.rootHash
    }
}

/// A login with the account that it waits for.
private struct FetchedLogin: Sendable {
    let link: Encoded<LoginLink>
    let account: StoredAccount
}
