import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("At the same time")
struct RaceTests {
    /// Delivers all messages at once; each outcome in the place of its message.
    private func deliver(_ messages: [Outgoing], in world: DomainFixture) async throws -> [Result<Reply, Refusal>] {
        let gate = Gate()
        return try await withThrowingTaskGroup(of: (Int, Result<Reply, Refusal>).self) { group in
            for (index, message) in messages.enumerated() {
                group.addTask {
                    await gate.wait(for: messages.count)
                    do {
                        let reply = try await world.deliver(message)
                        return (index, .success(reply))
                    } catch let refusal as Refusal {
                        return (index, .failure(refusal))
                    }
                }
            }
            var outcomes: [Int: Result<Reply, Refusal>] = [:]
            for try await (index, outcome) in group { outcomes[index] = outcome }
            return messages.indices.compactMap { outcomes[$0] }
        }
    }

    private func winners(_ outcomes: [Result<Reply, Refusal>]) -> [Int] {
        outcomes.indices.filter { if case .success = outcomes[$0] { true } else { false } }
    }

    private func refusals(_ outcomes: [Result<Reply, Refusal>]) -> [Refusal] {
        outcomes.compactMap { if case .failure(let refusal) = $0 { refusal } else { nil } }
    }

    @Test("Two phones scan one enrolment code, 16 times each: one phone has it, every other request finds it used")
    func enrolmentLink() async throws {
        let world = try await DomainFixture()
        let phones = [try TestPhone(world, "first"), try TestPhone(world, "second")]
        let invitation = try await world.invite()
        let outcomes = try await deliver(try (0..<32).map { try phones[$0 % 2].claiming(invitation) }, in: world)
        let winners = winners(outcomes)
        #expect(Set(winners.map { $0 % 2 }).count == 1 && winners.count == 16)
        #expect(refusals(outcomes).allSatisfy { $0 == .enrolmentUsed })
        let accounts = try winners.map { try E2(decoding: outcomes[$0].get().body).accountID }
        #expect(Set(accounts).count == 1)
    }

    @Test("The decision of an enrolment arrives 32 times: one account, told the same each time")
    func decisionOfEnrolment() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let decision = try phone.finishing(claimed, try await phone.setFirstPIN(claimed))
        let outcomes = try await deliver([Outgoing](repeating: decision, count: 32), in: world)
        #expect(winners(outcomes).count == 32)
        #expect(Set(try outcomes.map { try $0.get().body }).count == 1)
        #expect(try await world.snapshot().accounts.count == 1)
    }

    @Test("A page begins anew 16 times while its phone's decision arrives 16 times: all of the one win, and none of the other")
    func renewals() async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phone = try await world.enrolledPhone()
        for round in 0..<8 {
            try await world.openPage()
            let before = try present(try await world.session())
            let shown = try await phone.look(at: try await world.drawn())
            let decision = try phone.deciding(shown, .init())
            let gate = Gate()
            let won = try await withThrowingTaskGroup(of: (isPage: Bool, won: Bool).self) { group in
                for index in 0..<32 {
                    group.addTask {
                        await gate.wait(for: 32)
                        do {
                            if index % 2 == 0 { try await world.openPage(as: .renewed(over: nil)) } else { _ = try await world.deliver(decision) }
                            return (index % 2 == 0, true)
                        } catch LoginLinkError.returning { return (true, false) } catch Refusal.sessionOver { return (false, false) }
                    }
                }
                return try await group.reduce(into: [Bool: Int]()) { $0[$1.isPage, default: 0] += $1.won ? 1 : 0 }
            }
            let after = try present(try await world.session())
            let isAccepted = after.id == before.id
            #expect(won == (isAccepted ? [true: 0, false: 16] : [true: 16, false: 0]), "\(round)")
            #expect(isAccepted ? after.isReturning : after.state == .open, "\(round)")
        }
    }

    @Test("Two phones decide on one session, 16 times each: one account is logged in, by one of its decisions")
    func decisions() async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phones = [try await world.enrolledPhone(name: "first"), try await world.enrolledPhone("bob", name: "second")]
        let link = try await world.link()
        var decisions: [Outgoing] = []
        for index in 0..<8 {
            let shown = try await phones[index % 2].look(at: link)
            decisions.append(try phones[index % 2].deciding(shown, .init()))
        }
        let outcomes = try await deliver((0..<32).map { decisions[$0 % 8] }, in: world)
        let winners = winners(outcomes)
        // The four copies of the decision that won, and no other.
        #expect(Set(winners.map { $0 % 8 }).count == 1 && winners.count == 4)
        let account = try present(phones[try present(winners.first) % 2].account)
        #expect(try await world.status().accountID == account)
        #expect(refusals(outcomes).allSatisfy { [.sessionTaken, .sessionOver, .differentDecision].contains($0) })
        let logins = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 99).filter { $0.kind == .loginAccepted } }
        #expect(logins.count == 1)
    }

    @Test("The right code is typed in 32 windows: one activation, one session, everybody is told so")
    func rightCode() async throws {
        let (world, invitation, claimed) = try await pending()
        let outcomes = try await type((0..<32).map { _ in claimed.code }, invitation, in: world)
        #expect(outcomes.allSatisfy { $0 == .activated(claimed.shown.accountID) })
        let state = try await world.snapshot()
        #expect(state.audit.filter { $0.kind == .accountActivated }.count == 1)
        #expect(state.sessions.values.filter { $0.login != nil }.count == 1)
    }

    @Test("32 wrong codes at once are three tries, and the account is gone")
    func wrongCodes() async throws {
        let (world, invitation, claimed) = try await pending()
        let outcomes = try await type((0..<32).map { _ in claimed.wrongCode }, invitation, in: world)
        #expect(outcomes.filter { $0 == .wrong(triesLeft: 2) }.count == 1)
        #expect(outcomes.filter { $0 == .wrong(triesLeft: 1) }.count == 1)
        #expect(outcomes.filter { $0 == .removed }.count == 1)
        #expect(outcomes.filter { $0 == nil }.count == 29)
        #expect(try await world.account(claimed.shown.accountID) == nil)
    }

    @Test("The right code among wrong ones: activated or removed, never both")
    func mixedCodes() async throws {
        for round in 0..<4 {
            let (world, invitation, claimed) = try await pending()
            let codes = (0..<32).map { $0 == round * 8 ? claimed.code : claimed.wrongCode }
            let outcomes = try await type(codes, invitation, in: world)
            let isActive = try await world.account(claimed.shown.accountID)?.state == .active
            #expect(outcomes.contains(.activated(claimed.shown.accountID)) == isActive)
            #expect(outcomes.contains(.removed) == !isActive)
            #expect(outcomes.filter { $0.isWrong }.count <= 2)
        }
    }

    private func pending() async throws -> (DomainFixture, DomainFixture.Invitation, Claimed) {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        let claimed = try await TestPhone(world, "phone").enrolPending(invitation)
        return (world, invitation, claimed)
    }

    /// Nil where there was nothing to confirm any more.
    private func type(_ codes: [String], _ invitation: DomainFixture.Invitation, in world: DomainFixture) async throws -> [ConfirmationOutcome?] {
        let gate = Gate()
        return try await withThrowingTaskGroup(of: ConfirmationOutcome?.self) { group in
            for code in codes {
                group.addTask {
                    await gate.wait(for: codes.count)
                    do { return try await world.confirm(invitation, code: code) } catch ConfirmationError.nothingToConfirm { return nil }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("64 tries at once: never more evaluations than tries, and the owner comes in once the penalty is over")
    func tries() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let evaluated = world.secondFactor.truth.evaluations
        let outcomes = try await deliver(try (0..<64).map { _ in try phone.trying(shown).message }, in: world)
        let counter = try present(world.secondFactor.truth.counter(of: phone.instance))
        let told = winners(outcomes).filter { (try? outcomes[$0].get().status) == .ok }
        #expect(counter.highest <= 5 && world.secondFactor.truth.evaluations - evaluated == Int(counter.highest))
        #expect(told.count <= Int(counter.highest) && !told.isEmpty)
        #expect(refusals(outcomes).allSatisfy { $0 == .attemptOpen || $0 == .attemptReplaced })
        world.pass(300)
        let next = try await phone.look(at: try await world.link("next"))
        let tried = try await phone.tryPIN(next)
        #expect(counter.failed >= 5 || tried.status == .ok)
    }

    @Test("The silent login after an enrolment is had once, by one of 16 AppLogins that try at once")
    func singleUseCache() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        let cache = try present(try await phone.hearOfActivation(of: try present(phone.account)).cache)
        var decisions: [Outgoing] = []
        for _ in 0..<16 { decisions.append(try phone.acceptingByCache(try await phone.startAppLogin(), cache)) }
        let outcomes = try await deliver(decisions, in: world)
        #expect(winners(outcomes).count == 1)
        // An app has one AppLogin at a time: whoever was admitted with the cache while the winner spent it finds the session replaced. Both say no.
        #expect(refusals(outcomes).allSatisfy { $0 == .cacheNotValid || $0 == .sessionOver })
        #expect(try await world.snapshot().sessions.values.filter { $0.purpose == .app && $0.login != nil && !$0.isFinished }.count == 1)
    }

    @Test("One request arrives 32 times at once and takes effect once")
    func oneRequest() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let sealed = try world.seal(try phone.trying(shown).message).bytes
        let gate = Gate()
        let told = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    await gate.wait(for: 32)
                    do { return try await world.receive(sealed).status == .ok } catch Refusal.replayed { return false }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(told.filter { $0 }.count == 1)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.highest == 1)
    }

    @Test("Once a logout returned, no ping that was under way brings the session back")
    func logOutAmongPings() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        world.pass(1)
        let pings = try (0..<31).map { _ in try phone.fresh(Ping(sessionID: login.session, hold: 0)) }
        async let answers = deliver(pings, in: world)
        try await world.queries.logOut(try SessionNonce(login.webNonce), at: world.server, by: .backend, now: world.now)
        let status = try await world.status(webNonce: login.webNonce)
        #expect(status == .nobody)
        #expect(winners(try await answers).count == 31)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
    }

    @Test("Two runs of the close queue at once erase an instance once and lose nothing")
    func closes() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.accounts.delete(try present(phone.account), at: world.server, by: .backend, now: world.now)
        async let first = world.closes.run(at: world.now)
        async let second = world.closes.run(at: world.now)
        #expect(try await first + second >= 1)
        #expect(try await world.snapshot().closes.isEmpty)
        #expect(world.secondFactor.truth.closed == [phone.instance])
    }
}

extension ConfirmationOutcome? {
    fileprivate var isWrong: Bool {
        if case .wrong = self { true } else { false }
    }
}
