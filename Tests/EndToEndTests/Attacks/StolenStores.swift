import Database
import Foundation
import HTTPService
import OstiaryProtocol
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// Reads the stores of a real enrolment from their files, as a thief of the machines would: of SQLite, with which they stand beside their keys.
struct StolenStores {
    let pair: ProcessesFixture
    let home: String

    func loot() async throws -> Loot {
        let phone = try self.phone()
        return Loot(
            phone: phone, serverShare: try await serverShare(of: phone.scope), evaluationKey: try await evaluationKey(of: phone.scope))
    }

    private func phone() throws -> Loot.Phone {
        let ports = try Ports.files(in: home)
        let state = try StoredState(decoding: try ports.accounts.read())
        let instance = try #require(state.instances.first)
        return Loot.Phone(
            deviceSecret: SecretBytes(try ports.keys.secret(named: instance.deviceSecretName)), box: try PINBox(decoding: instance.box.bytes),
            scope: BoxScope(instance: instance.id, epoch: instance.epoch))
    }

    private func serverShare(of scope: BoxScope) async throws -> SecretBytes {
        let wrapped = try await blob(
            "share", "SELECT share FROM instance_epoch WHERE instance = $1 AND number = $2", scope,
            in: pair.layout.authenticationData.appendingPathComponent("ostiary.sqlite"))
        let key = try KeyEncryptionKey.load(from: pair.layout.authenticationData.appendingPathComponent("ostiary.kek").path)
        return SecretBytes(try key.unwrap(wrapped, context: "as/instance/share/\(scope.instance.text)"))
    }

    private func evaluationKey(of scope: BoxScope) async throws -> OPRFKey {
        let wrapped = try await blob(
            "evaluation_key", "SELECT evaluation_key FROM instance WHERE id = $1 AND epoch = $2", scope,
            in: pair.layout.secondFactorData.appendingPathComponent("second-factor.sqlite"))
        let key = try KeyEncryptionKey.load(from: pair.layout.secondFactorData.appendingPathComponent("second-factor.kek").path)
        return try OPRFKey(SecretBytes(try key.unwrap(wrapped, context: "sfs/k/\(scope.instance.text)/\(scope.epoch)")))
    }

    private func blob(_ column: StaticString, _ query: String, _ scope: BoxScope, in file: URL) async throws -> [UInt8] {
        let database = try openDatabase(.sqlite(path: file.path), ownership: .shared)
        let found = try await database.read { connection in
            try connection.one(query, [.blob(scope.instance.bytes), SQLValue(Int(scope.epoch))])?.blob(column)
        }
        try await database.close()
        return try #require(found)
    }
}
