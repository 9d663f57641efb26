import Foundation
import NIOHTTP1

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
        var fields = [(name: "Content-Type", value: "application/json")]
        if let origin { fields.append((name: "Origin", value: origin)) }
        if let cookie { fields.append((name: "Cookie", value: cookie)) }
        let answer = try await DemoCalls.send(method, address, fields, body: body.map { Array($0.utf8) }, limit: .seconds(15))
        guard answer.status == 200 else {
            throw DemoError.unexpectedAnswer(call: "\(method) \(URL(string: address)?.path ?? address)", status: answer.status)
        }
        return (Data(answer.body), answer.headers.first(name: "Set-Cookie"))
    }
}
