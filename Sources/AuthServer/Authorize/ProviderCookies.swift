import HTTPTypes
import OstiaryProtocol

/// The cookies by which the provider knows a browser again: one for each visit, named by it, and one for the logins at each virtual server.
///
/// Links and redirects of other sites bring them, their forms and frames do not (`SameSite=Lax`); scripts never read them.
struct ProviderCookies: Sendable {
    /// How many visits a browser keeps; of more, the oldest are given up.
    static let mostVisits = 8
    /// How many logins.
    static let mostLogins = 4
    /// Seconds that a browser keeps a visit, which is as long as its request is kept.
    static let visitLife = PageLifetime.page

    private let prefix: String
    private let isSecure: Bool

    init(isSecure: Bool) {
        self.isSecure = isSecure
        prefix = isSecure ? "__Host-ostiary-" : "ostiary-"
    }

    /// The visit that a request names; nil when the browser has none of that name.
    func visit(_ id: PageID, in headers: HTTPFields) -> Visit? {
        let values = values(headers).filter { $0.name == name(of: id) }
        // Of two one must be foreign.
        guard values.count == 1, let visit = Visit(received: values[0].value), visit.id == id else { return nil }
        return visit
    }

    /// Keeps a visit, and gives up the oldest of too many.
    func keeping(_ visit: Visit, in headers: HTTPFields) -> [String] {
        let others = values(headers).compactMap { $0.name.hasPrefix("\(prefix)visit-") ? Visit(received: $0.value) : nil }
            .filter { $0.id != visit.id }.sorted { $0.begunAt < $1.begunAt }
        let tooMany = others.prefix(max(0, others.count - (Self.mostVisits - 1)))
        return [field(name(of: visit.id), visit.text) + "; Max-Age=\(Self.visitLife)"] + tooMany.map { forgetting($0) }
    }

    func forgetting(_ visit: Visit) -> String { field(name(of: visit.id), "") + "; Max-Age=0" }

    /// What the browser's logins at a virtual server are named by, the newest first; none when two such cookies came.
    func logins(at server: ServerID, in headers: HTTPFields) -> [PageSecret] {
        let values = values(headers).filter { $0.name == name(of: server) }
        guard values.count == 1 else { return [] }
        return values[0].value.split(separator: ".").prefix(Self.mostLogins).compactMap { PageSecret(received: $0) }
    }

    /// Keeps the logins for as long as the browser is open.
    func keeping(_ logins: [PageSecret], at server: ServerID) -> String {
        guard !logins.isEmpty else { return field(name(of: server), "") + "; Max-Age=0" }
        return field(name(of: server), logins.map(\.text).joined(separator: "."))
    }

    private func name(of id: PageID) -> String { "\(prefix)visit-\(id.text)" }
    private func name(of server: ServerID) -> String { "\(prefix)logins-\(server.text)" }

    private func values(_ headers: HTTPFields) -> [(name: String, value: Substring)] {
        headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let trimmed = pair.drop { $0 == " " }
            guard trimmed.hasPrefix(prefix), let equals = trimmed.firstIndex(of: "=") else { return nil }
            return (String(trimmed[..<equals]), Substring(trimmed[equals...].dropFirst().filter { $0 != " " }))
        }
    }

    private func field(_ name: String, _ value: String) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}
