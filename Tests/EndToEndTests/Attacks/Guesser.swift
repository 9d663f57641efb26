import Crypto
import OstiaryProtocol

/// What a thief has of one enrolment: any of the three stores, with the keys that wrap them.
struct Loot: Sendable {
    /// The phone: `dsec`, the box, and whose box it is.
    struct Phone: Sendable {
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
    var properSubsets: [(name: String, loot: Loot)] {
        (0..<7).map { bits in
            let names = ["phone", "authentication server", "second-factor server"].enumerated().filter { bits & 1 << $0.offset != 0 }
            let part = Loot(
                phone: bits & 1 == 0 ? nil : phone, serverShare: bits & 2 == 0 ? nil : serverShare,
                evaluationKey: bits & 4 == 0 ? nil : evaluationKey)
            return (names.map(\.element).joined(separator: " and "), part)
        }
    }
}

/// Tries candidate PINs off line, with full knowledge of the code. What it does not have it makes up: there is nothing better to do.
struct Guesser: Sendable {
    private let phone: Loot.Phone
    /// The candidates under Argon2id, which is what costs the thief time; done once for each phone.
    private let candidates: [(pin: String, stretched: StretchedPIN)]

    init(_ phone: Loot.Phone, candidates: [String]) async throws {
        self.phone = phone
        self.candidates = try await withThrowingTaskGroup { group in
            for (place, pin) in candidates.enumerated() {
                group.addTask { (place, pin, try Self.stretch(pin, on: phone)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
        }
    }

    /// A thief without the phone: one of the right shape, with a secret and a box of other people.
    static func withoutPhone(_ scope: BoxScope, candidates: [String]) async throws -> Guesser {
        let random = SystemRandomSource()
        let secret = SecretBytes(random.bytes(32))
        let stretched = try StretchedPIN(
            pin: try LockedBytes(copying: Array("000000000000".utf8)), deviceSecret: secret, scope: scope, parameters: .standard)
        let key = try OPRFKey.generate()
        let box = try BoxKey(stretched, serverShare: SecretBytes(random.bytes(32)), evaluation: try Self.evaluate(stretched, key))
            .seal(SecretBytes(random.bytes(32)), pinnedKey: key.publicKey)
        return try await Guesser(Loot.Phone(deviceSecret: secret, box: box, scope: scope), candidates: candidates)
    }

    /// The candidates for which the box opens.
    func thatOpen(with loot: Loot) throws -> [String] {
        let serverShare = loot.serverShare ?? SecretBytes(SystemRandomSource().bytes(32))
        let key = try loot.evaluationKey ?? OPRFKey.generate()
        return try candidates.filter { candidate in
            do throws(BoxError) {
                let y = try? Self.evaluate(candidate.stretched, key)
                guard let y else { throw .badLength }
                _ = try BoxKey(candidate.stretched, serverShare: serverShare, evaluation: y).open(phone.box)
                return true
            } catch {
                guard error == .wrongPIN else { throw error }
                return false
            }
        }.map(\.pin)
    }

    private static func stretch(_ pin: String, on phone: Loot.Phone) throws -> StretchedPIN {
        try StretchedPIN(
            pin: try LockedBytes(copying: Array(pin.utf8)), deviceSecret: phone.deviceSecret, scope: phone.scope, parameters: phone.box.parameters)
    }

    private static func evaluate(_ pin: StretchedPIN, _ key: OPRFKey) throws -> SecretBytes {
        let blinding = try PINBlinding(pin)
        let evaluation = try key.evaluate(blinding.blindedElement, attempt: AttemptID(using: SystemRandomSource()))
        return try blinding.finish(evaluation: evaluation, pinnedKey: key.publicKey)
    }
}
