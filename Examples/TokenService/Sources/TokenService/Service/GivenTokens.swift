import Crypto
import Foundation

/// Tokens that were given out and are not over, each with the webNonce for which it was: by that it is told whether they are logged in still. In memory, so
/// that with the process they are forgotten, and whoever asks about one hears that it is not good.
actor GivenTokens {
    struct Given: Sendable {
        let claims: TokenClaims
        let webNonce: WebNonce
    }

    private let most: Int
    private var given: [SHA256Digest: Given] = [:]
    /// When those that are over were last taken out: a webNonce stays here no longer than it is of use, and a minute.
    private var sweptAt = 0

    /// - Parameter most: how many are remembered. When as many are about, the next is refused: nobody's is forgotten for it.
    init(most: Int = 100_000) { self.most = most }

    /// - Returns: whether there was room.
    func keep(_ token: String, _ entry: Given, at now: Int) -> Bool {
        if given.count >= most || now >= sweptAt + 60 {
            given = given.filter { now < $0.value.claims.end }
            sweptAt = now
        }
        guard given.count < most else { return false }
        given[Self.name(token)] = entry
        return true
    }

    /// Nil for a token that was not given out here, or is over.
    func entry(of token: String, at now: Int) -> Given? { given[Self.name(token)].flatMap { now < $0.claims.end ? $0 : nil } }

    func forget(_ token: String) { given[Self.name(token)] = nil }

    private static func name(_ token: String) -> SHA256Digest { SHA256.hash(data: Data(token.utf8)) }
}

/// What an app showed. Whoever has it can be taken for the person who is logged in, so it goes to `getSession` and nowhere else, and prints as ‹secret›.
struct WebNonce: Sendable, CustomStringConvertible, CustomReflectable {
    /// The header field that it comes in, which is `WebNonceSettings.field`.
    static let field = "X-webNonce"

    let text: String

    var description: String { "‹secret›" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
