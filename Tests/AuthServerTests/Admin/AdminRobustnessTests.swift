import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("REST: what strangers send")
struct AdminRobustnessTests {
    @Test("Another method is 405, and the answer says which there are")
    func refusesMethods() async throws {
        let premises = try await PagesFixture()
        let server = premises.serverID.text
        try await premises.asBackend { (backend) async throws in
            for (path, routes) in Dictionary(grouping: premises.adminRoutes.table, by: \.path) {
                let allowed = Set(routes.map(\.method.rawValue))
                for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] where !allowed.contains(method.rawValue) {
                    let response = try await backend.send(method, path.replacingOccurrences(of: "{serverid}", with: server))
                    #expect(response.status == .methodNotAllowed, "\(method) \(path)")
                    let also: Set<String> = allowed.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]
                    #expect(response.headers[.allow] == allowed.union(also).sorted().joined(separator: ", "))
                }
            }
        }
    }

    @Test(
        "A body that is no JSON object of the call is 400",
        arguments: [
            "", "{", "[]", "null", "7", "\"text\"", "{\"code\":}", "{\"code\":\"K7Q3\"", "{'code':'K7Q3'}", "\u{FEFF}",
            #"{"kind":"\ud800","code":"\ud800","blocked":"\ud800","owner":"\ud800"}"#,
            "nan",
            String(repeating: "[", count: 20_000), "{\"a\":" + String(repeating: "[", count: 5_000),
        ])
    func refusesBodies(body: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            for (method, rest) in [
                (HTTPRequest.Method.put, "/"), (.post, "/sessions/enrol/confirm"), (.post, "/sessions/page"), (.put, "/accounts/\(account.id.text)/"),
            ] {
                let (status, answer) = try await backend.json(method, backend.path(rest), body: body)
                #expect(status == 400, "\(rest)")
                #expect(answer.names.subtracting(["field"]) == ["error", "message", "requestId"])
            }
        }
    }

    @Test("Whoever sends something else than an object is told that, and no field is blamed", arguments: ["[]", "7", "\"text\"", "null"])
    func namesNoField(body: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (status, answer) = try await backend.json(.put, backend.path("/"), body: body)
            #expect(status == 400 && answer.text("message") == "the body is not a JSON object" && answer.text("field") == nil)
        }
    }

    @Test("Random bytes in path, query, headers and body are refused: never 5xx, never a trap")
    func survivesNoise() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        let random = SystemRandomSource()
        try await premises.asBackend { (backend) async throws in
            for _ in 0..<60 {
                let noise = random.bytes(1 + Int(random.bytes(1)[0]))
                let escaped = noise.prefix(60).map { byte in "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
                for route in premises.adminRoutes.table {
                    let path = route.path.replacingOccurrences(of: "{serverid}", with: random.bytes(1)[0] < 128 ? premises.serverID.text : escaped)
                        .replacingOccurrences(of: "{accountid}", with: random.bytes(1)[0] < 128 ? account.id.text : escaped)
                        .replacingOccurrences(of: "{userid}", with: escaped)
                    var headers: HTTPFields = [.apiKey: PagesFixture.key]
                    headers[.nonce] = random.bytes(1)[0] < 128 ? PagesFixture.nonce : String(decoding: noise.map { $0 & 0x7F | 0x20 }, as: UTF8.self)
                    let response = try await backend.client.execute(
                        uri: random.bytes(1)[0] < 128 ? path : "\(path)?\(escaped)=\(escaped)&limit=\(escaped)", method: route.method,
                        headers: headers, body: ByteBuffer(bytes: noise))
                    let mayBeDown = route.path.hasSuffix("/secondfactor/reset") && response.status == .serviceUnavailable
                    #expect(response.status.code < 500 || mayBeDown, "\(route.method) \(path)")
                }
            }
        }
    }

    @Test("A body larger than 64 KiB is 413")
    func refusesLargeBodies() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let body = #"{"owner":"\#(String(repeating: "a", count: 70_000))"}"#
            #expect(try await backend.send(.put, backend.path("/"), body: body).status == .contentTooLarge)
        }
    }
}
