import Foundation
import OstiaryProtocol

/// The management interface as a business backend calls it: `X-apikey` and `X-nonce`, JSON both ways.
struct ManagementClient: Sendable {
    let origin: String
    let apiKey: String

    /// A session nonce: 43 characters of base64url, chosen by us and shown to nobody but the management interface.
    static func newNonce() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// Calls, and returns the body of a 200.
    /// - Throws: `DemoError.unexpectedAnswer` for any other status.
    func call(_ method: String, _ path: String, nonce: String? = nil, json: [String: String]? = nil) async throws -> Data {
        try await send(method, path, nonce: nonce, body: try json.map { try JSONEncoder().encode($0) })
    }

    /// The same with a body that is JSON already.
    func send(_ method: String, _ path: String, nonce: String?, body: Data?) async throws -> Data {
        var fields = [(name: "X-apikey", value: apiKey)]
        if let nonce { fields.append((name: "X-nonce", value: nonce)) }
        if body != nil { fields.append((name: "Content-Type", value: "application/json")) }
        let answer = try await DemoCalls.send(method, origin + path, fields, body: body.map { Array($0) }, limit: .seconds(60))
        guard answer.status == 200 else { throw DemoError.unexpectedAnswer(call: "\(method) \(path)", status: answer.status) }
        return Data(answer.body)
    }

    func decode<Value: Decodable>(_: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(Value.self, from: data)
    }
}
