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

    /// Everything that an answer is about, for its mark: what happens, and what the person read of it, which an operator may write otherwise in the
    /// meantime. Names and words are lines, and none can be taken for two. What our own scopes are called in each language is the program's.
    var text: String {
        let happens = [kind.rawValue, login.session.text, application.id.text, api?.identifier.text ?? "", scopes.text]
        let read = [application.name, application.siteURL] + scopes.meanings(at: api).map(\.text)
        return (happens + read).joined(separator: "\n")
    }
}

extension ScopeMeaning {
    fileprivate var text: String {
        switch self {
        case .identity(let scope): scope.text
        case .words(let words): words
        }
    }
}
