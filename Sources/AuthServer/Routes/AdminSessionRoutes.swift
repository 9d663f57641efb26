import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// Sessions: logins, each named by a nonce of the business backend.
extension AdminRoutes {
    var sessionTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/{serverid}/sessions/", getSession),
            AdminRoute(.post, "/servers/{serverid}/sessions/logout", logOut),
            AdminRoute(.get, "/servers/{serverid}/sessions/qr/login", getQrLogin),
            AdminRoute(.get, "/servers/{serverid}/sessions/link/login", getLinkLogin),
            AdminRoute(.post, "/servers/{serverid}/sessions/page", openPage),
        ]
    }

    private func getSession(_ request: AdminRequest) async throws -> Response {
        let nonce = try request.nonce()
        // At a server that does not exist nobody is logged in either: one answer for everything unknown.
        guard let server = try? request.serverID() else { return .json(LoginStatus.nobody.write) }
        return .json(try await sessions.status(of: nonce, at: server, now: request.now).write)
    }

    private func logOut(_ request: AdminRequest) async throws -> Response {
        try await sessions.logOut(try request.nonce(), at: try request.serverID(), now: request.now)
        return .done
    }

    /// A picture or bytes cannot move, so this is a code that stands still.
    private func getQrLogin(_ request: AdminRequest) async throws -> Response {
        let format = try request.codeFormat()
        return try AdminImage.code(try await link(.still, request).bytes, as: format)
    }

    private func getLinkLogin(_ request: AdminRequest) async throws -> Response {
        .link(Link.text(of: try await link(.tapped, request).bytes, at: publicURL.description))
    }

    private func link(_ style: LinkStyle, _ request: AdminRequest) async throws -> Encoded<LoginLink> {
        try await sessions.loginLink(for: try request.nonce(), at: try request.serverID(), style: style, now: request.now).link
    }

    private func openPage(_ request: AdminRequest) async throws -> Response {
        let nonce = try request.nonce()
        let server = try request.serverID()
        let body: AdminPageRequest = try await request.body()
        _ = try await servers.virtualServer(server)
        let url = try await pages.open(try body.page(server: server, nonce: nonce), at: request.now)
        return .json { writer in writer.object { writer in writer.member("url", url) } }
    }
}

/// The body of openPage.
struct AdminPageRequest: Decodable {
    let kind: String
    let name: String?
    let userid: String?
    let returnurl: String?

    func page(server: ServerID, nonce: SessionNonce) throws(AdminRefusal) -> Page {
        guard let kind = PageKind(rawValue: kind) else { throw .badField("kind", "is login or enrol") }
        let returnURL = try returnurl.map { text throws(AdminRefusal) in
            guard let url = ReturnURL(text) else {
                throw .badField("returnurl", "is an https address, a path that begins with one slash, or a loopback address")
            }
            return url
        }
        switch kind {
        case .login: return Page(kind: .login, serverID: server, nonceHash: nonce.hash, returnURL: returnURL)
        case .enrol:
            guard let name else { throw .badField("name", "is missing: what shall the phone call the account?") }
            return Page(
                kind: .enrol, serverID: server, nonceHash: nonce.hash, name: try AdminText.checked(name, field: "name"),
                userID: try userid.map { text throws(AdminRefusal) in try AdminText.checked(text, field: "userid") }, returnURL: returnURL)
        }
    }
}
