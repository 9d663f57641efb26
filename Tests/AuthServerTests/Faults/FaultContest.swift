import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Two phones at one code, which ask while a database fails until they are answered. Whatever became of it, one of them wins, by one try that is counted and
/// proved, and a login that was stopped before stays so.
struct FaultContest: Sendable {
    private let stage: FaultyServers
    private let phones: [EnrolledPhone]
    private let stopped: SessionNonce
    private let nonce: SessionNonce
    private let link: Encoded<LoginLink>
    private let before: FaultyServers.Counted

    /// Before the fault.
    init(at stage: FaultyServers) async throws {
        let servers = stage.servers
        var phones: [EnrolledPhone] = []
        for number in 0..<2 { phones.append(try await TestPhone(servers).enrol(try servers.nonce(), userID: "rival \(number)")) }
        (self.stage, self.phones) = (stage, phones)
        (stopped, nonce) = (try servers.nonce(), try servers.nonce())
        let (status, session) = try await phones[0].logInPatiently(try await servers.link(stopped))
        #expect(status == .ok)
        try await phones[0].stopPatiently(try #require(session))
        link = try await servers.link(nonce)
        before = try await stage.counted()
    }

    /// In the middle of it.
    func begin() -> Task<[Status], any Error> {
        Task { [phones, link] in
            try await withThrowingTaskGroup(of: Status.self, returning: [Status].self) { group in
                for phone in phones { group.addTask { try await phone.logInPatiently(link).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    /// When it is over.
    func expectOneWinner(_ running: Task<[Status], any Error>) async throws {
        let outcomes = try await running.value
        #expect(outcomes.count { $0 == .ok } == 1 && outcomes.allSatisfy { [.ok, .sessionTaken, .sessionOver].contains($0) }, "\(outcomes)")
        #expect(try await stage.servers.status(of: nonce).loggedIn)
        #expect(try await stage.servers.status(of: stopped).loggedIn == false)
        let after = try await stage.counted()
        #expect(after.evaluations == before.evaluations + 1 && after.highest == before.highest + 1 && after.proven == after.highest, "\(after)")
    }
}
