import OstiaryMobile

/// What a phone with one active account and the PIN 271828 has stored, and its server: made once, because an enrolment costs as much as all that most
/// tests do after it.
private struct EnrolledHome: Sendable {
    static let made = Task { try await EnrolledHome() }

    private let server: TestServer
    private let accounts: MemoryAccountStore
    private let keys: MemoryKeyStore
    private let history: MemoryAccountStore

    private init() async throws {
        let phone = try await TestPhone.enrolled()
        (server, accounts, keys, history) = (phone.server, phone.accounts, phone.keys, phone.history)
    }

    func phone(_ configure: (inout Ostiary.Configuration) -> Void) async throws -> TestPhone {
        TestPhone(
            try await server.copy(), accounts: MemoryAccountStore(copying: accounts), keys: MemoryKeyStore(copying: keys),
            history: MemoryAccountStore(copying: history), configure)
    }
}

extension TestPhone {
    /// A phone that enrolled in an earlier process, and a server that knows it: copies, so that no test sees what another does to its own. Nothing of
    /// the enrolment is in memory, here or at the server. For tests of many cases, and of what begins with a new process anyway.
    static func restarted(_ configure: (inout Ostiary.Configuration) -> Void = { _ in }) async throws -> TestPhone {
        try await EnrolledHome.made.value.phone(configure)
    }
}
