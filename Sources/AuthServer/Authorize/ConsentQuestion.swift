import OAuthProvider
import OstiaryProtocol

/// What a person is asked before a client gets anything.
struct ConsentQuestion: Sendable {
    enum Kind: String, Sendable {
        /// Whether the client may do this.
        case consent
        /// Whether this is the app that they mean.
        case confirm
        /// Whether a device may do this.
        case device
    }

    let kind: Kind
    let application: Application
    let scopes: ScopeSet
    let api: ProtectedAPI?
    /// In which they answer.
    let login: BrowserLogin

    /// Everything that an answer is about, for its mark. No part of it holds an end of line.
    var text: String { [kind.rawValue, login.session.text, application.id.text, api?.identifier.text ?? "", scopes.text].joined(separator: "\n") }
}
