import OstiaryProtocol
import OstiaryTesting
import Synchronization

@testable import OstiaryMobile
@testable import OstiaryPhone

/// What clients are let do: a device shows a code, a person says yes on the phone, and tokens are given, renewed, asked about and ended at three nodes.
extension NodeLoad {
    /// A device and what it was given.
    private struct Device: Sendable {
        let key: String
        let session: Session
        /// At each node.
        let callers: [TokenCaller]
    }

    func tokenRound(of resident: NodeResident, _ random: inout SplitMix) async throws {
        let callers = clients(&random)
        let isFirst = !isHeard(.tokens)
        let isLasting = Bool.random(using: &random) || isFirst
        let isContested = Int.random(in: 0..<3, using: &random) == 0 && !isFirst
        let question = try await callers[0].begin(isLasting: isLasting)
        let entered = EnteredPINs(resident, isWrong: false)
        let (end, answers) = try await resident.phone.logIn(Array(question.address.utf8), entering: entered.next)
        note(answers, of: entered, resident, isBlock: end.isBlock)
        guard let session = end.session else { throw NotLoggedIn() }
        let device = Device(key: newName("device", of: resident), session: session, callers: callers)
        if let given = await redeem(question.code, isContested ? callers : [callers[1]], device) {
            if isLasting, !isContested, let refresh = given.refresh {
                try await refreshRound(of: device, given, refresh, &random)
            } else {
                await endRound(of: device, given, by: isLasting ? nil : resident, &random)
            }
        }
        // It is on the phone all the same, and ends what hangs on it.
        await stop(grants: isLasting ? [] : [device.key], by: resident.name) { try await resident.phone.ostiary.end(session) }
    }

    /// Several ask at once with one code: one has tokens, and the next ends them.
    private func redeem(_ code: String, _ callers: [TokenCaller], _ device: Device) async -> TokenCaller.Given? {
        await withTaskGroup(of: TokenCaller.Given?.self) { group in
            for (number, caller) in callers.enumerated() {
                group.addTask { await self.redeem(device.key, by: caller, as: number) { try await caller.redeem(code) } }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
    }

    /// Writes down what a code gave, or that it gives nothing.
    /// - Parameters:
    ///   - key: of the code, and of what it gives.
    ///   - number: of this request, among those with the code.
    /// - Returns: nil where it is refused, and where nobody knows.
    func redeem(
        _ key: String, by caller: TokenCaller, as number: Int, _ body: () async throws -> TokenCaller.Given?
    ) async -> TokenCaller.Given? {
        let (invoked, action) = (now(), RedeemedOnce.Action(request: number))
        let answer: TokenCaller.Given?
        do { answer = try await body() } catch {
            histories.codes.note(ObservedCall(caller.name, key, action, invoked: invoked, .unknown))
            // It may have been one too many.
            histories.grants.note(ObservedCall(caller.name, key, .stop, invoked: invoked, .unknown))
            return nil
        }
        let moment = now()
        let isGiven = answer != nil
        histories.codes.note(ObservedCall(caller.name, key, action, invoked: invoked, .answered(isGiven ? .given : .refused, at: moment)))
        histories.grants.note(
            ObservedCall(caller.name, key, isGiven ? .begin : .stop, invoked: invoked, .answered(isGiven ? .alive : .over, at: moment)))
        if let answer { tokens.withLock { $0[key] = answer.access } }
        return answer
    }

    /// All ask about a token while its device gives it back, or the phone ends the login that it hangs on.
    private func endRound(of device: Device, _ given: TokenCaller.Given, by resident: NodeResident?, _ random: inout SplitMix) async {
        let stopper = device.callers[Int.random(in: 0..<device.callers.count, using: &random)]
        let phone = Bool.random(using: &random) ? resident : nil
        await watch(&random, asks(about: [given.access], device)) {
            await self.stop(grants: [device.key], by: phone?.name ?? stopper.name) {
                if let phone { try await phone.phone.ostiary.end(device.session) } else { try await stopper.revoke(given.access) }
            }
        }
    }

    private func asks(about tokens: [String], _ device: Device) -> [@Sendable () async -> Void] {
        device.callers.enumerated().map { number, caller in { @Sendable in await self.read(tokens[number % tokens.count], device.key, by: caller) } }
    }

    /// Asks whether a token opens something.
    func read(_ token: String, _ key: String, by caller: TokenCaller) async {
        await histories.grants.watch(caller.name, key, .read) { try await caller.isActive(token) ? .alive : .over }
    }

    /// A refresh token is sent at three nodes at once, as by a client that heard no answer, and has one successor. That is used, and then the first once more,
    /// which ends all; or the newest is given back.
    private func refreshRound(of device: Device, _ given: TokenCaller.Given, _ first: String, _ random: inout SplitMix) async throws {
        let second = await withTaskGroup(of: TokenCaller.Given?.self) { group in
            for caller in device.callers { group.addTask { await self.refresh(first, device.key, by: caller) } }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        guard let second, let next = second.refresh else { throw NotLoggedIn() }
        let user = device.callers[Int.random(in: 0..<device.callers.count, using: &random)]
        let invoked = now()
        let third = await refresh(next, device.key, by: user)
        histories.refreshes.note(
            ObservedCall(
                user.name, Self.shortened(first), .end, invoked: invoked, third == nil ? .unknown : .answered(.done, at: now())))
        let stopper = device.callers[Int.random(in: 0..<device.callers.count, using: &random)]
        let isReused = Bool.random(using: &random)
        let newest = third?.refresh ?? next
        await watch(&random, asks(about: [given.access, second.access, third?.access ?? second.access], device)) {
            if isReused {
                _ = await self.refresh(first, device.key, by: stopper)
            } else {
                _ = await self.stop(grants: [device.key], by: stopper.name) { try await stopper.revoke(newest) }
            }
        }
        // Over, or what it was: never something else.
        for caller in device.callers { _ = await refresh(first, device.key, by: caller) }
    }

    /// - Returns: nil where it is refused, which shows that two have it and ends all, and where nobody knows.
    private func refresh(_ token: String, _ key: String, by caller: TokenCaller) async -> TokenCaller.Given? {
        let (invoked, name) = (now(), Self.shortened(token))
        let answer: TokenCaller.Given?
        do { answer = try await caller.refresh(token) } catch {
            histories.refreshes.note(ObservedCall(caller.name, name, .ask, invoked: invoked, .unknown))
            histories.grants.note(ObservedCall(caller.name, key, .stop, invoked: invoked, .unknown))
            return nil
        }
        let moment = now()
        let outcome: SameOutcome.Answer = if let next = answer?.refresh { .told(Self.shortened(next)) } else { .refused }
        histories.refreshes.note(ObservedCall(caller.name, name, .ask, invoked: invoked, .answered(outcome, at: moment)))
        if answer == nil { histories.grants.note(ObservedCall(caller.name, key, .stop, invoked: invoked, .answered(.over, at: moment))) }
        return answer
    }

    /// By which a token is told from another, and nobody has it.
    private static func shortened(_ token: String) -> String { "refresh token \(Base64URL.encode(Array(SHA(token.utf8).prefix(6))))" }
}
