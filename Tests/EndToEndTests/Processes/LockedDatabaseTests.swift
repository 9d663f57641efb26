import Foundation
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Another process holds the database of a running server locked.
@Suite("A database that another process holds", .serialized)
struct LockedDatabaseTests {
    private func path(_ data: URL, _ name: String) -> String { data.appendingPathComponent(name).path }

    /// What getQrLogin answers for a nonce that nobody used, which writes a row.
    private func newCode(_ pair: ProcessesFixture, _ backend: DemoBackend) async throws -> (status: Int, retryAfter: String?, body: String) {
        let url = try #require(URL(string: "\(pair.layout.adminURL)/servers/\(backend.serverID)/sessions/qr/login"))
        var request = URLRequest(url: url, timeoutInterval: 300)
        request.setValue(pair.layout.rootAPIKey, forHTTPHeaderField: "X-apikey")
        request.setValue(ManagementClient.newNonce(), forHTTPHeaderField: "X-nonce")
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        return (answer.statusCode, answer.value(forHTTPHeaderField: "Retry-After"), String(decoding: data, as: UTF8.self))
    }

    @Test("That of serve: getSession goes on, requests that write are 503 with a time to come back, log and readiness say why, and it mends itself")
    func authenticationServer() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let nonce = try await person.logIn(in: pair.folder).nonce
        let held = try await HeldDatabase(path(pair.layout.authenticationData, "ostiary.sqlite"))
        for _ in 0..<3 {
            let answer = try await newCode(pair, person.backend)
            #expect(answer.status == 503 && answer.retryAfter != nil && answer.body.contains("storage_unavailable"), "\(answer)")
            #expect(try await person.backend.session(nonce).loggedin)
        }
        try await eventually("readiness says that it is locked") {
            let (status, body) = try await pair.report("/ready?for=logins")
            return status == 503 && body.contains("locked by another process")
        }
        try await pair.waitUntilInOrder()
        // The log is written beside the answers.
        try await eventually("it says why") { pair.authentication.complaints.contains("requests fail until this is mended") }
        let lines = pair.authentication.complaints.split(separator: "\n").filter { $0.contains("requests fail until this is mended") }
        #expect((1...2).contains(lines.count) && lines.allSatisfy { $0.contains("locked by another process") }, "\(lines)")

        try await held.letGo()
        try await pair.waitUntilReady()
        #expect(try await newCode(pair, person.backend).status == 200)
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        try await pair.stop()
    }

    @Test("That of second-factor: nobody logs in with a PIN, no try is counted, each server says which of them it is, and it mends itself")
    func secondFactorServer() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let held = try await HeldDatabase(path(pair.layout.secondFactorData, "second-factor.sqlite"))
        let code = try await person.backend.loginCode(ManagementClient.newNonce(), asPNG: false)
        #expect(try await FixturePhone.onNetwork(in: person.phone.home).logIn(code).end.session == nil)
        try await eventually("both say it") {
            let (status, body) = try await pair.report("/ready?for=logins")
            let own = try await pair.answer(pair.layout.secondFactorURL + "/ready")
            return status == 503 && body.contains("look at its /ready") && own.status == 503 && own.body.contains("locked by another process")
        }
        try await pair.waitUntilInOrder()
        let command = ["second-factor", "reset", String(repeating: "A", count: 22), "--data", pair.layout.secondFactorData.path]
        let reset = try Program(command, environment: pair.databaseSettings)
        #expect(try await reset.end() == 1)
        #expect(reset.complaints.contains("end what holds it") && reset.complaints.contains("then run this again"), "\(reset.complaints)")
        #expect(!reset.complaints.contains("stop that server"), "\(reset.complaints)")

        try await held.letGo()
        try await pair.waitUntilReady()
        let login = try await person.logIn(in: pair.folder).outcome
        #expect(login.code == 0 && login.secondFactors.allSatisfy { $0.info?["failedAttempts"]?.int == 0 }, "\(login)")
        try await pair.stop()
    }
}
