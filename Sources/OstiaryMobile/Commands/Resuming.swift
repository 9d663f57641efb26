import Foundation
import OstiaryProtocol

/// After the process was started or woken: what was going on goes on.
extension Engine {
    func resume() {
        runInBackground { engine in
            await engine.refresh()
            await engine.lookForWaitingLogins()
        }
    }

    /// Brings Stops that could not be brought, pings every session once, asks once for every login whose answer was not heard and for every account that
    /// waits for its code, takes up what waits, sends what could not be sent; returns when each was tried.
    func refresh() async {
        do throws(OstiaryError) { try reread() } catch { emit(.error(error, session: nil)) }
        sweep()
        giveUpUnheardAppLogins()
        await bringStops()
        takeUpSessions()
        for session in live where session.isWatched || ports.remembersAllSessions && session.shown.isLoggedIn && !session.isEnding {
            let id = session.shown.id
            do throws(OstiaryError) {
                try await ping(id, hold: 0)
                note(connectionError: false, of: id)
                keepAlive(id)
            } catch {
                // One that is not watched is asked about here only, so that what this phone lists is true.
                if session.isWatched { keepAlive(id, atOnce: true) } else if error.isFinalAnswer { close(id, as: .server) }
            }
        }
        // After the pings, which wait for no other server than their own.
        await findOut()
        await takeUpConfirmations()
        await deliverOutbox()
    }

    /// Accounts whose code was not typed yet, as far as is known here, and second factors on their way to headless ones, unless somebody waits for it already.
    /// What the server says of them at once is heard before this returns.
    private func takeUpConfirmations() async {
        for account in stored?.accounts ?? [] where account.state == .pending || account.upgrade != nil {
            guard !live.contains(where: { $0.account == account.id && !$0.shown.isOver }) else { continue }
            var first: Exchanged?
            if let upgrade = account.upgrade {
                first = await fateOfUpgrade(of: account, upgrade)
                guard first != nil else { continue }
            }
            let id = beginConfirmation(of: account)
            if account.upgrade == nil { first = await askWhetherConfirmed(id, account) }
            if let first, first.status != .accountPending {
                await takeUp(id, of: account, after: first)
            } else {
                runInBackground { [first] in await $0.takeUp(id, of: account, after: first) }
            }
        }
    }

    /// The session of an enrolment that goes on.
    private func beginConfirmation(of account: StoredAccount) -> Session.ID {
        var shown = Session(id: UUID(), isEnrolment: true)
        shown.account = self.shown(account)
        shown.enrolInfo.displayName = account.displayName
        (shown.enrolInfo.isUpgrade, shown.enrolInfo.asksSecondFactor) = (account.upgrade != nil, account.upgrade != nil || !account.isHeadless)
        add(LiveSession(shown: shown, rootHash: account.rootHash.bytes, account: account.id))
        return shown.id
    }

    private func takeUp(_ id: Session.ID, of account: StoredAccount, after first: Exchanged?) async {
        do throws(OstiaryError) {
            try await awaitConfirmation(id, of: account, isCodeShown: false, after: first)
        } catch {
            if error != .cancelled { close(id, as: .failed, error) }
        }
    }

    /// Logins that began in another process. They count as logged in once the server says so; one whose yes was not answered is none before. What was
    /// ended is over for an app; a phone that remembers all sessions shows it until its server has heard so.
    func takeUpSessions() {
        for session in stored?.sessions ?? [] where session.unansweredSince == nil && (session.isEnding != true || ports.remembersAllSessions) {
            guard self.session(session.id) == nil, let account = stored?.account(session.account) else { continue }
            live.append(LiveSession(session, of: shown(account), lastSeen: ports.clock.monotonic))
        }
        publish()
    }
}
