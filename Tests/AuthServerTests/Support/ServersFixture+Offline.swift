import Authentication
import OstiaryProtocol
import Testing

@testable import AuthServer

/// Phones without a connection, and what their people type.
extension ServersFixture {
    func switchOfflineCodesOn() async throws { try await update { $0.flags = ["ENABLE_OTP"] } }

    /// What the phone of an account shows for the session of a nonce.
    func offlineCode(of id: AccountID, for nonce: SessionNonce) async throws -> String {
        let account = try await services.accounts.account(id, at: server)
        let link = try await link(nonce)
        return OfflineCode(
            reference: account.otpReference, key: SecretBytes(try account.otpKey.bytes()), session: OfflineSession(link.value),
            interval: OfflineCode.interval(at: now), length: .six
        ).exposed
    }

    /// Why a code logs nobody in; nil when it does.
    func refusal(ofTyping text: String, for nonce: SessionNonce) async throws -> OfflineCodeRefusal? {
        do {
            _ = try await services.offlineCodes.logIn(text, for: nonce, at: server, by: .backend, now: now)
            return nil
        } catch let refusal as OfflineCodeRefusal {
            return refusal
        }
    }
}
