import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryProtocol

/// A browser at the provider's pages: goes where it is sent, and keeps cookies. One call after the other.
final class Browser {
    private let servers: Servers
    /// One that does not follow redirects.
    private let client: HTTPClient
    private var cookies: [String: String] = [:]

    init(servers: Servers, client: HTTPClient) {
        self.servers = servers
        self.client = client
    }

    private func send(_ url: String, json: String? = nil) async throws -> (status: UInt, location: String?, body: Data) {
        var request = HTTPClientRequest(url: url)
        if !cookies.isEmpty { request.headers.add(name: "Cookie", value: cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")) }
        if let json {
            request.method = .POST
            request.headers.add(name: "Origin", value: servers.origin)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: json))
        }
        let response = try await client.execute(request, timeout: .seconds(10))
        for cookie in response.headers["Set-Cookie"] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies[pair[0]] = cookie.contains("Max-Age=0") || pair.count < 2 ? nil : pair[1]
        }
        let body = try await response.body.collect(upTo: 1 << 20)
        return (response.status.code, response.headers.first(name: "Location"), Data(body.readableBytesView))
    }

    /// The code with which a client's request ends at once, because the person is logged in.
    func code(at address: String) async throws -> String {
        let answer = try await send(address)
        guard let location = answer.location, let code = URLComponents(string: location)?.queryItems?.first(where: { $0.name == "code" })?.value
        else { throw BenchError("no code: \(answer.status) \(answer.location ?? "")") }
        return code
    }

    /// Logs in at the page to which a client's request leads: the phone reads what the page shows.
    func logIn(at address: String, by person: Person) async throws -> String {
        struct Opened: Decodable { let page: String }
        guard let ticket = try await send(address).location?.split(separator: "#").last else { throw BenchError("no login page") }
        let opened = try await send(servers.origin + "/pages/ticket", json: #"{"ticket":"\#(ticket)"}"#)
        let page = servers.origin + "/pages/state?page=\(try JSONDecoder().decode(Opened.self, from: opened.body).page)"
        guard let code = try await snapshot(page).code.flatMap({ Base64URL.decode($0.bytes) }) else { throw BenchError("a page without a code") }
        // The phone is told that it is logged in once the browser has come back.
        async let login: Void = person.logIn(with: code)
        let back = try await wayBack(page)
        let returned = try await self.code(at: back)
        try await login
        return returned
    }

    private struct Snapshot: Decodable {
        struct Code: Decodable { let bytes: String }
        let state: String
        let code: Code?
        let returnurl: String?
    }

    private func snapshot(_ page: String) async throws -> Snapshot {
        try JSONDecoder().decode(Snapshot.self, from: try await send(page).body)
    }

    /// Where the page sends the browser after a phone said yes.
    private func wayBack(_ page: String) async throws -> String {
        for _ in 0..<300 {
            let now = try await snapshot(page)
            if now.state == "returning", let address = now.returnurl { return address }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BenchError("the phone did not log the page in")
    }
}
