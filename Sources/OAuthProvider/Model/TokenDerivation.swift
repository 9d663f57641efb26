import OstiaryProtocol
import OstiaryTokens

/// Refresh tokens are stored nowhere: every node derives them again, so that a retry gets the very token whose answer was lost.
package struct TokenDerivation: Sendable, CustomStringConvertible {
    private let secret: [UInt8]

    package init(secret: [UInt8]) { self.secret = secret }

    package var description: String { "TokenDerivation ‹secret›" }

    /// A refresh token: grant[16] ‖ generation u32 ‖ tag[32], in base64url; tag = HMAC-SHA-256 over “oauth/refresh” 00 grant ‖ generation.
    package func refreshToken(of grant: GrantID, generation: UInt32) -> RefreshToken {
        let content = Self.content(grant, generation)
        return RefreshToken(grant: grant, generation: generation, text: Base64URL.encode(content + tag(over: content)))
    }

    /// The refresh token that a text is; nil for one that was not made here.
    package func refreshToken(_ text: String) -> RefreshToken? {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text), bytes.count == GrantID.count + 36 else { return nil }
        let content = Array(bytes.prefix(GrantID.count + 4))
        guard matches(tag(over: content), Array(bytes.suffix(32))), let grant = GrantID(Array(content.prefix(GrantID.count))) else { return nil }
        let generation = content.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        return RefreshToken(grant: grant, generation: generation, text: text)
    }

    private static func content(_ grant: GrantID, _ generation: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(grant.bytes)
        writer.u32(generation)
        return writer.bytes
    }

    private func tag(over content: [UInt8]) -> [UInt8] { HMACSHA256.tag(over: Array("oauth/refresh".utf8) + [0] + content, key: secret) }
}

/// A refresh token that was made here. Whether it is still good its family says.
package struct RefreshToken: Sendable, CustomStringConvertible {
    package let grant: GrantID
    package let generation: UInt32
    /// For the one answer that gives it out.
    package let text: String

    package var description: String { "refresh token \(generation) of \(grant)" }
}
