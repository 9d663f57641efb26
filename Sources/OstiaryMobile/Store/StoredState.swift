import Foundation
import OstiaryProtocol

/// The document about everything that outlives the process. Nothing in it opens anything without the key store.
struct StoredState: Codable, Sendable, Equatable {
    /// A document of a higher version is left alone.
    static let newestVersion = 1

    var version = Self.newestVersion
    var servers: [StoredServer] = []
    var instances: [StoredInstance] = []
    var accounts: [StoredAccount] = []
    var claims: [StoredClaim] = []
    var sessions: [StoredSession] = []
    var outbox: [StoredDeletion] = []
    /// Names of keys and secrets that are to be destroyed.
    var discarded: [String] = []

    /// The document in `bytes`, an empty one for nil.
    init(decoding bytes: [UInt8]?) throws(OstiaryError) {
        guard let bytes else {
            self.init()
            return
        }
        guard let state = try? JSONDecoder().decode(StoredState.self, from: Data(bytes)), state.version <= Self.newestVersion
        else { throw .storeUnreadable }
        self = state
    }

    init() {}

    /// The same document always has the same bytes.
    func encoded() throws(OstiaryError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let bytes = try? encoder.encode(self) else { throw .storeUnreadable }
        return Array(bytes)
    }
}

/// A server that this device has an account at, or owes a message.
struct StoredServer: Codable, Sendable, Equatable {
    let rootHash: StoredBytes
    var url: String
    var name: String
    /// The bundle that was believed last.
    var bundle: StoredBytes
    /// The newest sequence that counts as seen (protocol §3).
    var sequence: UInt64
}

/// `sfId` and what belongs to it: one PIN for all accounts at one virtual server (protocol §1).
struct StoredInstance: Codable, Sendable, Equatable {
    let id: InstanceID
    let rootHash: StoredBytes
    /// The second-factor server that the PIN was set at.
    let secondFactorRootHash: StoredBytes
    /// Where the key store has `dsec`.
    let deviceSecretName: String
    var epoch: UInt32
    /// The PIN box, with the evaluation key that it pins.
    var box: StoredBytes
    var tries: StoredTries
    var change: StoredPINChange?
    var biometrics: StoredBiometrics?
    var biometricClaim: StoredBiometricClaim?
    var pinUse: StoredPINUse?
    var pinPolicy: StoredPINPolicy?
}

struct StoredAccount: Codable, Sendable, Equatable {
    let id: AccountID
    let rootHash: StoredBytes
    /// Nil for a headless account, which has no second factor.
    var instance: InstanceID?
    /// Where the key store has the device key.
    let keyName: String
    var username: String
    var displayName: String
    var state: Account.State
    /// What the confirmation code is made from.
    let enrolHash: StoredBytes
    var otpReference: UInt32?
    /// Where the key store has `otpKey`.
    var otpSecretName: String?
    /// Characters that the one-time codes of its server have behind the reference; nil where it takes none, or never said so.
    var offlineCodes: Int?
    /// Notices that the app was told of, and whose server was not heard to know that; nil for none.
    var shownNotices: [NoticeID]?
    /// Where the key store has the key that AppLogins name for tokens; nil until one did.
    var tokenKeyName: String?
    /// A second factor on its way to a headless account; nil for none.
    var upgrade: StoredUpgrade?
    let createdAt: UInt64
}

/// A second factor that was set for a headless account, as long as it is not known here whether it counts. The account is what it was until then.
struct StoredUpgrade: Codable, Sendable, Equatable {
    /// The one with the PIN; already among the instances.
    let instance: InstanceID
    /// What its confirmation code is made from.
    let enrolHash: StoredBytes
    let startedAt: UInt64
}

/// A device key that was shown to the server for an enrolment: scanned again, the same link goes on with the same key.
struct StoredClaim: Codable, Sendable, Equatable {
    let enrolment: EnrolmentID
    let rootHash: StoredBytes
    /// Nil where it is the key of an account that is there.
    let keyName: String?
    /// Where the key store will have `dsec`, if this enrolment makes an instance.
    let secretName: String
    let madeAt: UInt64
}

/// A login that goes on while its app is not running, whose server has still to hear that it ended, or of which it is not known whether it counts.
struct StoredSession: Codable, Sendable, Equatable {
    let id: UUID
    let session: SessionID
    let account: AccountID
    let rootHash: StoredBytes
    /// Zero while the server has not said it.
    var pingTime: UInt32
    let serviceName: String
    /// True while its browser had not come back; documents of before that was possible do not say.
    var isReturning: Bool?
    /// True for an AppLogin, which only a phone that remembers all sessions keeps.
    var isAppLogin: Bool?
    /// True once it was ended here: its server has not answered the Stop yet.
    var isEnding: Bool?
    /// When the yes was sent, in Unix seconds by the server's clock, while its answer was not heard; nil once it was.
    var unansweredSince: UInt64?
}

/// A signed Delete that the server has not acknowledged.
struct StoredDeletion: Codable, Sendable, Equatable {
    let account: AccountID
    let rootHash: StoredBytes
    let message: StoredBytes
}

/// Bytes that are base64url in the document.
struct StoredBytes: Codable, Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64URL.decode(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no base64url")
        }
        self.bytes = bytes
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64URL.encode(bytes))
    }
}

extension Identifier: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let identifier = Identifier(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no identifier")
        }
        self = identifier
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Account.State: Codable {}
