import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// When an input is the try of before, and when it is another (protocol §7): a repetition is free, so it must be one.
@Suite("Tries of a PIN", .timeLimit(.minutes(10)))
struct PINTryTests {
    /// A login whose PIN nobody could be asked about, and the attempt that is without an outcome.
    private func withoutOutcome(_ phone: TestPhone, _ digits: String) async throws -> AttemptID {
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.mishaps.isSecondFactorDown = true }
        phone.ostiary.sfInput(PIN(digits))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        await phone.server.with { $0.mishaps.isSecondFactorDown = false }
        return try #require(await phone.server.with { $0.seenAttempts.last })
    }

    @Test("S4-52 other digits are another try, also while the one before is without an outcome: what was typed is what is asked")
    func otherDigits() async throws {
        let phone = try await TestPhone.enrolled()
        let first = try await withoutOutcome(phone, "271829")
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        #expect(await phone.server.with { $0.seenAttempts.last } != first)
    }

    @Test("A try that the servers hardly take any more is not repeated: the same digits are a new one")
    func tooOld() async throws {
        let phone = try await TestPhone.enrolled()
        let first = try await withoutOutcome(phone, "271828")
        phone.clock.advance(PINTry.longestLife)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        #expect(await phone.server.with { $0.seenAttempts.last } != first)
    }

    @Test("S4-58 the same wrong digits again are a try of their own, and cost one")
    func sameWrongDigits() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        var attempts: Set<AttemptID> = []
        for number in 1...2 {
            phone.ostiary.sfInput(PIN("998877"))
            #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == number)
            attempts.insert(try #require(await phone.server.with { $0.seenAttempts.last }))
        }
        #expect(attempts.count == 2)
    }

    @Test("What is remembered of the last PIN is not offered to a login that does not take it")
    func cacheNotTaken() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.pinTimeout = 5 }
        _ = try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) }
        await phone.server.with { server in
            server.settings.methods = [.pin, .bio]
            server.received = []
        }
        _ = try await phone.atSecondFactor()
        #expect(await phone.server.with { !$0.received.contains(.l5) })
    }

    @Test("What the server remembers no more is asked for once: the next login goes straight to the PIN")
    func forgottenCache() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.pinTimeout = 5 }
        _ = try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) }
        await phone.server.with { $0.caches = [:] }
        func decisions() async -> Int { await phone.server.with { server in server.received.filter { $0 == .l5 }.count } }
        let before = await decisions()
        for _ in 0..<2 {
            _ = try await phone.atSecondFactor()
            #expect(await decisions() == before + 1)
            phone.ostiary.sfCancel()
            _ = try await phone.stopped()
        }
    }
}
