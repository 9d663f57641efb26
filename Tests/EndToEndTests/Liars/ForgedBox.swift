import OstiaryProtocol
import Testing

@testable import OstiaryMobile

extension DeceivedFixture {
    /// What a thief of the phone who has the evaluation and the share as well would make of it: a box that a PIN of his own opens, and in it a key of
    /// his own. With the device key, which is the phone's, it signs a login.
    func forgeBox(openedBy pin: String) async throws {
        let loot = try await StolenStores(pair: pair, home: home).loot()
        let (stolen, share, key) = (try #require(loot.phone), try #require(loot.serverShare), try #require(loot.evaluationKey))
        let stretched = try StretchedPIN(
            pin: try LockedBytes(copying: Array(pin.utf8)), deviceSecret: stolen.deviceSecret, scope: stolen.scope, parameters: .standard)
        let blinding = try PINBlinding(stretched)
        let evaluation = try key.evaluate(blinding.blindedElement, attempt: AttemptID(using: SystemRandomSource()))
        let y = try blinding.finish(evaluation: evaluation, pinnedKey: key.publicKey)
        let box = try BoxKey(stretched, serverShare: share, evaluation: y).seal(SecretBytes(SystemRandomSource().bytes(32)), pinnedKey: key.publicKey)
        let accounts = try Ports.files(in: home).accounts
        try accounts.update { document in
            guard let document, var state = try? StoredState(decoding: document) else { return nil }
            state.setInstance(stolen.scope.instance) { $0.box = StoredBytes(box.encoded) }
            return try? state.encoded()
        }
    }
}
