import Foundation

struct CronSettings {
    let issuer: String
    let audience: String
    let api: String
    let clientID: String
    let secret: String

    init(_ variables: [String: String]) throws(CronFailure) {
        func needed(_ name: String) throws(CronFailure) -> String {
            guard let value = variables[name], !value.isEmpty else { throw .file("\(name) is not set") }
            return value
        }
        func address(_ name: String) throws(CronFailure) -> String {
            let text = try needed(name)
            guard Self.isCalled(text) else { throw .file("\(name) is no address that is called: https, or http to this machine") }
            return text
        }
        issuer = try address("ISSUER")
        audience = try needed("AUDIENCE")
        api = try address("API")
        clientID = variables["CLIENT_ID"] ?? "timesheets-cron"
        // In a file: variables of a process can be read by others, and stand in its logs.
        let path = try needed("CLIENT_SECRET_FILE")
        guard let secret = try? String(contentsOfFile: path, encoding: .utf8) else { throw .file("\(path) cannot be read") }
        self.secret = secret.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Where a secret and a token may go: nobody on the way reads them.
    static func isCalled(_ address: String) -> Bool {
        guard let url = URL(string: address), let host = url.host(), !host.isEmpty else { return false }
        return url.scheme == "https" || url.scheme == "http" && ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    }
}

/// Why nothing more was sent.
enum CronFailure: Error {
    /// Something that was set or handed in.
    case file(String)
    /// What the provider or the API answered, of which entry from 1, and what it means.
    case refused(by: String, status: UInt, row: Int?, String)

    /// Whether the same may be taken later.
    var mayPass: Bool {
        if case .refused(_, let status, _, _) = self { status == 429 || status >= 500 } else { false }
    }

    /// Whether another token may be taken where this one was not.
    var isOfToken: Bool {
        if case .refused(_, let status, _, _) = self { status == 401 } else { false }
    }

    var sentence: String {
        switch self {
        case .file(let words): words
        case .refused(let who, let status, let row?, let words): "\(who) says \(status): entry \(row), \(words)"
        case .refused(let who, let status, nil, let words): "\(who) says \(status): \(words)"
        }
    }
}
