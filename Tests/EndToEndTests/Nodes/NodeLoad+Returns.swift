import OstiaryTesting

@testable import OstiaryMobile
@testable import OstiaryPhone

/// Login pages: a browser comes back with the code, and another that has the same address does so at the same time, at other nodes.
extension NodeLoad {
    /// Somebody has said yes on the phone, whose browser has not come back yet. The site knows browsers by the nonces of their cookies.
    private struct ComingBack: Sendable {
        let key: String
        let code: String
        /// Of the browser that the login began in.
        let own: String
        let other: String
        let session: Session
    }

    private struct Unheard: Error {}

    func returnRound(of resident: NodeResident, _ random: inout SplitMix) async throws {
        let back = try await comingBack(of: resident)
        // In turn, so that a short run, too, meets all of them.
        let firsts: [HandedInOnce.Action?] = [.own, .other, nil]
        await handIn(back, first: firsts[codeBook.nextNumber(of: "return code") % firsts.count], &random)
        for caller in backends(&random) { await read(back.other, by: caller) }
        await go(on: back, of: resident, &random)
    }

    /// When all is well again, one login of which its own browser is first, and one of which the other is.
    /// - Returns: what its own browser was told at last of each.
    func returnWhenWell() async throws -> (own: HandedInOnce.Answer?, other: HandedInOnce.Answer?) {
        var random = SplitMix(seed: 2)
        let resident = residents[0]
        try await waitUntilAble(resident)
        var answers: [HandedInOnce.Answer?] = []
        for first in [HandedInOnce.Action.own, .other] {
            let back = try await comingBack(of: resident)
            answers.append(await handIn(back, first: first, &random))
            await go(on: back, of: resident, &random)
        }
        return (answers[0], answers[1])
    }

    private func comingBack(of resident: NodeResident) async throws -> ComingBack {
        let (own, key) = (ManagementClient.newNonce(), newName("return code", of: resident))
        let link = try await DemoBrowser.tappedLink(of: own, backend, back: fixture.layout.siteURL + "/welcome")
        let entered = EnteredPINs(resident, isWrong: false)
        codeBook.note(key, begun: now())
        let (end, answers) = try await resident.phone.accept(.text(link), entering: entered.next)
        note(answers, of: entered, resident, isBlock: end.isBlock)
        guard let session = end.session, let address = session.returnURL else { throw NotLoggedIn() }
        return ComingBack(key: key, code: ReturnedCode.of(address), own: own, other: ManagementClient.newNonce(), session: session)
    }

    /// One of them alone before all, or all at once; then its own loads the address again.
    /// - Returns: what that was told.
    @discardableResult
    private func handIn(_ back: ComingBack, first: HandedInOnce.Action?, _ random: inout SplitMix) async -> HandedInOnce.Answer? {
        let callers = backends(&random)
        // One of the six, in a third of the rounds.
        let unheard = Int.random(in: 0..<18, using: &random)
        if let first { _ = await handIn(back, first, at: callers[0]) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                let (browser, caller) = (number < 3 ? HandedInOnce.Action.own : .other, callers[number % 3])
                group.addTask { _ = await self.handIn(back, browser, at: caller, isHeard: number != unheard) }
            }
        }
        return await handIn(back, .own, at: callers[Int.random(in: 0..<callers.count, using: &random)])
    }

    private func handIn(
        _ back: ComingBack, _ browser: HandedInOnce.Action, at caller: NodeCaller, isHeard: Bool = true
    ) async -> HandedInOnce.Answer? {
        await histories.handIns.watch("\(browser) browser, \(caller.name)", back.key, browser) {
            let isIn = try await caller.handIn(back.code, for: browser == .own ? back.own : back.other)
            guard isHeard else { throw Unheard() }
            return isIn ? .loggedIn : .refused
        }
    }

    /// Whoever was let in, or may have been, is asked for and logged out. Where its own browser was refused each time nobody ever began to be logged in.
    private func go(on back: ComingBack, of resident: NodeResident, _ random: inout SplitMix) async {
        let calls = histories.handIns.calls.filter { $0.key == back.key && $0.action == .own }
        let isIn = calls.contains { $0.answer == .loggedIn }
        guard isIn || calls.contains(where: { $0.outcome == .unknown }) else {
            for caller in backends(&random) { await read(back.own, by: caller) }
            return
        }
        let invoked = calls.map(\.invoked).min() ?? now()
        histories.sessions.note(ObservedCall(resident.name, back.own, .begin, invoked: invoked, isIn ? .answered(.alive, at: now()) : .unknown))
        await follow(back.own, of: back.session, resident, &random)
    }
}
