import OstiaryProtocol
import OstiaryTokens

/// Shows that whoever sends it back was shown a question by us, in this browser: what the person read is what they let a client do.
package struct ConsentMark: Sendable {
    private let bytes: [UInt8]

    /// - Parameter key: known to the browser of the visit, and to no other site.
    package init(of question: ConsentQuestion, under key: ConsentKey) {
        bytes = HMACSHA256.tag(over: Array("ostiary consent\n\(question.text)".utf8), key: key.bytes)
    }

    /// For the page: 43 characters of base64url.
    package var text: String { Base64URL.encode(bytes) }

    /// Whether a page sent this very one.
    package func isShown(by text: String) -> Bool {
        guard text.utf8.count <= Self.longest, let shown = Base64URL.decode(text) else { return false }
        return matches(shown, bytes)
    }

    private static let longest = 64
}

extension ConsentQuestion {
    /// Everything that an answer is about: what happens, and what the person read of it, which an operator may write otherwise in the meantime. Names and
    /// words are lines, and none can be taken for two. What our own scopes are called in each language is the program's.
    fileprivate var text: String {
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

/// The secret of a visit, which stands in a cookie and in nothing that a script or another site reads.
package struct ConsentKey: Sendable {
    fileprivate let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }
}

extension ConsentKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
