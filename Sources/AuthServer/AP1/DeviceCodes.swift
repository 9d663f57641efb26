import Authentication
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol

/// Who sends a request of AP1, as far as HTTP tells. None of it is sealed or signed: it serves for limits, and for the language of words that are.
struct AP1Caller: Sendable {
    let place: CallPlace
    let request: Request

    /// Read when somebody asks for it: most messages need none.
    var language: PageLanguage { PageLanguage(of: request) }
}

/// A phone brings what a device shows, and is asked about it as by any other login: of whom it comes and what it asks, with the code (protocol §6).
struct DeviceCodes: Sendable {
    let verifications: VerificationService
    let provider: OAuthServices
    let addresses: ProviderAddresses
    let texts: PageTexts

    /// - Throws: `Refusal`: `linkForeign` for an address that is not of this virtual server's page, of which nothing is counted; `sessionUnknown` for a code that
    ///   nobody waits with, whatever it was before; `sessionTaken` while another phone decides.
    func answer(_ request: PhoneRequest, _ caller: AP1Caller) async throws -> Reply {
        let brought = try await verifications.brought(request)
        let page = addresses.address(.verification, of: request.server)
        guard let text = VerificationLink.code(in: brought.uri, for: page) else { throw Refusal.linkForeign }
        do {
            let found = try await provider.devices.waiting(forTyped: text, from: caller.place, at: request.server, now: request.now)
            guard let code = UserCode(typed: text), let found,
                let question = try await provider.approval.question(found.hash, at: request.server, now: request.now),
                let session = try await provider.devices.ask(
                    question, asked(question, code, caller), by: brought.account, at: request.server, now: request.now)
            else { throw Refusal.sessionUnknown }
            return try await verifications.answer(session, until: found.expiresAt, to: request)
        } catch is UserCodesLocked {
            return Reply(.tooMany)
        } catch is CodeTaken {
            throw Refusal.sessionTaken
        }
    }

    /// What the phone shows. The code is among it: the person compares it with the device, which nobody can who was sent the code of another one
    /// (RFC 8628 §5.4).
    private func asked(_ question: PolledQuestion, _ code: UserCode, _ caller: AP1Caller) -> LoginRequest {
        var shown = ShownRequest(
            question.application, question.authorization.scopes, question.api, demand: .policy, in: caller.language, headers: [:])
        shown.userCode = code
        return shown.loginRequest(texts)
    }
}
