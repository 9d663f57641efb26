import OstiaryProtocol
import OstiaryTesting

@testable import OstiaryMobile
@testable import OstiaryPhone

/// Logins of browsers, by phones that ask and by codes that are typed.
extension NodeLoad {
    func loginRound(of resident: NodeResident, _ random: inout SplitMix) async throws {
        let nonce = ManagementClient.newNonce()
        let code = try await backend.loginCode(nonce, asPNG: false)
        let entered = EnteredPINs(resident, isWrong: Bool.random(using: &random))
        let session = try await begin(nonce, of: resident, entered) { try await resident.phone.logIn(code, entering: entered.next) }
        await follow(nonce, of: session, resident, &random)
    }

    /// Writes down a login, whose nonce may come with it.
    /// - Throws: where nobody knows whether somebody is logged in.
    func begin(
        _ nonce: String?, of resident: NodeResident, _ entered: EnteredPINs,
        _ body: () async throws -> (end: FixturePhone.End, answers: [SecondFactorInfo])
    ) async throws -> Session {
        let invoked = histories.now()
        var session: Session?
        defer {
            let outcome: AliveUntilStopped.Call.Outcome = session == nil ? .unknown : .answered(.alive, at: histories.now())
            if let key = nonce ?? session?.webNonce {
                histories.sessions.note(ObservedCall(resident.name, key, .begin, invoked: invoked, outcome))
            }
        }
        let (end, answers) = try await body()
        note(answers, of: entered, resident, isBlock: end.isBlock)
        session = end.session
        guard let begun = session else { throw NotLoggedIn() }
        return begun
    }

    /// A phone without a network shows a code, and three hand it in at three nodes at once.
    func offlineRound(of resident: NodeResident, _ random: inout SplitMix) async throws {
        let nonce = ManagementClient.newNonce()
        let file = try await resident.person.loginCode(nonce, in: fixture.folder)
        let shown = try await resident.person.phone.run(["otp", file])
        guard let code = shown.event("otp")?["code"]?.string else { throw NotLoggedIn() }
        let callers = backends(&random)
        let answer = await histories.sessions.watch(resident.name, nonce, .begin) {
            let isGiven = await withTaskGroup(of: RedeemedOnce.Answer?.self) { group in
                for (number, caller) in callers.enumerated() {
                    group.addTask {
                        await self.histories.codes.watch(caller.name, nonce, RedeemedOnce.Action(request: number)) {
                            try await caller.redeem(code, for: nonce) ? .given : .refused
                        }
                    }
                }
                return await group.contains(.given)
            }
            guard isGiven else { throw NotLoggedIn() }
            return .alive
        }
        guard answer != nil else { throw NotLoggedIn() }
        await follow(nonce, of: nil, resident, &random)
    }

    /// Backends ask at all nodes, and the phone at any, while the session is stopped at one of them.
    /// - Parameter session: what the phone has of it, which may end it too.
    func follow(_ nonce: String, of session: Session?, _ resident: NodeResident, _ random: inout SplitMix) async {
        let callers = backends(&random)
        let stopper = callers[Int.random(in: 0..<callers.count, using: &random)]
        let own = Bool.random(using: &random) ? session : nil
        var asks = callers.map { caller in { @Sendable in await self.read(nonce, by: caller) } }
        if let session { asks.append { await self.ping(session, nonce, of: resident) } }
        await watch(&random, asks) {
            await self.stop(session: nonce, by: own == nil ? stopper.name : resident.name) {
                if let own { try await resident.phone.ostiary.end(own) } else { try await stopper.logOut(nonce) }
            }
        }
    }

    /// Asks whether somebody is logged in, and who.
    func read(_ nonce: String, by caller: NodeCaller) async {
        let invoked = now()
        await histories.sessions.watch(caller.name, nonce, .read) {
            let status = try await caller.status(of: nonce)
            if let account = status.accountid {
                histories.accounts.note(ObservedCall(caller.name, nonce, .ask, invoked: invoked, .answered(.told(account), at: histories.now())))
            }
            return status.loggedin ? .alive : .over
        }
    }

    /// One ping, at whichever node has its turn.
    func ping(_ session: Session, _ nonce: String, of resident: NodeResident) async {
        await histories.sessions.watch("\(resident.name)’s phone", nonce, .read) {
            let answer = try await resident.phone.ostiary.core(for: .system).engine.pingAnswer(session.id, hold: 0)
            return answer.state == .loggedIn ? .alive : .over
        }
        // Seldomer than backends ask, whom nobody's line keeps.
        try? await Task.sleep(for: .milliseconds(150))
    }
}
