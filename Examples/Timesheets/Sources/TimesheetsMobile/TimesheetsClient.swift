import AsyncHTTPClient
import Foundation
import OstiaryMobile

/// The API as this app calls it, with a token that is good when the call is made.
struct TimesheetsClient: Sendable {
    /// Bytes of the longest answer that is read, and seconds for one.
    private static let longest = 1_024 * 1_024
    private static let timeout = Int64(10)
    private static let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .guarded)

    let base: URL
    let client: TokenClient

    /// All of them, part by part.
    func entries() async throws -> [Entry] { try await all("timesheets") }

    func waiting() async throws -> [Entry] { try await all("approvals") }

    func add(_ entry: NewEntry) async throws -> Entry { try await call("POST", "timesheets", try JSONEncoder().encode(entry)) }

    func approve(_ id: Int64) async throws -> Entry { try await call("PUT", "timesheets/\(id)/approval") }

    /// A token instead of the one that there is. It is renewed by itself when it has to be; this is for who wants to see it.
    func renew() async throws {
        let former = try await client.freshToken().value
        try await client.performWithFreshToken { token in
            guard token.value != former else { throw AccessTokenRefused() }
        }
    }

    private func all(_ path: String) async throws -> [Entry] {
        var entries: [Entry] = []
        var after: Int64? = 0
        while let last = after {
            let page: EntryPage = try await call("GET", "\(path)?after=\(last)")
            entries += page.entries
            // Always onwards: else a list would have no end.
            if let next = page.next, next <= last { throw URLError(.cannotParseResponse) }
            after = page.next
        }
        return entries
    }

    /// One call: made again with another token where the API refuses the first, which is all that `performWithFreshToken` has to be told.
    private func call<Answer: Decodable>(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Answer {
        guard let url = URL(string: "\(base.absoluteString)/\(path)") else { throw URLError(.badURL) }
        let (status, bytes) = try await client.performWithFreshToken { token in
            var request = HTTPClientRequest(url: url.absoluteString)
            request.method = .RAW(value: method)
            for (name, value) in try token.fields(method: method, url: url) { request.headers.add(name: name, value: value) }
            if let body {
                request.headers.add(name: "Content-Type", value: "application/json")
                request.body = .bytes(body)
            }
            let response = try await Self.http.execute(request, timeout: .seconds(Self.timeout))
            let bytes = Data(try await response.body.collect(upTo: Self.longest).readableBytesView)
            guard response.status.code != 401 else { throw AccessTokenRefused(nonce: response.headers.first(name: "DPoP-Nonce")) }
            return (Int(response.status.code), bytes)
        }
        guard (200...299).contains(status) else {
            var refusal = (try? JSONDecoder().decode(APIRefusal.self, from: bytes)) ?? APIRefusal(error: nil, description: nil, field: nil)
            refusal.status = status
            throw refusal
        }
        return try JSONDecoder().decode(Answer.self, from: bytes)
    }
}
