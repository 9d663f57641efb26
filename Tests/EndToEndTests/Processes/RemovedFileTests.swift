import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The database file of a running server is moved away.
@Suite("A database file that is taken from a running server", .serialized)
struct RemovedFileTests {
    @Test("Each server's own /ready is 503 and names the file, the log says it once, and nobody claims that PINs are not checked")
    func removed() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (ours, theirs) = ("ostiary.sqlite", "second-factor.sqlite")
        let files = ["\(pair.layout.authenticationData.path)/\(ours)", "\(pair.layout.secondFactorData.path)/\(theirs)"]
        for file in files { try FileManager.default.moveItem(atPath: file, toPath: file + ".away") }
        let (failed, unusable) = ("a readiness check failed", "nobody logs in with a PIN")
        // A machine that is busy may be late with an answer of the other's; that one is told as what it is.
        func claims() -> [Substring] {
            pair.authentication.complaints.split(separator: "\n").filter { $0.contains(unusable) && !$0.contains("no answer in time") }
        }
        // While both start, one may ask before the other listens.
        let before = claims()
        for (server, address, name) in [
            (pair.authentication, pair.layout.adminURL, ours), (pair.secondFactor, pair.layout.secondFactorURL, theirs),
        ] {
            // Nobody has asked /ready by then.
            try await eventually("the log says it: \(server.complaints)") { server.complaints.contains(failed) }
            for _ in 0..<3 {
                try await eventually("its /ready names the file") {
                    let (status, body) = try await pair.answer(address + "/ready")
                    return status == 503 && body.contains("\(name) was replaced or removed")
                }
            }
            #expect(server.complaints.split(separator: "\n").filter { $0.contains(failed) && $0.contains("work=database") }.count == 1)
        }
        try await eventually("serve tells of the other: \(pair.authentication.complaints)") {
            pair.authentication.complaints.contains(
                "the second-factor server has trouble with its storage, or its root key is withheld: logins with a PIN may fail")
        }
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        #expect(claims() == before)

        for file in files { try FileManager.default.moveItem(atPath: file + ".away", toPath: file) }
        try await eventually("they are ready again") { await pair.status("/ready") == 200 }
        try await pair.stop()
    }
}
