import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// Where a person's tries are written down: in a new book when so many of the old one are open that the search for an order would take long.
struct TryBook {
    var number = 0
    var unknown = 0
}

/// PINs: what is counted, which one is good, and how it is changed.
extension NodeLoad {
    /// A new PIN, on a line that may break off in the middle.
    func pinRound(of resident: NodeResident, _ random: inout SplitMix) async throws {
        guard let old = resident.candidates.first else { throw NotLoggedIn() }
        let others = (0..<NodeResident.nobodys).filter { $0 != old }
        let new = others[Int.random(in: 0..<others.count, using: &random)]
        let entered = EnteredPINs(resident, isWrong: Bool.random(using: &random))
        // M1 and M3 of the one so far, then of the new one; with a bundle or two between.
        if Int.random(in: 0..<3, using: &random) == 0 { resident.line.breakOff(after: Int.random(in: 1...5, using: &random)) }
        let invoked = now()
        defer { resident.line.mend() }
        let (change, answers, isBlock) = try await resident.phone.changePIN(to: NodeResident.pins[new], entering: entered.next)
        note(answers, of: entered, resident, isBlock: isBlock)
        resident.note(change, to: new)
        guard change != .notBegun else { return }
        let outcome: OnePIN.Call.Outcome = change == .done ? .answered(.done, at: now()) : .unknown
        let book = pinBooks.withLock { $0.key(of: resident.name, after: change) }
        histories.pins.note(ObservedCall(resident.caller, book, .set(new), invoked: max(invoked, lastTry(of: resident)), outcome))
    }

    /// When the last PIN was looked at: what was entered in the same flow came before what is set in it.
    private func lastTry(of resident: NodeResident) -> Duration {
        histories.pins.calls.last { $0.caller == resident.caller }?.returned ?? .zero
    }

    /// Of one phone, whose tries come one after the other. What has no result may have been counted, or been a success that nobody heard of.
    /// - Parameter isBlock: whether the last one ended the question, as no PIN is accepted any more: it was counted as the last, or was refused.
    func note(_ answers: [SecondFactorInfo], of entered: EnteredPINs, _ resident: NodeResident, isBlock: Bool) {
        for (index, number) in entered.numbers.enumerated() {
            let info = index < answers.count ? answers[index] : nil
            switch info?.result {
            case .success:
                note(.succeed, .done, of: resident)
                note(number, .right, of: resident)
                resident.note(right: number)
            case .failed:
                note(.spend, .count(info?.failedAttempts ?? 0), of: resident)
                note(number, .wrong, of: resident)
                resident.note(wrong: number)
                resident.noteTry()
            case nil where isBlock && index == answers.count && resident.candidates == [number]:
                // One that is certainly right was not counted.
                note(.spend, .refused, of: resident)
            case .error, nil:
                note(.spend, nil, of: resident)
                note(.succeed, nil, of: resident)
                resident.noteTry()
            }
        }
        if !entered.numbers.isEmpty, answers.last?.result != .success { resident.noteVain() }
        if isBlock { noteBlock(of: resident) }
    }

    private func note(_ pin: Int, _ answer: OnePIN.Answer, of resident: NodeResident) {
        let (moment, book) = (now(), pinBooks.withLock { $0.key(of: resident.name) })
        histories.pins.note(ObservedCall(resident.caller, book, .enter(pin), invoked: moment, .answered(answer, at: moment)))
    }

    /// - Parameter invoked: when it began; what a phone says of its tries is noted when the question is over.
    func note(_ action: BoundedCounter.Action, _ answer: BoundedCounter.Answer?, of resident: NodeResident, since invoked: Duration? = nil) {
        let (moment, name) = (now(), resident.name)
        let (number, isNew) = books.withLock { books in
            let isNew = books[name, default: TryBook()].unknown > 20
            if isNew { books[name] = TryBook(number: books[name, default: TryBook()].number + 1) }
            if answer == nil { books[name, default: TryBook()].unknown += 1 }
            return (books[name, default: TryBook()].number, isNew)
        }
        let key = "\(name)’s tries \(number)"
        // Nobody knows how many the old book would have counted: these are nobody's tries.
        if isNew { for _ in 0..<Self.mostTries { histories.tries.note(ObservedCall("the old book", key, .spend, invoked: moment, .unknown)) } }
        histories.tries.note(
            ObservedCall(resident.caller, key, action, invoked: invoked ?? moment, answer.map { .answered($0, at: moment) } ?? .unknown))
    }

    /// When all is well again everybody's PIN is good, and the one that it might have been otherwise is not. What was cut off last may be told once more, as
    /// something that went wrong on the way, but no try is gone for it. Whom the last tries of the run have blocked is let in again first.
    func logInAll() async throws {
        for resident in residents {
            resident.line.calmDown()
            try await waitUntilAble(resident)
            var last = try await lastLogin(of: resident)
            if last.end.isBlock {
                try await waitUntilAble(resident)
                last = try await lastLogin(of: resident)
            }
            #expect(last.isGood, "\(resident.name): \(last.end) \(last.answers)")
            try await expectOne(of: resident)
            try await logInUnheard(resident)
        }
    }

    /// A login of which each message is sent twice, since nobody heard of the first, is one like any other: one try, one session. However little a slow machine
    /// came to before, there is one decision of everybody that was sent again.
    private func logInUnheard(_ resident: NodeResident) async throws {
        resident.line.loseEveryOther()
        let (isGood, end, answers) = try await lastLogin(of: resident)
        #expect(isGood, "\(resident.name), all answers lost once: \(end) \(answers)")
        resident.line.calmDown()
    }

    private func lastLogin(of resident: NodeResident) async throws -> (isGood: Bool, end: FixturePhone.End, answers: [SecondFactorInfo]) {
        let candidates = resident.candidates
        let code = try await backend.loginCode(ManagementClient.newNonce(), asPNG: false)
        let entered = EnteredPINs(resident, isWrong: false)
        let (end, answers) = try await resident.phone.logIn(code, entering: entered.next)
        note(answers, of: entered, resident, isBlock: end.isBlock)
        let results = answers.map(\.result)
        let isRight = results.last == .success && results.count { $0 == .success } == 1 && results.count { $0 == .failed } < candidates.count
        return (end.session != nil && isRight, end, answers)
    }

    /// Every other PIN that was ever set is a wrong one.
    private func expectOne(of resident: NodeResident) async throws {
        guard let good = resident.candidates.first else { return }
        for other in 0..<NodeResident.nobodys where other != good {
            let code = try await backend.loginCode(ManagementClient.newNonce(), asPNG: false)
            var left = [other, good][...]
            var entered: [Int] = []
            let (end, answers) = try await resident.phone.logIn(code) { info in
                // What nobody looked at is entered again.
                if info.result == .error, let last = entered.last, entered.count < 6 { return NodeResident.pins[last] }
                guard let next = left.popFirst() else { return nil }
                entered.append(next)
                return NodeResident.pins[next]
            }
            let results = answers.map(\.result).filter { $0 != .error }
            #expect(end.session != nil && results == [.failed, .success], "\(resident.name): \(other) \(end) \(answers)")
        }
    }
}
