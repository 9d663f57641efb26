import Foundation
import OstiaryMobile
import Testing

/// Access to backend resources (S0): its Swift, statement by statement.
enum AccessCalls {
    static func webNonce() -> String? { Ostiary.AppLogin.session?.webNonce }

    static func token(for session: Session) { Ostiary.default.getToken(for: session) }

    /// Its behaviour: ServiceDataTests and the journey of that name.
    static func data(_ payload: [UInt8]) async throws -> [UInt8] { try await Ostiary.default.getData(payload) }

    /// Which accounts can do no more than that. Their behaviour: HeadlessTests, UpgradeTests and the journey of headless accounts.
    static func devicesOnly() -> [Account] { Ostiary.default.accounts?.filter { !$0.hasSecondFactor } ?? [] }

    /// The delegate of the document.
    final class Tokens: OstiaryDelegate {
        func ostiary(_ ostiary: Ostiary, didReceive token: Token) { _ = token.bytes }
    }
}

@Suite("The documents' calls: access to backend resources")
struct AccessCallTests {
    @Test("S0-04 S0-25 S0-26 S0-28 webNonce, getToken and didReceive are there as documented; without a login there is no webNonce")
    func calls() {
        #expect(AccessCalls.webNonce() == nil)
        let call: (Session) -> Void = AccessCalls.token
        _ = call
        let data: ([UInt8]) async throws -> [UInt8] = AccessCalls.data
        _ = data
        #expect(AccessCalls.devicesOnly().isEmpty)
        let delegate: any OstiaryDelegate = AccessCalls.Tokens()
        _ = delegate
    }
}
