import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The nightly upload of Examples/Timesheets beside somebody who is no provider and no API. What it does beside true ones scripts/timesheets shows.
@Suite("Examples/Timesheets, the machine that uploads", .serialized)
struct TimesheetsCronTests {
    /// Runs it on a file with one line.
    private func upload(_ folder: TemporaryFolder, issuer: RawServer, api: RawServer) async throws -> (code: Int32, said: String) {
        let secret = try folder.write(Array("a secret".utf8), to: "secret")
        let lines = "reference,employee,date,project,hours\nnight-1,bob,2027-02-01,Watch,0.25\n"
        let program = try Program(
            [try folder.write(Array(lines.utf8), to: "night.csv")],
            environment: [
                "ISSUER": "http://127.0.0.1:\(issuer.port)", "AUDIENCE": "https://api.example", "API": "http://127.0.0.1:\(api.port)",
                "CLIENT_SECRET_FILE": secret,
            ], executable: Binary.url.deletingLastPathComponent().appendingPathComponent("TimesheetsCronExample").path)
        return (try await program.end(), program.complaints)
    }

    private static func provider() throws -> RawServer {
        try RawServer { connection in
            let host = connection.request.firstMatch(of: /(?i)host: ([0-9.:]+)/).map { String($0.output.1) } ?? ""
            let metadata = #"{"issuer":"http://\#(host)","token_endpoint":"http://\#(host)/token"}"#
            let body = connection.request.hasPrefix("GET ") ? metadata : #"{"access_token":"a-token"}"#
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    @Test(
        "An answer whose status is none is no answer: it says that nobody answers now, and to try again later",
        arguments: ["099 x\r\ncontent-length: 4\r\n\r\nbody", "000 x\r\n\r\nbody"])
    func noStatus(answer: String) async throws {
        let folder = try TemporaryFolder()
        let liar = try RawServer { $0.send("HTTP/1.1 \(answer)") }
        let atProvider = try await upload(folder, issuer: liar, api: liar)
        #expect(atProvider.code == 75 && atProvider.said.hasPrefix("nobody answers now"), "\(atProvider)")
        // On a busy machine the provider may be too late, which is the same answer: it is asked again until the API was.
        var isHeard = false
        for _ in 0..<5 where !isHeard {
            let atAPI = try await upload(folder, issuer: try Self.provider(), api: liar)
            #expect(atAPI.code == 75 && atAPI.said.hasPrefix("nobody answers now"), "\(atAPI)")
            isHeard = liar.requests.contains { $0.hasPrefix("POST /timesheets/upload ") && $0.contains("a-token") }
        }
        #expect(isHeard)
    }
}
