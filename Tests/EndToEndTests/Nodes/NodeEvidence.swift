import Database
import Foundation
import OstiaryProtocol
import OstiaryTesting

@testable import OstiaryPhone

/// What stands behind the logins of a run: for each session that ever was logged in the decision of which its row has the hash, signed by the device of the
/// account that it names, and for the PIN in it a receipt that the second-factor server signed. Whoever has the servers' keys can open what the phones
/// sent; a row alone does not say what was decided.
struct NodeEvidence: Sendable {
    /// For so long the second-factor server keeps its receipts in any case.
    private static let receiptLife: Duration = .seconds(300)

    private(set) var problems: [String] = []
    /// Sessions whose evidence was looked at: decisions, and receipts of them.
    private(set) var decisions = 0
    private(set) var receipts = 0
    /// Decisions that were sent more than once, as nobody heard of the first.
    let repeats: Int

    private let sent: [[UInt8]: Decided]
    private let proofs: [[UInt8]: [UInt8]]
    private let secondFactor: OperatorKeys
    /// Hashes of the nonces of browsers that enrolments log in.
    private let enrolments: Set<[UInt8]>

    private struct Decided: Sendable {
        let message: Encoded<L5>
        let moment: ContinuousClock.Instant
        var copies = 1
    }

    private struct LoggedIn: Sendable {
        let id: [UInt8]
        let nonceHash: [UInt8]?
        let account: [UInt8]?
        let deviceKey: [UInt8]?
        let decision: [UInt8]
        let isTyped: Bool
    }

    /// - Parameters:
    ///   - messages: what the phones sent.
    ///   - nonces: of the browsers for which somebody drew an enrolment code.
    ///   - areKeysErased: whether some of that can be opened by nobody any more.
    init(of fixture: NodesFixture, _ messages: [LossyTransport.Sent], enrolments nonces: Set<String>, areKeysErased: Bool) async throws {
        enrolments = Set(nonces.map { Transcript.nonce($0) })
        let key = try KeyEncryptionKey.load(from: fixture.layout.authenticationData.appendingPathComponent("nodes.kek").path)
        let database = try await fixture.cluster.open(fixture.database)
        let opener = try await RequestOpener(database, key: key)
        var sent: [[UInt8]: Decided] = [:]
        for message in messages {
            guard let opened = await opener.open(message.bytes), let decision = try? Encoded<L5>(decoding: opened) else { continue }
            sent[SHA(decision.unsignedBytes), default: Decided(message: decision, moment: message.moment, copies: 0)].copies += 1
        }
        self.sent = sent
        repeats = sent.values.count { $0.copies > 1 }
        let counters = try await fixture.openCounters()
        (proofs, secondFactor) = (try await Self.receipts(in: counters), try await Self.keys(in: counters))
        try await counters.close()
        let sessions = try await Self.sessions(in: database)
        await opener.close()
        for session in sessions { look(at: session, areKeysErased) }
    }

    private mutating func look(at session: LoggedIn, _ areKeysErased: Bool) {
        let name = Base64URL.encode(session.id)
        guard let account = session.account else { return problems.append("\(name): of nobody") }
        // What an activation logs in has the phone's answer to the enrolment behind it, and the account may have been given up by its phone since then.
        // Nobody else is logged in without a decision.
        guard !session.decision.isEmpty else {
            if !enrolments.contains(session.nonceHash ?? []) { problems.append("\(name): no decision, and no enrolment") }
            return
        }
        guard let key = session.deviceKey else { return problems.append("\(name): of nobody") }
        // A typed code has the device's key behind it.
        guard !session.isTyped else { return }
        guard let decided = sent[session.decision] else {
            if !areKeysErased { problems.append("\(name): nobody decided so") }
            return
        }
        decisions += 1
        let decision = decided.message.value
        guard (try? decided.message.verify(by: DevicePublicKey(key))) != nil else { return problems.append("\(name): not by its device") }
        guard decision.sessionID.bytes == session.id, decision.accountID.bytes == account, decision.decision == .accept else {
            return problems.append("\(name): about something else")
        }
        guard decision.method.contains(.pin) else { return }
        guard let bytes = proofs[decision.attemptID.bytes] else {
            if ContinuousClock.now - decided.moment < Self.receiptLife { problems.append("\(name): no receipt") }
            return
        }
        receipts += 1
        guard let receipt = try? Encoded<Receipt>(decoding: bytes),
            (try? receipt.verify(with: secondFactor, at: receipt.value.issuedAt)) != nil
        else { return problems.append("\(name): the receipt is not signed") }
        let signatures = (decision.secondFactorSignature ?? []) + (decision.biometricSignature ?? [])
        guard receipt.value.attemptID == decision.attemptID, receipt.value.sessionHash == decision.sessionHash, receipt.value.context == .verify,
            receipt.value.signaturesHash == SHA(signatures)
        else { return problems.append("\(name): the receipt is of something else") }
    }

    private static func sessions(in database: any Database) async throws -> [LoggedIn] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT session.id, session.nonce_hash, session.account, account.device_key, session.decision, session.offline
                FROM session LEFT JOIN account ON account.id = session.account WHERE session.logged_in_at IS NOT NULL
                """
            ).map { row in
                LoggedIn(
                    id: try row.blob("id"), nonceHash: try row.optionalBlob("nonce_hash"), account: try row.optionalBlob("account"),
                    deviceKey: try row.optionalBlob("device_key"), decision: try row.optionalBlob("decision") ?? [],
                    isTyped: try row.int("offline") != 0)
            }
        }
    }

    private static func receipts(in database: any Database) async throws -> [[UInt8]: [UInt8]] {
        let rows = try await database.read { connection in
            try connection.query("SELECT id, receipt FROM attempt WHERE receipt IS NOT NULL").map { (try $0.blob("id"), try $0.blob("receipt")) }
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// All that this server ever had, by its own root.
    private static func keys(in database: any Database) async throws -> OperatorKeys {
        let (root, certificates) = try await database.read { connection in
            (
                try connection.query("SELECT root FROM own_root").map { try Root(decoding: try $0.blob("root")) },
                try connection.query("SELECT certificate FROM own_operator_key").map {
                    try OperatorCertificate(decoding: try $0.blob("certificate"))
                }
            )
        }
        guard let root = root.first else { throw BadSignature() }
        return try OperatorKeys.verify(ServerChain(root: root, certificates: certificates), rootHash: root.hash)
    }
}
