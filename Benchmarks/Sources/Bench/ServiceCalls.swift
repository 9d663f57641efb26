import Foundation
import OstiaryMobile

/// What a phone does without a login page: a code that it shows without a network and a backend brings, and calls that the server passes on to a service behind it.
struct ServiceCalls {
    /// How much one account may do of each in a few minutes: five codes; tokens and data more.
    private static let most = 5
    /// As large as a token of the provider.
    private static let answer = String(repeating: "t", count: 800)

    let servers: Servers

    func measure(_ count: Int, into table: inout Table) async throws {
        let server = "/servers/\(servers.serverID)"
        try await servers.call("PUT", "\(server)/", body: #"{"serverFlags":["ENABLE_OTP"]}"#)
        let service = try StandIn(answering: Self.answer)
        defer { service.stop() }
        for kind in ["tokenservice", "dataservice"] {
            try await servers.call("PUT", "\(server)/\(kind)/", body: #"{"url":"\#(service.address)\#(kind)","timeout":10}"#)
        }
        let crowd = try await crowd((count + Self.most - 1) / Self.most)
        try await measureCodes(count, of: crowd, into: &table)
        try await measureTokens(count, of: crowd, into: &table)
        let payload = [UInt8](repeating: 7, count: 200)
        table.add(
            "getData", try await Bench.metered(servers, count) { round in _ = try await crowd[round % crowd.count].phone.getData(payload) },
            "200 bytes there, 800 back; the service is not counted, the call to it is")
        for kind in ["tokenservice", "dataservice"] { try await servers.call("DELETE", "\(server)/\(kind)/") }
        try await servers.call("PUT", "\(server)/", body: #"{"serverFlags":[]}"#)
    }

    /// Phones that have heard that their server takes codes.
    private func crowd(_ count: Int) async throws -> [Person] {
        var crowd: [Person] = []
        for number in 0..<count {
            let person = try Person(name: "service\(number)", servers: servers)
            try await person.enrol()
            _ = try await person.logIn()
            crowd.append(person)
        }
        return crowd
    }

    private func measureCodes(_ count: Int, of crowd: [Person], into table: inout Table) async throws {
        var typed: [(nonce: String, code: String)] = []
        for round in 0..<count {
            let nonce = Person.nonce()
            let person = crowd[round % crowd.count]
            let code = try await person.offlineCode(for: try await person.loginCode(nonce))
            typed.append((nonce, code))
        }
        table.add(
            "otpLogin",
            try await Bench.metered(servers, count) { [typed] round in
                try await servers.call(
                    "POST", "/servers/\(servers.serverID)/sessions/otp", nonce: typed[round].nonce, body: #"{"otp":"\#(typed[round].code)"}"#)
            }, "the REST call with a right code; durable, alone")
    }

    private func measureTokens(_ count: Int, of crowd: [Person], into table: inout Table) async throws {
        var sessions: [Session] = []
        for person in crowd { sessions.append(try await person.enterApp()) }
        table.add(
            "getToken",
            try await Bench.metered(servers, count) { [sessions] round in
                try await crowd[round % crowd.count].token(for: sessions[round % crowd.count])
            }, "800 bytes back; the service is not counted, the call to it is")
        for person in crowd { await person.leaveApp() }
    }
}
