import Foundation
import OstiaryProtocol

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
        guard let url = URL(string: origin + path) else { throw DemoError.stepFailed("no address: \(origin + path)") }
        var request = URLRequest(url: url, timeoutInterval: 60)
        request.httpMethod = method
        request.httpBody = body
        request.setValue(apiKey, forHTTPHeaderField: "X-apikey")
        if let nonce { request.setValue(nonce, forHTTPHeaderField: "X-nonce") }
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw DemoError.unexpectedAnswer(call: "\(method) \(path)", status: status) }
        return data
    }

    func decode<Value: Decodable>(_: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(Value.self, from: data)
    }
}
