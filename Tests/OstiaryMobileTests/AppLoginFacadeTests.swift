import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// `Ostiary.AppLogin` and `Ostiary.default`: one for each process, so each test here has a process of its own.
@Suite("The app's own SDK", .timeLimit(.minutes(10)))
struct AppLoginFacadeTests {
    @Test("S0-05 S1-20 S1-32 S1-37 S1-40 Ostiary.AppLogin starts, shows and stops the login of the configured app: session, webNonce, user name")
    func facade() async {
        await #expect(processExitsWith: .success) {
            let phone = try await Self.configured()
            #expect(Ostiary.AppLogin.session == nil && !Ostiary.AppLogin.isLoggedIn)
            #expect(Ostiary.AppLogin.webNonce == nil && Ostiary.AppLogin.username == nil)
            Ostiary.AppLogin.start()
            #expect(try await phone.secondFactor().session?.isAppLogin == true)
            #expect(Ostiary.AppLogin.session?.isLoggedIn == false && !Ostiary.AppLogin.isLoggedIn && Ostiary.AppLogin.webNonce == nil)
            Ostiary.default.sfInput(PIN("271828"))
            let session = try await phone.login()
            let given = await phone.server.with { server in server.sessions.values.compactMap { $0.outcome?.answer.webNonce } }
            let webNonce = try #require(given.first, "the server gave one")
            #expect(given.count == 1 && webNonce.count == 43)
            #expect(Ostiary.AppLogin.session?.id == session.id && Ostiary.AppLogin.session?.isLoggedIn == true && Ostiary.AppLogin.isLoggedIn)
            #expect(Ostiary.AppLogin.webNonce == webNonce && Ostiary.AppLogin.session?.webNonce == webNonce)
            #expect(Ostiary.AppLogin.username == "ada" && Ostiary.AppLogin.session?.account?.username == "ada")
            Ostiary.AppLogin.stop()
            #expect(try await phone.stopped().id == session.id)
            #expect(!Ostiary.AppLogin.isLoggedIn && Ostiary.AppLogin.session?.isLoggedOut == true)
            #expect(Ostiary.AppLogin.webNonce == nil && Ostiary.AppLogin.username == nil)
            try await waiting(while: await phone.server.with({ $0.sessions.values.allSatisfy { $0.stop != .user } }))
        }
    }

    /// The default SDK with an account, over the server double.
    private static func configured() async throws -> TestPhone {
        let server = try TestServer(clock: TestClock())
        let (accounts, keys) = (MemoryAccountStore(), MemoryKeyStore())
        let transport = TestTransport(server: server)
        Ostiary.default.configure(ports: Ports(keys: keys, accounts: accounts, transport: transport, clock: server.clock))
        let phone = TestPhone(server, accounts: accounts, keys: keys, .default)
        try await phone.enrol()
        return phone
    }
}
