import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

/// Each client has tries of its own; somebody who can ask by many has no more for it.
@Suite("Wrong numbers are counted for the person, whoever asks")
struct NumberBudgetTests {
    /// A login that was pushed, on the phone's screen behind its PIN.
    private struct Asked {
        let number: String
        let shown: Shown
        let tried: Tried

        /// Another number of three digits.
        func other(by step: Int) throws -> String { String(100 + (try #require(Int(number)) - 100 + step) % 900) }
    }

    private func ask(_ phone: TestPhone, by client: String, in world: DomainFixture) async throws -> Asked {
        let session = SessionID(using: SystemRandomSource())
        let number = try await world.push(session, to: phone.account, by: client)
        let waiting = try #require(try await phone.fetch().first { $0.link.value.sessionID == session })
        let shown = try await phone.look(at: waiting.link, via: .push)
        return Asked(number: number, shown: shown, tried: try await phone.tryPIN(shown))
    }

    private func guess(_ asked: Asked, _ steps: ClosedRange<Int>, on phone: TestPhone, in world: DomainFixture) async throws {
        for step in steps {
            let wrong = try phone.accepting(asked.shown, asked.tried, number: try asked.other(by: step))
            #expect(try await world.refusal(of: wrong) == .numberWrong, "\(step)")
        }
    }

    @Test("The attack of guesses by several clients: nine a day are all, then nothing rings and the right one is not looked at; a day later it rings")
    func severalClients() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let app = try await phone.appLogIn()
        let open = try await ask(phone, by: "open", in: world)
        for client in 1...3 {
            let asked = try await ask(phone, by: "client-\(client)", in: world)
            try await guess(asked, 1...2, on: phone, in: world)
            let third = try phone.accepting(asked.shown, asked.tried, number: try asked.other(by: 3))
            // Of the last of the day it is told that it was, and of a copy of it as well.
            for _ in 0..<2 {
                let answer = try await phone.decide(third)
                #expect(answer.result == .denied && answer.saysNumbersAreUsedUp == (client == 3), "\(client)")
            }
        }
        let unseen = SessionID(using: SystemRandomSource())
        try await world.push(unseen, to: phone.account, by: "another")
        #expect(try await phone.fetch().isEmpty)
        #expect(try await !phone.ping(app.session).hasWaiting)
        let right = try phone.accepting(open.shown, open.tried, number: open.number)
        for _ in 0..<2 { #expect(try await phone.decide(right).saysNumbersAreUsedUp) }
        world.pass(NumberBudget.day + 1)
        let later = SessionID(using: SystemRandomSource())
        try await world.push(later, to: phone.account, by: "client-1")
        #expect(try await phone.fetch().map(\.link.value.sessionID) == [later])
    }

    @Test("Wrong numbers of logins that ran out count as well, when housekeeping has been there; the ninth ends its login, though it is its first")
    func ranOut() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        for client in 1...4 {
            let asked = try await ask(phone, by: "client-\(client)", in: world)
            try await guess(asked, 1...2, on: phone, in: world)
            world.pass(Session.openFor + Session.claimedFor + 1)
            try await world.housekeeping.run(at: world.now)
            world.pass(Retention.unusedSession + 1)
            try await world.housekeeping.run(at: world.now)
        }
        let last = try await ask(phone, by: "client-5", in: world)
        let ninth = try phone.accepting(last.shown, last.tried, number: try last.other(by: 1))
        #expect(try await phone.decide(ninth).saysNumbersAreUsedUp)
        #expect(try await world.snapshot().audit.last?.kind == .loginNumbersWrong)
    }

    @Test("Another person's phone rings on, and eight wrong ones leave the right one good")
    func others() async throws {
        let world = try await DomainFixture()
        let (phone, other) = (try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "another"))
        for client in 1...4 {
            let asked = try await ask(phone, by: "client-\(client)", in: world)
            try await guess(asked, 1...2, on: phone, in: world)
            // Four are told at once.
            let refused = try await phone.decide(try phone.refusing(asked.shown))
            #expect(refused.result == .denied && !refused.saysNumbersAreUsedUp)
            // A try that came to nothing stays a try until a login counts.
            _ = try await phone.appLogIn()
        }
        let asked = try await ask(phone, by: "client-5", in: world)
        #expect(try await phone.decide(try phone.accepting(asked.shown, asked.tried, number: asked.number)).result == .loggedIn)
        let theirs = try await ask(other, by: "client-1", in: world)
        #expect(try await other.decide(try other.accepting(theirs.shown, theirs.tried, number: theirs.number)).result == .loggedIn)
    }
}
