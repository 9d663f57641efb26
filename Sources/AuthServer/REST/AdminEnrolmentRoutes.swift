import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// Enrolments: how a phone becomes somebody's.
extension AdminRoutes {
    var enrolmentTable: [AdminRoute] {
        [
            AdminRoute(.get, "/servers/{serverid}/sessions/qr/enrol", query: ["name", "userid", "headless", "img", "s"], getQrEnrol),
            AdminRoute(.get, "/servers/{serverid}/sessions/link/enrol", query: ["name", "userid", "headless"], getLinkEnrol),
            AdminRoute(.get, "/servers/{serverid}/sessions/qr/upgrade", query: ["accountid", "img", "s"], getQrUpgrade),
            AdminRoute(.get, "/servers/{serverid}/sessions/link/upgrade", query: ["accountid"], getLinkUpgrade),
            AdminRoute(.post, "/servers/{serverid}/sessions/enrol/confirm", hasBody: true, confirmEnrol),
        ]
    }

    private func getQrEnrol(_ request: AdminRequest) async throws -> Response {
        let format = try request.codeFormat()
        return try AdminImage.code(try await begin(try enrolment(request), request), as: format)
    }

    private func getLinkEnrol(_ request: AdminRequest) async throws -> Response {
        .text(Link.text(of: try await begin(try enrolment(request), request), at: publicURL.description))
    }

    private func getQrUpgrade(_ request: AdminRequest) async throws -> Response {
        let format = try request.codeFormat()
        return try AdminImage.code(try await begin(try upgrade(request), request), as: format)
    }

    private func getLinkUpgrade(_ request: AdminRequest) async throws -> Response {
        .text(Link.text(of: try await begin(try upgrade(request), request), at: publicURL.description))
    }

    private func enrolment(_ request: AdminRequest) throws -> EnrolmentStart {
        let nonce = try request.nonce()
        let (name, userID) = try request.enrolmentNames()
        return EnrolmentStart(nonce: nonce, displayName: name, userID: userID, purpose: try request.isHeadless() ? .headless : .full)
    }

    private func upgrade(_ request: AdminRequest) throws -> EnrolmentStart {
        EnrolmentStart(upgrading: try request.namedAccount(), nonce: try request.nonce())
    }

    /// The bytes of the code.
    private func begin(_ start: EnrolmentStart, _ request: AdminRequest) async throws -> [UInt8] {
        try await domain.enrolments.start(
            start, at: try request.serverID(), origin: publicURL.description, by: request.caller.actor, now: request.now
        ).code
    }

    private func confirmEnrol(_ request: AdminRequest) async throws -> Response {
        let (nonce, server) = (try request.nonce(), try request.serverID())
        let body: AdminConfirmation = try await request.body()
        switch try await domain.enrolments.confirm(nonce, code: body.code, at: server, by: request.caller.actor, now: request.now) {
        case .activated: return .object { writer in writer.member("confirmed", true) }
        case .wrong(let left): throw Self.wrongCode(left: Int(left))
        case .removed: throw Self.wrongCode(left: 0)
        }
    }

    private static func wrongCode(left: Int) -> ErrorResponse {
        ErrorResponse(
            .forbidden, "wrong_code",
            left == 0 ? "that was the third wrong code; nothing comes of this enrolment" : "that is not the code on the phone",
            left: left)
    }
}

/// The body of confirmEnrol.
struct AdminConfirmation: JSONFields {
    let code: String

    enum Field: String, CodingKey, CaseIterable { case code }
}
