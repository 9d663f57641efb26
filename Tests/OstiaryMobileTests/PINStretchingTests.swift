import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("What a PIN costs whoever guesses it", .timeLimit(.minutes(10)))
struct PINStretchingTests {
    /// As an app makes them.
    private let shipped = Ports(keys: MemoryKeyStore(), accounts: MemoryAccountStore())
    private let salt = [UInt8](repeating: 0x5A, count: Argon2id.saltCount)

    private func pin(_ digits: String) throws -> LockedBytes { try LockedBytes(copying: Array(digits.utf8)) }

    @Test("A phone that an app makes stretches by Argon2id")
    func isArgon2id() throws {
        let expected = try Argon2id.stretch(try pin("271828"), salt: salt, .standard, count: 32)
        #expect(try shipped.stretching.stretch(try pin("271828"), salt, .standard).matches(expected))
    }

    @Test("By Argon2id a PIN that was set logs in, another one does not, and a cheaper stretching opens nothing that it sealed")
    func logsIn() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()), stretching: shipped.stretching)
        try await phone.enrol()
        let results = try await phone.logIn({ phone.ostiary.sfInput(PIN("271829")) }, { phone.ostiary.sfInput(PIN("271828")) })
        #expect(results == [.failed, .success])
        let cheap = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await cheap.atSecondFactor()
        cheap.ostiary.sfInput(PIN("271828"))
        #expect(try await cheap.secondFactor().secondFactorInfo.result == .failed)
    }

    @Test("The quick one of the tests tells PINs, salts and costs apart, as the dear one does")
    func quick() throws {
        let quick = try PINStretching.quick.stretch(try pin("271828"), salt, .standard)
        #expect(quick.count == 32)
        #expect(try PINStretching.quick.stretch(try pin("271828"), salt, .standard).matches(quick))
        #expect(try !PINStretching.quick.stretch(try pin("271829"), salt, .standard).matches(quick))
        #expect(try !PINStretching.quick.stretch(try pin("271828"), salt.reversed() + [0], .standard).matches(quick))
        #expect(try !PINStretching.quick.stretch(try pin("271828"), salt, try Argon2id.Parameters(memory: 32 * 1024, passes: 4)).matches(quick))
        #expect(try !PINStretching.quick.stretch(try pin("271828"), salt, try Argon2id.Parameters(memory: 33 * 1024, passes: 3)).matches(quick))
    }
}
