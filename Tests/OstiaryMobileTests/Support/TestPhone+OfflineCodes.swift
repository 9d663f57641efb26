import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting

/// Logins whose server is not heard, and their one-time codes.
extension TestPhone {
    /// A phone that has one active account at a server that takes codes.
    static func offering(
        _ length: OfflineCodeLength? = .six, log: Log? = nil, _ configure: (inout Ostiary.Configuration) -> Void = { _ in }
    ) async throws -> TestPhone {
        let server = try TestServer(clock: TestClock())
        await server.with { $0.settings.offlineCodes = length }
        let phone = TestPhone(server, log: log, configure)
        try await phone.enrol()
        return phone
    }

    /// What the app is offered next.
    func offer() async throws -> (session: Session, accounts: [Account]) {
        try await until { if case .otpAvailable(let session, let accounts) = $0 { (session, accounts) } else { nil } }
    }

    /// A scanned login whose server has the question and does not answer it: the clock stands, and the phone waits.
    func waitingLogin(_ link: [UInt8]) async throws -> (session: Session, accounts: [Account]) {
        let before = await server.with { server in
            server.mishaps.answered[.l1] = 0
            return server.received.count { $0 == .l1 }
        }
        ostiary.start(with: link)
        let offered = try await offer()
        try await waiting(while: await server.received.count { $0 == .l1 } == before)
        return offered
    }
}

extension OstiaryEvent {
    var isStop: Bool { if case .sessionStop = self { true } else { false } }
    /// Whether a login is about to be asked about.
    var saysReady: Bool { if case .sessionUpdate(let session) = self { session.state == .readyForUserInteraction } else { false } }
    var asksLogin: Bool { if case .confirmLogin = self { true } else { false } }
    var isError: Bool { if case .error = self { true } else { false } }
}
