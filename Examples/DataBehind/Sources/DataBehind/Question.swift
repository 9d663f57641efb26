import Foundation

/// What the authentication server tells of the device that asks (docs/data-service.md). A service looks at what it needs, and ignores what it does not know.
struct Question: Decodable, Sendable {
    /// The same for each try of one call with one content.
    let requestid: String
    let serverid: String
    let accountid: String
    /// How much is known: `device`, and never that a person was asked for anything.
    let level: String
    /// base64url without padding.
    let payload: String

    /// What the app asks; nil for what is no base64url.
    var asked: Data? {
        let text = payload.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}

/// What apps of this service ask, which is its own: to add a note, or nothing. The answer is all notes of the account.
struct NoteRequest: Decodable, Sendable {
    let add: String?
}
