import Foundation
import OstiaryProgram
import OstiaryProtocol
import Synchronization
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone
@testable import SecondFactorServer

/// The second-factor server is the pinned one, signs with its true keys, and does not say what is true.
@Suite("A second-factor server that lies over HTTP", .serialized, .timeLimit(.minutes(10)))
struct LyingSecondFactorTests {
    private static let zeros = [UInt8](repeating: 0, count: 32)

    private static let receipts: [(String, @Sendable (Receipt) -> Receipt)] = [
        ("a receipt of the number after it", { $0.but(sequence: $0.sequence + 1) }),
        ("a receipt of the number before it", { $0.but(sequence: $0.sequence - 1) }),
        ("a receipt of an older epoch", { $0.but(epoch: $0.epoch - 1) }),
        ("a receipt of another attempt", { $0.but(attempt: AttemptID(using: SystemRandomSource())) }),
        ("a receipt of another login", { $0.but(session: zeros) }),
        ("a receipt of a biometric", { $0.but(method: .bio) }),
        ("a receipt of another key", { $0.but(key: zeros) }),
        ("a receipt of other signatures", { $0.but(signatures: zeros) }),
    ]

    @Test("A11: a receipt that is true in all but one field logs nobody in, and is not kept; the next honest one logs in")
    func receipts() async throws {
        try await DeceivedFixture.open { house in
            for (name, change) in Self.receipts {
                try await house.expectNobody(name, while: LyingSecondFactor.receipts(change))
                try await house.expectHonestLogin(name)
            }
            let status = try await house.backend.client.call(
                "GET", "/servers/\(house.backend.serverID)/sessions/", nonce: try await house.logIn().nonce)
            #expect(try JSONLine(String(decoding: status, as: UTF8.self))["pinattemptsfailed"]?.int == 0)
        }
    }

    private static let evaluations: [(String, OstiaryError, LyingSecondFactor.Lie)] = [
        (
            "an evaluation under another key, which is named", .serverIdentity,
            LyingSecondFactor.evaluations { honest, element in
                let key = try OPRFKey.generate()
                return honest.but(evaluation: try key.evaluate(element, attempt: honest.attemptID), key: key.publicKey)
            }
        ),
        (
            "an evaluation under another key, which is not named", .serverIdentity,
            LyingSecondFactor.evaluations { honest, element in
                honest.but(evaluation: try OPRFKey.generate().evaluate(element, attempt: honest.attemptID))
            }
        ),
        (
            "an evaluation of another attempt", .serverAnswer,
            LyingSecondFactor.evaluations { honest, _ in honest.but(attempt: AttemptID(using: SystemRandomSource())) }
        ),
        ("an evaluation under a word that is not OK", .serverAnswer, LyingSecondFactor.evaluations(under: .refused) { honest, _ in honest }),
        ("“evaluated” without an evaluation", .serverAnswer, { _, truth, _ in truth.receipt == nil ? truth.but(sealed: []) : truth }),
    ]

    @Test("A11: another key, another attempt or nothing at all in the sealed evaluation is no wrong PIN, and opens nothing")
    func evaluations() async throws {
        try await DeceivedFixture.open { house in
            for (name, error, lie) in Self.evaluations {
                #expect(try await house.expectNobody(name, while: lie).end == .failed(error), "\(name)")
                try await house.expectHonestLogin(name)
            }
            // The sealed evaluation of an earlier call, played again inside an answer to this one.
            let first = try await house.logIn()
            #expect(first.isLoggedIn)
            let old = SealedMemory()
            house.liar.say { _, truth, _ in
                old.keep(truth.sealed)
                return truth
            }
            #expect(try await house.logIn().isLoggedIn)
            let replayed = try await house.expectNobody("an earlier evaluation again") { _, truth, _ in
                truth.sealed.isEmpty ? truth : truth.but(sealed: old.kept)
            }
            #expect(replayed.end.session == nil)
            try await house.expectHonestLogin("an earlier evaluation again")
        }
    }

    @Test("A11: another word with a true evaluation beside it, or a number that was used, gives out no share and no login")
    func words() async throws {
        try await DeceivedFixture.open { house in
            for status in [Status.busy, .penalised, .blocked, .refused, .secondFactorUnavailable] {
                house.liar.say { _, truth, _ in truth.sealed.isEmpty ? truth : truth.but(status: status) }
                let login = try await house.logIn()
                #expect(!login.isLoggedIn && login.end.session == nil, "\(status): \(login)")
                try await house.expectHonestLogin("\(status)")
            }
            try await house.expectNobody("a number that was used") { _, truth, _ in
                truth.sealed.isEmpty ? truth : truth.but(highest: truth.highest - 1)
            }
            try await house.expectHonestLogin("a number that was used")
            try await house.expectNobody("a number that nobody comes to") { _, truth, _ in
                truth.sealed.isEmpty ? truth : truth.but(highest: 1 << 62)
            }
            // That try got no answer and holds its number for ten seconds of the server's own, which a phone waits for.
            house.liar.sayTheTruth()
            let patient = try FixturePhone.onNetwork(in: house.home, clock: SystemClock())
            #expect(try await house.logIn(by: patient).isLoggedIn)
        }
    }

    @Test("Times a year ahead, in receipts and in sealed answers, are believed by nobody: the login is of now, and the next one works as well")
    func times() async throws {
        try await DeceivedFixture.open { house in
            let year: UInt64 = 31_536_000
            let sealed = LyingSecondFactor.evaluations(late: year) { honest, _ in honest }
            house.liar.say { call, truth, own in
                let late = try await sealed(call, truth, own)
                guard let receipt = late.receipt?.value else { return late }
                let changed = receipt.but(lastPIN: receipt.lastPIN + year, issuedAt: receipt.issuedAt + year)
                return late.but(receipt: Encoded(changed, signedBy: own.keys.operatorKey))
            }
            for _ in 0..<2 {
                let login = try await house.logIn()
                #expect(login.isLoggedIn, "\(login)")
                let status = try await house.backend.client.call("GET", "/servers/\(house.backend.serverID)/sessions/", nonce: login.nonce)
                let time = try #require(try JSONLine(String(decoding: status, as: UTF8.self))["authtime"]?.int)
                #expect(UInt64(time) <= Instant.now.seconds)
            }
            try await house.expectHonestLogin("a year")
        }
    }

    @Test("Tries that say one less give no try more: the fifth wrong PIN is the last one evaluated, and the right one is refused after it")
    func fewer() async throws {
        try await DeceivedFixture.open { house in
            let less: @Sendable (Tries) -> Tries = { Tries(failed: $0.failed &- 1, most: $0.most, wait: 0, withoutPINLeft: $0.withoutPINLeft) }
            let sealed = LyingSecondFactor.evaluations { honest, _ in honest.but(tries: less(honest.tries)) }
            house.liar.say { call, truth, own in
                guard truth.status == .ok, truth.tries.failed > 0 else { return truth }
                return try await sealed(call, truth, own).but(tries: less(truth.tries))
            }
            let wrong = Person.wrongPINs + ["493027"]
            let login = try await house.logIn(showing: wrong + [Person.pin])
            #expect(!login.isLoggedIn, "\(login)")
            // How many were used is the second-factor server's word, whatever it is worth.
            #expect(login.answers.prefix(5).map(\.failedAttempts) == [0, 1, 2, 3, 4], "\(login)")
            #expect(login.answers.last?.blocked == true, "\(login)")
            let evaluated = "SELECT COUNT(*) AS number FROM attempt WHERE context = 1"
            #expect(try await house.number(evaluated, in: .secondFactor) == 5)
        }
    }

    @Test("A11: a receipt for what a wrong PIN signed logs nobody in: serve looks at the signature itself and asks for no receipt")
    func vouchesForAnything() async throws {
        try await DeceivedFixture.open { house in
            let pin = Person.wrongPINs[0]
            try await house.forgeBox(openedBy: pin)
            let thief = try FixturePhone.onNetwork(in: house.home)
            house.liar.say(LyingSecondFactor.vouchingForAnything)
            let before = house.liar.heard(Proof.self).count
            let login = try await house.logIn([pin], by: thief)
            #expect(!login.isLoggedIn && login.end.session == nil, "\(login)")
            #expect(house.liar.heard(Ticket.self).count >= 2, "the box was never opened")
            #expect(house.liar.heard(Proof.self).count == before)
        }
    }

    @Test("An earlier OK played again confirms no later order: no block counts as lifted, and a Close is sent until its own answer has come")
    func recordings() async throws {
        try await DeceivedFixture.open { house in
            let account = try #require(try await house.logIn().end.session?.account?.id.rawValue)
            _ = try await house.logIn(Person.wrongPINs + ["493027"])
            try await house.backend.resetSecondFactor(account)
            let recorded = try #require(house.liar.lastAnswer)
            #expect(try SecondFactorAnswer(decoding: recorded).status == .ok)
            // A Reset of the same second is the same message, and its answer the same.
            let second = Instant.now
            try await eventually("another second") { Instant.now > second }
            house.liar.sayAgain(recorded)
            await #expect(throws: (any Error).self) { try await house.backend.resetSecondFactor(account) }

            try await house.phone.ostiary.remove(try #require(house.phone.ostiary.accounts?.first))
            try await eventually("a Close was sent twice") { house.liar.heard(Close.self).count >= 2 }
            #expect(try await house.number("SELECT COUNT(*) AS number FROM pending_close", in: .authentication) == 1)
            house.liar.sayTheTruth()
            try await eventually("the Close was heard") {
                try await house.number("SELECT COUNT(*) AS number FROM pending_close", in: .authentication) == 0
            }
            #expect(try await house.number("SELECT COUNT(*) AS number FROM instance WHERE evaluation_key IS NOT NULL", in: .secondFactor) == 0)
        }
    }
}

/// The first sealed evaluation that was seen.
private final class SealedMemory: Sendable {
    private let first = Mutex<[UInt8]>([])

    var kept: [UInt8] { first.withLock { $0 } }
    func keep(_ bytes: [UInt8]) { first.withLock { if $0.isEmpty { $0 = bytes } } }
}
