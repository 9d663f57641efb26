import OstiaryMobile
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Enrolment codes: several phones read one at once, each at another node and on a line that may break off; one of them sets a first PIN.
extension NodeLoad {
    /// From one code to the next: an enrolment is dear.
    private static let betweenCodes = Duration.seconds(3)

    /// A phone on which nobody has enrolled yet.
    private struct Guest: Sendable {
        let number: Int
        /// Where its way begins: at the next nodes it goes on when that does not answer.
        let node: String
        let phone: FixturePhone
        let line: LossyTransport
    }

    /// What is drawn for somebody who is to enrol.
    private struct Code: Sendable {
        let user: String
        let nonce: String
        let bytes: [UInt8]
        var key: String { "enrolment code of \(user)" }
    }

    /// A phone that was given the code, and asks its person whether to go on.
    private struct Claimed: Sendable {
        let guest: Guest
        let session: Session
    }

    /// Draws one code after the other. What fails because of a fault is in the histories as what nobody knows.
    func inviteGuests(until deadline: Duration, seed: UInt64) async {
        var random = SplitMix(seed: seed &* 31 &+ 1_000)
        while goesOn(until: deadline) {
            try? await invitationRound(&random)
            try? await Task.sleep(for: Self.betweenCodes)
        }
    }

    private func invitationRound(_ random: inout SplitMix) async throws {
        let callers = backends(&random)
        let code = try await drawCode(by: callers[0])
        let guests = try guests(Int.random(in: 2...3, using: &random), to: code, &random)
        for guest in guests {
            switch Int.random(in: 0..<4, using: &random) {
            // It arrives, and from then on nothing does, until the person reads it once more.
            case 0: guest.line.breakOff(after: 0)
            case 1: guest.line.loseEveryOther()
            default: break
            }
        }
        let winners = await read(code, by: guests)
        guard let winner = winners.first else { return codeBook.note(Invitation(user: code.user)) }
        // Somewhere between M1 and W1; the phone goes on asking.
        let place = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0...3, using: &random) : nil
        codeBook.note(await enrol(winners, by: code, callers, breaking: winner.guest.line, after: place))
        await leave(code.nonce, callers)
    }

    /// Once more when all is well again, as with the logins: the first answer to each message is lost. One of three has the code, and what it has enrolled logs in
    /// by the PIN that it has set.
    func enrolWhenWell() async throws {
        var random = SplitMix(seed: 1)
        let callers = backends(&random)
        let code = try await drawCode(by: callers[0])
        let guests = try guests(3, to: code, &random)
        for guest in guests { guest.line.loseEveryOther() }
        let winners = await read(code, by: guests)
        #expect(winners.count == 1, "\(code.user): \(winners.map(\.guest.node)) of \(guests.count) have the code")
        let invitation = await enrol(winners, by: code, callers)
        codeBook.note(invitation)
        let winner = try #require(winners.first?.guest)
        #expect(invitation.heard != nil && invitation.heard == invitation.shown, "\(code.user): \(invitation)")
        await leave(code.nonce, callers)
        var left = 3
        let login = try await backend.loginCode(ManagementClient.newNonce(), asPNG: false)
        let (end, answers) = try await winner.phone.logIn(login) { _ in
            left -= 1
            return left < 0 ? nil : Person.pin
        }
        codeBook.note(sent: winner.line.sent)
        #expect(end.session != nil && !answers.contains { $0.result == .failed }, "\(code.user): \(end) \(answers)")
    }

    /// For somebody new, at one node, and once: another one of this nonce would end it.
    private func drawCode(by caller: NodeCaller) async throws -> Code {
        let (user, nonce) = ("guest-\(codeBook.nextNumber(of: "guest"))", ManagementClient.newNonce())
        codeBook.note(enrolment: nonce)
        let begun = now()
        let code = Code(user: user, nonce: nonce, bytes: try await caller.enrolCode(nonce, user: user))
        codeBook.note(code.key, begun: begun)
        return code
    }

    /// They wait between two tries as phones do: to a hurried one the fifteen minutes for which it waits for its code are over in a moment, and it gives the
    /// account up.
    private func guests(_ count: Int, to code: Code, _ random: inout SplitMix) throws -> [Guest] {
        let (first, nodes) = (Int.random(in: 0..<fixture.nodes.count, using: &random), fixture.nodes)
        return try (0..<count).map { number in
            let place = (first + number) % nodes.count
            let line = LossyTransport(
                seed: random.next(), by: RoamingTransport(by: ways, first: place), copiesBy: ways[(place + 1) % ways.count])
            let phone = try FixturePhone.onNetwork(in: fixture.folder.file("\(code.user)-\(number)"), clock: SystemClock(), transport: line)
            return Guest(number: number, node: nodes[place].name, phone: phone, line: line)
        }
    }

    /// All at once.
    /// - Returns: who was given it, when nobody reads it any more.
    private func read(_ code: Code, by guests: [Guest]) async -> [Claimed] {
        await withTaskGroup(of: Claimed?.self) { group in
            for guest in guests { group.addTask { await self.read(code, by: guest) } }
            return await group.reduce(into: []) { winners, claimed in if let claimed { winners.append(claimed) } }
        }
    }

    /// Again where nobody heard an answer, as a person does: then the phone asks for the same thing once more.
    private func read(_ code: Code, by guest: Guest) async -> Claimed? {
        for _ in 0..<3 where !Task.isCancelled {
            switch await claim(code, by: guest) {
            case .given(let session): return Claimed(guest: guest, session: session)
            case .refused: return nil
            case .unheard:
                guest.line.mend()
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
        return nil
    }

    private func claim(_ code: Code, by guest: Guest) async -> FixturePhone.Claim {
        let invoked = now()
        let claim = await guest.phone.read(code.bytes)
        let outcome: RedeemedOnce.Call.Outcome =
            switch claim {
            case .given: .answered(.given, at: now())
            case .refused: .answered(.refused, at: now())
            case .unheard: .unknown
            }
        histories.claims.note(
            ObservedCall("phone \(guest.number) at \(guest.node)", code.key, RedeemedOnce.Action(request: guest.number), invoked: invoked, outcome))
        return claim
    }

    /// - Parameters:
    ///   - line: of the winner: it breaks off, and is there again two seconds later.
    ///   - count: messages before that; nil where it does not break off.
    private func enrol(
        _ winners: [Claimed], by code: Code, _ callers: [NodeCaller], breaking line: LossyTransport, after count: Int?
    ) async -> Invitation {
        guard let count else { return await enrol(winners, by: code, callers) }
        line.breakOff(after: count)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Sooner where the enrolment is over before.
                try? await Task.sleep(for: .seconds(2))
                line.mend()
            }
            let invitation = await enrol(winners, by: code, callers)
            group.cancelAll()
            return invitation
        }
    }

    /// Sets a first PIN, and has the code typed that the phone shows then. Were there several winners, which is a fault, each would do so.
    private func enrol(_ winners: [Claimed], by code: Code, _ callers: [NodeCaller]) async -> Invitation {
        var invitation = Invitation(user: code.user)
        for winner in winners {
            let phone = winner.guest.phone
            await phone.goOn(with: winner.session) { account, shown in
                invitation.shown = account?.id.rawValue
                await confirm(shown, of: code.nonce, callers)
            }
            // So it is as soon as the phone was told that its code was typed, and no sooner.
            if let account = phone.ostiary.accounts?.first(where: { $0.state == .active }) { invitation.heard = account.id.rawValue }
        }
        return invitation
    }

    /// Types the code, at one node after the other until one has taken it. Where none does the browser leaves, so that the phone waits for nothing.
    private func confirm(_ shown: String, of nonce: String, _ callers: [NodeCaller]) async {
        let invoked = now()
        for attempt in 0..<9 where !Task.isCancelled {
            do {
                try await callers[attempt % callers.count].confirm(nonce, code: shown)
                histories.sessions.note(ObservedCall("site", nonce, .begin, invoked: invoked, .answered(.alive, at: now())))
                return
            } catch { try? await Task.sleep(for: .milliseconds(500)) }
        }
        histories.sessions.note(ObservedCall("site", nonce, .begin, invoked: invoked, .unknown))
        for attempt in 0..<20 where !Task.isCancelled {
            let caller = callers[attempt % callers.count]
            if await stop(session: nonce, by: caller.name, { try await caller.logOut(nonce) }) { return }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// The session that the code has logged in is asked for at each node, and ended.
    private func leave(_ nonce: String, _ callers: [NodeCaller]) async {
        for caller in callers { await read(nonce, by: caller) }
        let last = callers[callers.count - 1]
        await stop(session: nonce, by: last.name) { try await last.logOut(nonce) }
    }

    /// When all is well again: exactly one device has come from each code of which a phone was told so, and it is that phone's; never two have.
    func expectDevices() async throws {
        for invitation in codeBook.invitations {
            let devices = try await devices(of: invitation.user)
            for problem in invitation.problems(with: devices) { Issue.record("\(problem): \(invitation), \(devices)") }
        }
    }

    /// Of whom no phone has enrolled there is no user.
    private func devices(of user: String) async throws -> [Invitation.Device] {
        do {
            return try await backend.accounts(ofUser: user).map { account in
                Invitation.Device(account: account["id"]?.string ?? "", isActive: account["state"]?.string == "active")
            }
        } catch DemoError.unexpectedAnswer(_, 404) { return [] }
    }
}
