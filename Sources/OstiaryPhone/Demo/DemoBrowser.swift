import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// As much of a browser as a login page needs: it redeems the ticket, keeps the cookie and reads what the page shows.
struct DemoBrowser: Sendable {
    private let origin: String
    private let page: String
    private let cookie: String

    /// Opens the page of a link with a ticket.
    init(opening link: String) async throws {
        let parts = link.split(separator: "#").map(String.init)
        guard parts.count == 2, let url = URL(string: parts[0]), let host = url.host else { throw DemoError.stepFailed("no link to a page: \(link)") }
        origin = "\(url.scheme ?? "http")://\(host)\(url.port.map { ":\($0)" } ?? "")"
        let (data, setting) = try await Self.send("POST", origin + "/pages/ticket", origin: origin, cookie: nil, body: #"{"ticket":"\#(parts[1])"}"#)
        struct Opened: Decodable { let page: String }
        page = try JSONDecoder().decode(Opened.self, from: data).page
        guard let setting else { throw DemoError.stepFailed("the page has no cookie") }
        cookie = String(setting.prefix { $0 != ";" })
    }

    /// What the page shows.
    struct Shown: Decodable {
        let state: String
        /// Behind the button for the app on the same device.
        let link: String?
        let returnurl: String?
    }

    func shown() async throws -> Shown {
        let (data, _) = try await Self.send("GET", "\(origin)/pages/state?page=\(page)", origin: nil, cookie: cookie, body: nil)
        return try JSONDecoder().decode(Shown.self, from: data)
    }

    private static func send(
        _ method: String, _ address: String, origin: String?, cookie: String?, body: String?
    ) async throws -> (Data, setCookie: String?) {
        guard let url = URL(string: address) else { throw DemoError.stepFailed("no address: \(address)") }
        var request = URLRequest(url: url, timeoutInterval: 15)
        request.httpMethod = method
        request.httpShouldHandleCookies = false
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let origin { request.setValue(origin, forHTTPHeaderField: "Origin") }
        if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
        request.httpBody = body.map { Data($0.utf8) }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let answer = response as? HTTPURLResponse, answer.statusCode == 200 else {
            throw DemoError.unexpectedAnswer(call: "\(method) \(url.path)", status: (response as? HTTPURLResponse)?.statusCode ?? 0)
        }
        return (data, answer.value(forHTTPHeaderField: "Set-Cookie"))
    }
}
