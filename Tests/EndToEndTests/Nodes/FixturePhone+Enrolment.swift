@testable import OstiaryMobile
@testable import OstiaryPhone

extension FixturePhone {
    /// What a phone was told that has read an enrolment code.
    enum Claim: Sendable {
        /// What it is about: the code is this phone's, and it asks whether to go on.
        case given(Session)
        /// Another phone has it, or it is over.
        case refused
        /// Nothing that says either.
        case unheard
    }

    /// Reads an enrolment code, over a network on which anything may be lost. Who reads it again asks under the same device key.
    func read(_ code: [UInt8]) async -> Claim {
        let id: Session.ID
        do throws(OstiaryError) { id = try await ostiary.core().engine.begin(.bytes(code)) } catch { return .unheard }
        let claim = await log.next(within: .aHang) { event -> Claim? in
            guard Self.session(of: event) == id else { return nil }
            if case .confirmEnrol(let session, _, _) = event { return .given(session) }
            return Self.end(event).map { $0 == .failed(.enrolmentExpired) ? Claim.refused : Claim.unheard }
        }
        return claim ?? .unheard
    }
}
