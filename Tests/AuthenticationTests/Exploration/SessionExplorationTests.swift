import Authentication
import OstiaryProtocol
import Testing

@Suite("Session machine, explored")
struct SessionExplorationTests {
    private static let depth = 10

    @Test("No order of events breaks a promise of the session")
    func everyOrder() {
        let result = SessionExploration { session, event, now in try session.after(event, at: now) }.run(depth: Self.depth)
        #expect(result.breaches.isEmpty)
        #expect(result.situations > 300)
    }

    @Test("No order of events breaks a promise of a session with a page")
    func everyOrderWithPage() {
        let result = SessionExploration(step: { session, event, now in try session.after(event, at: now) }, page: SessionSample.page)
            .run(depth: Self.depth)
        #expect(result.breaches.isEmpty)
        #expect(result.situations > 300)
    }

    @Test("A machine that logs a page in as soon as the phone accepts is noticed")
    func polled() {
        let mutant = SessionExploration(
            step: { session, event, now in
                guard case .approve(let login, _) = event, case .claimed(let claim) = session.settled(at: now).state, claim.account == login.account
                else { return try session.after(event, at: now) }
                return session.with(.loggedIn(login))
            }, page: SessionSample.page)
        #expect(mutant.run(depth: Self.depth).breaches.contains(.loggedInUnreturned))
    }

    @Test("A machine whose pings keep the way back open is noticed")
    func pingedOpen() {
        let mutant = SessionExploration(
            step: { session, event, now in
                guard case .ping(_, let patience?) = event, case .returning(let login, let ticket) = session.settled(at: now).state
                else { return try session.after(event, at: now) }
                return session.with(.returning(login, ReturnTicket(codeHash: ticket.codeHash, until: now + patience)))
            }, page: SessionSample.page)
        #expect(mutant.run(depth: Self.depth).breaches.contains(.awaitedTooLong))
    }

    @Test("A machine that lets a late ping revive a session is noticed")
    func lateRevival() {
        let mutant = SessionExploration { session, event, now in
            guard case .ping(let stamp, let patience?) = event, case .loggedIn(var login) = session.state, stamp > login.lastStamp
            else { return try session.after(event, at: now) }
            login.lastStamp = stamp
            login.deadline = now + patience
            return session.with(.loggedIn(login))
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.revived))
    }

    @Test("A machine that lets a second account claim is noticed")
    func secondClaim() {
        let mutant = SessionExploration { session, event, now in
            guard case .claim(let account, let binding) = event, case .claimed = session.settled(at: now).state
            else { return try session.after(event, at: now) }
            return session.with(.claimed(.init(account: account, binding: binding)))
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.changedHands))
    }

    @Test("A machine that logs in without a claim is noticed")
    func noClaim() {
        let mutant = SessionExploration { session, event, now in
            guard case .logIn(let login) = event, case .open = session.settled(at: now).state else { return try session.after(event, at: now) }
            return session.with(.loggedIn(login))
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.loggedInUnclaimed))
    }

    @Test("A machine that lets an account's code into a session that another has claimed is noticed")
    func codeOfAnother() {
        let mutant = SessionExploration { session, event, now in
            guard case .typeCode(let login, _) = event, case .claimed = session.settled(at: now).state
            else { return try session.after(event, at: now) }
            return session.with(.loggedIn(login))
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.changedHands))
    }

    @Test("A machine that logs a page in by a code before its browser came back is noticed")
    func codeWithoutReturn() {
        let mutant = SessionExploration(
            step: { session, event, now in
                guard case .typeCode(let login, _) = event, case .open = session.settled(at: now).state else {
                    return try session.after(event, at: now)
                }
                return session.with(.loggedIn(login))
            }, page: SessionSample.page)
        #expect(mutant.run(depth: Self.depth).breaches.contains(.loggedInUnreturned))
    }

    @Test("A machine that lets a login follow a stop is noticed")
    func lostStop() {
        let mutant = SessionExploration { session, event, now in
            guard case .stop = event, case .claimed = session.settled(at: now).state else { return try session.after(event, at: now) }
            return session
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.stopUndone))
    }

    @Test("A machine that counts an old ping is noticed")
    func stalePing() {
        let mutant = SessionExploration { session, event, now in
            guard case .ping(let stamp, let patience?) = event, case .loggedIn(var login) = session.settled(at: now).state, stamp <= login.lastStamp
            else { return try session.after(event, at: now) }
            login.deadline = now + patience
            return session.with(.loggedIn(login))
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.stalePingCounted))
    }

    @Test("A machine that ends a login because its phone gave up is noticed")
    func endedByReport() {
        let mutant = SessionExploration { session, event, now in
            guard case .report = event, case .claimed = session.settled(at: now).state else { return try session.after(event, at: now) }
            return session.with(.expired)
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.movedByReport))
    }

    @Test("A machine that goes on showing what a phone said before it went on is noticed")
    func staleReport() {
        let mutant = SessionExploration { session, event, now in
            var after = try session.after(event, at: now)
            if case .claim = event { after.report = session.settled(at: now).report }
            return after
        }
        #expect(mutant.run(depth: Self.depth).breaches.contains(.reportOutlived))
    }
}

extension Session {
    fileprivate func with(_ state: SessionState) -> Session {
        var session = self
        session.state = state
        return session
    }
}
