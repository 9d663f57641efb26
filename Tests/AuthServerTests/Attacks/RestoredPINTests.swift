import Authentication
import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

/// Both real servers, and what a restore of one does to PINs, device keys and receipts.
@Suite("After a restore, a PIN of before or after")
struct RestoredPINTests {
    private func changePIN(_ phone: EnrolledPhone) async throws {
        let voucher = try await phone.proveByPIN(.pinChangeVerify).attempt
        _ = try await phone.setPIN(voucher, epoch: 2)
    }

    @Test(
        "A14: the authentication server is put back to before a change of the PIN: every try is refused before it is numbered, and asks nobody",
        .onBothEngines)
    func shareGone() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let copy = try await Backup(of: servers.database)
            try await changePIN(phone)
            try await phone.scan(try await servers.link(try servers.nonce())).logInByPIN(epoch: 2)
            try await copy.restore(to: servers.database)
            let (before, calls) = (try await servers.counted(), servers.secondFactor.calls)
            let instance = try await servers.snapshot().filter { $0.hasPrefix("instance") }
            for _ in 0..<6 {
                let shown = try await phone.scan(try await servers.link(try servers.nonce()))
                #expect(try await phone.phone.evaluate(try shown.attempt(epoch: 2)).status == .secondFactorUnknown)
            }
            #expect(try await servers.counted() == before)
            #expect(servers.secondFactor.calls == calls)
            #expect(try await servers.snapshot().filter { $0.hasPrefix("instance") } == instance)
        }
    }

    @Test(
        "A14: the second-factor server is put back to before a change of the PIN: nothing is counted, and the phone is told which PIN is there",
        .onBothEngines)
    func formerEpoch() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let copy = try await Backup(of: servers.secondFactorDatabase)
            try await changePIN(phone)
            try await copy.restore(to: servers.secondFactorDatabase)
            let before = try await servers.counted()
            for _ in 0..<6 {
                let shown = try await phone.scan(try await servers.link(try servers.nonce()))
                let evaluated = try await phone.phone.evaluate(try shown.attempt(epoch: 2))
                #expect(evaluated.status == .wrongEpoch && evaluated.m2?.epoch == 1)
            }
            #expect(try await servers.counted() == before)
        }
    }

    @Test("A14: put back to more than a hundred numbers ago, with a biometric's receipt as the newest, the second-factor server takes the right PIN")
    func hundredNumbers() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await phone.proveByPIN(.biometricsAdd, phone.fingerKey)
            let copy = try await Backup(of: servers.secondFactorDatabase)
            for _ in 0..<110 { try await phone.logIn(try servers.nonce()) }
            let wrong = try await phone.scan(try await servers.link(try servers.nonce()))
            #expect(try await phone.phone.evaluate(try wrong.attempt()).status == .ok)
            _ = try await phone.logInByBiometric(try servers.nonce())
            try await copy.restore(to: servers.secondFactorDatabase)
            let nonce = try servers.nonce()
            try await phone.logIn(nonce)
            #expect(try await servers.status(of: nonce).loggedIn)
            let after = try await servers.counted()
            #expect(after.highest == after.proven)
        }
    }

    @Test("A14: blocked, put back to before the wrong tries, and reset: the right PIN logs in", .onBothEngines)
    func resetAfterRestore() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let copy = try await Backup(of: servers.secondFactorDatabase)
            for _ in 0..<5 {
                let shown = try await phone.scan(try await servers.link(try servers.nonce()))
                #expect(try await phone.phone.evaluate(try shown.attempt()).status == .ok)
                servers.clock.advance(301)
            }
            try await copy.restore(to: servers.secondFactorDatabase)
            let blocked = try await phone.scan(try await servers.link(try servers.nonce()))
            #expect(try await phone.phone.evaluate(try blocked.attempt()).status == .blocked)
            try await servers.services.accounts.resetSecondFactor(of: phone.account, at: servers.server, by: .backend, now: servers.now)
            let nonce = try servers.nonce()
            try await phone.logIn(nonce)
            #expect(try await servers.status(of: nonce).loggedIn)
        }
    }
}
