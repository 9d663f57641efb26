import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting

@testable import AuthServer

/// A change of rows that a view is made of, by the statements of the store and by others.
enum ViewChange: Sendable {
    case logIn(nonce: Int, session: UInt8, account: UInt8, until: Instant)
    case stop(session: UInt8, at: Instant)
    case ping(session: UInt8, at: Instant)
    case rename(account: UInt8, String)
    case block(account: UInt8, at: Instant)
    case delete(account: UInt8)
    case add(account: UInt8)
    case lead(nonce: Int, session: UInt8)
    case remove(nonce: Int)
    case pingAll, removeSessions, removeNonces

    static let nonces = 4

    static func hash(of nonce: Int) -> [UInt8] { Sample.bytes(UInt8(nonce) + 0x50) }

    static func random(at now: Instant, using random: inout SplitMix) -> ViewChange {
        let (nonce, session) = (Int.random(in: 0..<nonces, using: &random), UInt8.random(in: 1...6, using: &random))
        let account = UInt8.random(in: 1...3, using: &random)
        switch Int.random(in: 0..<25, using: &random) {
        case 0..<8: return .logIn(nonce: nonce, session: session, account: account, until: now + UInt64.random(in: 5...60, using: &random))
        case 8, 9: return .stop(session: session, at: now)
        case 10, 11: return .ping(session: session, at: now + UInt64.random(in: 1...50, using: &random))
        case 12, 13: return .rename(account: account, "user \(Int.random(in: 0..<1000, using: &random))")
        case 14: return .delete(account: account)
        case 15..<19: return .add(account: account)
        case 19, 20: return .lead(nonce: nonce, session: session)
        case 21: return .remove(nonce: nonce)
        case 22: return .pingAll
        case 23: return .block(account: account, at: now)
        default: return random.chance(2) ? .removeSessions : .removeNonces
        }
    }

    func make(in rows: SQLRows) throws {
        let connection = rows.connection
        switch self {
        case .logIn(let nonce, let session, let account, let until):
            try rows.save(Self.session(session, nonce, Self.login(account, until)))
            try rows.save(Self.pointer(nonce, session))
        case .stop(let session, let now):
            guard var session = try rows.session(Sample.sessionID(session)), let login = session.login else { return }
            session.state = .stopped(login, .server, at: now)
            try rows.save(session)
        case .ping(let session, let moment):
            guard var session = try rows.session(Sample.sessionID(session)), var login = session.login else { return }
            login.lastPing = moment
            session.state = .loggedIn(login)
            try rows.save(session)
        case .rename(let account, let user):
            try connection.execute("UPDATE account SET user_id = $1 WHERE id = $2", [.text(user), SQLValue(Sample.accountID(account))])
        case .block(let account, let now):
            try connection.execute("UPDATE account SET blocked = 1 WHERE id = $1", [SQLValue(Sample.accountID(account))])
            for var session in try rows.unfinishedSessions(of: Sample.accountID(account)) {
                guard let login = session.login else { continue }
                session.state = .stopped(login, .account, at: now)
                try rows.save(session)
            }
        case .delete(let account): try connection.execute("DELETE FROM account WHERE id = $1", [SQLValue(Sample.accountID(account))])
        case .add(let account): try rows.save(Sample.account(account))
        case .lead(let nonce, let session): try rows.save(Self.pointer(nonce, session))
        case .remove(let nonce): try rows.removePointer(nonceHash: Self.hash(of: nonce), of: Sample.server)
        case .pingAll: try connection.execute("UPDATE session SET last_ping = last_ping + 1 WHERE last_ping IS NOT NULL")
        case .removeSessions: try connection.execute("DELETE FROM session")
        case .removeNonces: try connection.execute("DELETE FROM nonce")
        }
    }

    private static func login(_ account: UInt8, _ until: Instant) -> Login {
        Login(
            account: Sample.accountID(account), binding: .qrDynamic, at: Sample.now, methods: .pin, verifiedAt: Sample.now, decision: Sample.bytes(7),
            deadline: until, lastPing: Sample.now, lastStamp: Sample.now)
    }

    static func session(_ session: UInt8, _ nonce: Int, _ login: Login) -> Session {
        Session(
            id: Sample.sessionID(session), server: Sample.server, nonceHash: hash(of: nonce), stream: nil, purpose: .login, startedAt: Sample.now,
            state: .loggedIn(login))
    }

    private static func pointer(_ nonce: Int, _ session: UInt8) -> NoncePointer {
        NoncePointer(server: Sample.server, hash: hash(of: nonce), kind: .chosen, session: Sample.sessionID(session), run: 0)
    }
}

/// What matters of an answer, as the rows have it: this is the test's own rule and not the domain's.
struct TrueStatus: Equatable {
    let user: String?
    let isLoggedIn: Bool
    let lastPing: Instant?

    static let nobody = TrueStatus(user: nil, isLoggedIn: false, lastPing: nil)

    init(user: String?, isLoggedIn: Bool, lastPing: Instant?) {
        self.user = user
        self.isLoggedIn = isLoggedIn
        self.lastPing = lastPing
    }

    init(of view: SessionView?, at now: Instant) {
        guard let view, case .loggedIn(let login) = view.session.state, now <= login.deadline, let account = view.account else {
            self = .nobody
            return
        }
        self.init(user: account.userID, isLoggedIn: true, lastPing: login.lastPing)
    }
}

/// A store that knows one view and nothing else.
struct OneView: AuthenticationStore {
    let view: SeenView?

    private struct Nothing: Error {}

    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value { throw Nothing() }

    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value { throw Nothing() }

    func viewAtOnce(nonceHash: [UInt8], of server: ServerID) -> SeenView? { view }

    /// What the domain says of the view, as text.
    func text(at now: Instant, write: (LoginStatus) -> [UInt8]) -> [UInt8]? {
        struct NoKeys: ServerKeyring {
            func keys(of server: ServerID) async throws -> ServerKeys { throw Nothing() }
        }
        return SessionQueries(store: self, keyring: NoKeys(), events: SessionEventHub())
            .textAtOnce(of: SessionNonce(hash: []), at: Sample.server, now: now, write: write)
    }

    /// What the domain says of the view.
    func told(at now: Instant) -> TrueStatus {
        let text = text(at: now) { status in
            status.loggedIn ? Array("\(status.lastPing?.seconds ?? 0) \(status.userID ?? "")".utf8) : []
        }
        let words = String(decoding: text ?? [], as: UTF8.self).split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let ping = UInt64(words[0]) else { return .nobody }
        return TrueStatus(user: words[1].isEmpty ? nil : String(words[1]), isLoggedIn: true, lastPing: ping == 0 ? nil : Instant(ping))
    }
}

extension SplitMix {
    /// True once in so many times.
    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
}
