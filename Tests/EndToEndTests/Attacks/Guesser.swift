import Crypto
import Database
import Foundation
import HTTPService
import OstiaryProtocol

@testable import OstiaryMobile

/// What a thief has of one enrolment: any of the three stores, each read from the files of a real one, keys that wrap it included.
struct Loot {
    /// The phone: `dsec`, the box, and whose it is.
    struct Phone {
        let deviceSecret: SecretBytes
        let box: PINBox
        let scope: BoxScope
    }

    var phone: Phone?
    /// `srvShare`, from the authentication server.
    var serverShare: SecretBytes?
    /// `k`, from the second-factor server.
    var evaluationKey: OPRFKey?

    /// The seven proper subsets of the three stores.
    func properSubsets() -> [(name: String, loot: Loot)] {
        (0..<7).map { (bits: Int) in
            let names = ["phone", "authentication server", "second-factor server"].enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
            let part = Loot(
                phone: bits & 1 != 0 ? phone : nil, serverShare: bits & 2 != 0 ? serverShare : nil,
                evaluationKey: bits & 4 != 0 ? evaluationKey : nil)
            return (names.joined(separator: " + "), part)
        }
    }
}

/// Tries every candidate PIN off line, with full knowledge of the code. What it does not have it makes up: there is nothing better to do.
struct Guesser {
    private let phone: Loot.Phone
    private let serverShare: SecretBytes
    private let evaluationKey: OPRFKey

    init(_ loot: Loot, madeUpFor scope: BoxScope) throws {
        let random = SystemRandomSource()
        serverShare = loot.serverShare ?? SecretBytes(random.bytes(32))
        evaluationKey = try loot.evaluationKey ?? OPRFKey.generate()
        phone = try loot.phone ?? Self.inventedPhone(scope, random)
    }

    /// The candidates for which the box opens.
    func candidatesThatOpen(among candidates: [String]) throws -> [String] {
        try candidates.filter { candidate in
            let pin = try LockedBytes(copying: Array(candidate.utf8))
            let stretched = try StretchedPIN(
                pin: pin, deviceSecret: phone.deviceSecret, scope: phone.scope, parameters: phone.box.parameters)
            let blinding = try PINBlinding(stretched)
            let y = try blinding.finish(
                evaluation: try evaluationKey.evaluate(blinding.blindedElement), pinnedKey: evaluationKey.publicKey)
            do {
                _ = try BoxKey(stretched, serverShare: serverShare, evaluation: y).open(phone.box)
                return true
            } catch BoxError.wrongPIN {
                return false
            }
        }
    }

    /// A phone of the right shape with another secret, for the thief who has none.
    private static func inventedPhone(_ scope: BoxScope, _ random: any RandomSource) throws -> Loot.Phone {
        let secret = SecretBytes(random.bytes(32))
        let parameters = Argon2id.Parameters.standard
        let pin = try LockedBytes(copying: Array("000000000000".utf8))
        let stretched = try StretchedPIN(pin: pin, deviceSecret: secret, scope: scope, parameters: parameters)
        let key = try OPRFKey.generate()
        let blinding = try PINBlinding(stretched)
        let y = try blinding.finish(evaluation: try key.evaluate(blinding.blindedElement), pinnedKey: key.publicKey)
        let box = try BoxKey(stretched, serverShare: SecretBytes(random.bytes(32)), evaluation: y)
            .seal(SecretBytes(random.bytes(32)), pinnedKey: key.publicKey)
        return Loot.Phone(deviceSecret: secret, box: box, scope: scope)
    }
}
