import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Whether a backend is given the address of a page")
struct PageAdmissionTests {
    private func admit(
        _ world: DomainFixture, _ nonce: SessionNonce? = nil, at server: ServerID? = nil, isFramed: Bool = false, account: AccountID? = nil
    ) async throws {
        try await world.queries.admitPage(
            for: try nonce ?? DomainFixture.nonce("browser"), at: server ?? world.server, isFramed: isFramed, account: account)
    }

    @Test("At a server that there is, in a frame where it names sites for that")
    func servers() async throws {
        let world = try await DomainFixture()
        try await admit(world)
        let none = try #require(ServerID([UInt8](repeating: 0x77, count: 16)))
        for isFramed in [false, true] {
            await #expect(throws: UnknownServer()) { try await admit(world, at: none, isFramed: isFramed) }
        }
        await #expect(throws: FramesNotAllowed()) { try await admit(world, isFramed: true) }
        try await world.update { $0.frameOrigins = ["https://shop.example"] }
        try await admit(world, isFramed: true)
        await #expect(throws: FramesNotAllowed()) { try await admit(world, at: world.neighbour.server, isFramed: true) }
    }

    @Test("For no account that logs in nowhere")
    func headless() async throws {
        let world = try await DomainFixture.headless()
        let account = try await world.headlessPhone().account
        await #expect(throws: LoginLinkError.accountHeadless) { try await admit(world, account: account) }
    }

    @Test("For an account of that server, and under no webNonce of an app")
    func accounts() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        try await admit(world, account: account)
        await #expect(throws: AccountError.unknown) { try await admit(world, at: world.neighbour.server, account: account) }
        let webNonce = try SessionNonce(try await phone.appLogIn().webNonce)
        await #expect(throws: LoginLinkError.webNonce) { try await admit(world, webNonce) }
        try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now)
        await #expect(throws: AccountError.unknown) { try await admit(world, account: account) }
    }
}
