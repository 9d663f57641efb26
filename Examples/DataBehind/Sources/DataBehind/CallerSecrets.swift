import Crypto
import Foundation

/// By what the authentication server shows that it is the one that asks. While it gets another secret, both are taken.
struct CallerSecrets: Sendable {
    private let hashes: [SHA256Digest]

    init(_ secrets: [String]) { hashes = secrets.map { SHA256.hash(data: Data($0.utf8)) } }

    /// - Parameter field: `Authorization` as it came. Digests are compared in constant time.
    func take(_ field: String?) -> Bool {
        guard let field, field.lowercased().hasPrefix("bearer ") else { return false }
        let hash = SHA256.hash(data: Data(field.dropFirst("bearer ".count).utf8))
        return hashes.contains { $0 == hash }
    }
}
