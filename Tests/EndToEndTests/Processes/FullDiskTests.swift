import Foundation
import OstiaryMobile
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Real file systems without room, one server at a time.
@Suite("A full disk under a running server", .serialized, .enabled(if: SmallDisk.isPossible, "mounting needs rights that this user has not"))
struct FullDiskTests {
    @Test("The disk of serve is full: getSession goes on, requests that write are 503, readiness names this file, and room mends it")
    func authenticationServer() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (_, nonce) = try await person.logIn(in: pair.folder)
        try await pair.authentication.stop()
        let disk = try SmallDisk(pair.authentication.launch, in: pair.folder)
        try await pair.waitUntilReady()

        try disk.fill()
        try await eventually("the full disk is told") {
            let (status, body) = try await pair.report("/ready?for=logins")
            return status == 503 && body.contains("ostiary.sqlite is full") && !body.contains("second-factor")
        }
        try await pair.waitUntilInOrder()
        #expect(try await person.backend.session(nonce).loggedin)
        // The log has a little room of its own left; then there is none.
        var refusals = 0
        for _ in 0..<2_000 where refusals < 3 {
            let status = try await pair.statusOfNewCode(person.backend)
            #expect(status == 200 || status == 503)
            if status == 503 { refusals += 1 }
        }
        #expect(refusals == 3)
        #expect(try await person.backend.session(nonce).loggedin)
        let words = "requests fail until this is mended"
        try await eventually("the log says it: \(disk.program.complaints)") { disk.program.complaints.contains(words) }
        let lines = disk.program.complaintLines.filter { $0.contains(words) }
        // One a minute, and not one for each refusal.
        #expect(lines.count < refusals && lines.allSatisfy { $0.contains("ostiary.sqlite is full") }, "\(lines)")

        try disk.empty()
        try await pair.waitUntilReady()
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        disk.program.signal(SIGTERM)
        #expect(try await disk.program.end() == 0)
    }

    @Test("The disk of second-factor is full: serve says that it is the other one's, no try is lost, and room mends it")
    func secondFactorServer() async throws {
        let pair = try await ProcessesFixture.running()
        // A number that nobody settled holds its instance up for ten seconds: each try on the full disk is another person's.
        let backend = try await pair.backend()
        let people = ["alice", "bob", "carol"].map { Person(backend, pair.phone($0), user: $0) }
        for person in people { try await person.enrol(in: pair.folder) }
        try await pair.secondFactor.stop()
        let disk = try SmallDisk(pair.secondFactor.launch, in: pair.folder)
        try await pair.waitUntilReady()

        try disk.fill()
        try await eventually("the full disk of the other server is told") {
            let (status, body) = try await pair.report("/ready?for=logins")
            return status == 503 && body.contains("its database does not serve (of a file a full disk") && !body.contains("ostiary.sqlite is full")
        }
        try await pair.waitUntilInOrder()
        try await eventually("it says so itself") {
            let (status, body) = try await pair.answer(pair.layout.secondFactorURL + "/ready")
            return status == 503 && body.contains("second-factor.sqlite is full")
        }
        for person in people {
            let phone = try FixturePhone.onNetwork(in: person.phone.home)
            let down = try await phone.logIn(try await backend.loginCode(ManagementClient.newNonce(), asPNG: false))
            #expect(down.end.session == nil && down.answers.contains { $0.result == .error })
        }

        try disk.empty()
        try await pair.waitUntilReady()
        for person in people {
            let login = try await person.logIn(in: pair.folder).outcome
            #expect(login.code == 0 && login.secondFactors.allSatisfy { $0.info?["failedAttempts"]?.int == 0 })
        }
        disk.program.signal(SIGTERM)
        #expect(try await disk.program.end() == 0)
    }
}

extension ProcessesFixture {
    /// What getQrLogin answers for a nonce that nobody used.
    fileprivate func statusOfNewCode(_ backend: DemoBackend) async throws -> Int {
        do {
            _ = try await backend.loginCode(ManagementClient.newNonce(), asPNG: false)
            return 200
        } catch DemoError.unexpectedAnswer(_, let status) { return status }
    }
}
