import Authentication
import HTTPService
import Hummingbird
import OstiaryProtocol

/// getSession, which business applications ask at every click. The route asks the domain and waits for it; where the domain knows at once, it is answered early,
/// before there is a task (docs/decisions/0057). What is said is the domain's and is written in one place, so that the two ways cannot differ; what is refused
/// only the route refuses.
struct SessionAnswers: Sendable {
    let sessions: SessionQueries

    /// As the OpenAPI document spells it.
    static let path = "/servers/{serverid}/sessions/"

    func answer(_ request: AdminRequest) async throws -> Response {
        let nonce = try request.nonce()
        return .json(try await sessions.status(of: nonce, at: try request.serverID(), now: request.now).write)
    }

    /// The same where it is known at once.
    /// - Returns: nil for any other call, without the right key, and where the route has to find out or to refuse.
    func early(_ request: EarlyRequest, behind key: AdminKey, at now: () -> Instant) -> [UInt8]? {
        guard let server = Self.server(in: request.address), let given = request.only("x-apikey"), key.caller(of: given) != nil,
            let text = request.only("x-nonce"), let nonce = try? SessionNonce(text)
        else { return nil }
        return sessions.textAtOnce(of: nonce, at: server, now: now()) { status in JSONWriter.bytes(status.write) }
    }

    /// The virtual server that an address names, if it is that of this call to the letter.
    private static func server(in address: String) -> ServerID? {
        var address = address
        return address.withUTF8 { letters in
            guard letters.count == before.count + ServerID.textLength + behind.count, letters.starts(with: before) else { return nil }
            let (text, rest) = (letters[before.count..<before.count + ServerID.textLength], letters.suffix(behind.count))
            return rest.elementsEqual(behind) ? ServerID(text: UnsafeBufferPointer(rebasing: text)) : nil
        }
    }

    /// What stands around the id.
    private static let (before, behind) = (Array("/servers/".utf8), Array("/sessions/".utf8))
}
