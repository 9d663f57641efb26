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
    private let mostOfOne: Int
    private var given: [SHA256Digest: Given] = [:]
    /// How many of them each person has, by `sub`.
    private var counts: [String: Int] = [:]
    /// When those that are over were last taken out: a webNonce stays here no longer than it is of use, and a minute.
    private var sweptAt = 0

    /// - Parameters:
    ///   - most: how many are remembered. When as many are about, the next is refused: nobody's is forgotten for it.
    ///   - mostOfOne: how many of one person, so that whoever asks in a loop takes the place of nobody else.
    init(most: Int = 100_000, mostOfOne: Int) {
        self.most = most
        self.mostOfOne = mostOfOne
    }

    /// - Returns: whether there was room.
    func keep(_ token: String, _ entry: Given, at now: Int) -> Bool {
        let subject = entry.claims.subject
        let isFull = given.count >= most || counts[subject, default: 0] >= mostOfOne
        // Once a second at most, since whoever finds no room may come back at once; also where the clock was put back.
        if now >= sweptAt + 60 || now < sweptAt || isFull && now > sweptAt { sweep(at: now) }
        guard given.count < most, counts[subject, default: 0] < mostOfOne else { return false }
        given[Self.name(token)] = entry
        counts[subject, default: 0] += 1
        return true
    }

    private func sweep(at now: Int) {
        given = given.filter { now < $0.value.claims.end }
        counts = given.values.reduce(into: [:]) { $0[$1.claims.subject, default: 0] += 1 }
        sweptAt = now
    }

    /// Nil for a token that was not given out here, or is over.
    func entry(of token: String, at now: Int) -> Given? { given[Self.name(token)].flatMap { now < $0.claims.end ? $0 : nil } }

    func forget(_ token: String) {
        guard let subject = given.removeValue(forKey: Self.name(token))?.claims.subject else { return }
        let left = counts[subject, default: 0] - 1
        counts[subject] = left > 0 ? left : nil
    }

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
