import Foundation
import OstiaryProtocol

/// Whoever reads what the servers keep.
extension ThiefScene {
    /// Longer than usual: six digits may stand in a file by chance.
    private static let longPIN: [UInt8] = [2, 7, 4, 9, 1, 6, 3, 8, 0, 5, 2, 7]

    func readDatabase() async throws {
        let nora = try victim(pin: Self.longPIN)
        let nonce = try await nora.enrol()
        let authentication = try stolenBytes(of: servers.layout.authenticationData)
        let secondFactor = try stolenBytes(of: servers.layout.secondFactorData)
        saw("\(authentication.count + secondFactor.count) bytes of both databases are read, their write-ahead logs too.")

        let secrets = [
            ("the nonce of her login", nonce), ("her PIN", Self.longPIN.map { "\($0)" }.joined()), ("the API key", servers.layout.rootAPIKey),
        ]
        for (name, secret) in secrets {
            try hold(!authentication.holds(secret) && !secondFactor.holds(secret), or: "\(name) lies in a database")
        }
        saw("The nonce of her login, her PIN and the API key are in neither.")
        try hold(!secondFactor.holds(nora.user) && !secondFactor.holds(nora.name), or: "the second-factor server knows her name")
        saw("Her name is at the authentication server, which has to know it, and not at the second-factor server.")

        let hash = H(.nonce, Array(nonce.utf8))
        let isFound = authentication.range(of: Data(hash)) != nil || authentication.holds(Base64URL.encode(hash))
        guard isFound else { throw DemoError.stepFailed("the hash of her nonce was not found") }
        for text in [Base64URL.encode(hash), Hexadecimal.text(hash)] {
            try await holdNobodyIn(text, or: "the stored hash of a nonce opens her session")
        }
        saw("The hash of her nonce is found. Used as a nonce it opens nothing.")
        try await nora.expectUser(nonce)
    }

    /// The database of a server with its write-ahead log, without the key file that its operator keeps elsewhere.
    private func stolenBytes(of data: URL) throws -> Data {
        let names = try FileManager.default.contentsOfDirectory(atPath: data.path).filter { $0.contains(".sqlite") && !$0.hasSuffix("-shm") }
        guard !names.isEmpty else { throw DemoError.stepFailed("there is no database in \(data.lastPathComponent)") }
        var all = Data()
        for name in names {
            let loot = folder.appendingPathComponent("\(data.lastPathComponent)-\(name)")
            try FileManager.default.copyItem(at: data.appendingPathComponent(name), to: loot)
            all += try Data(contentsOf: loot)
        }
        return all
    }
}

extension Data {
    fileprivate func holds(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
