import Authentication
import OstiaryProtocol

/// Hand-made sessions at a given time, for rules that need no store.
enum SessionSample {
    static let start = DomainFixture.start
    static let alice = account(1)
    static let bob = account(2)

    static func account(_ number: UInt8) -> AccountID {
        guard let id = AccountID([UInt8](repeating: number, count: 16)) else { preconditionFailure("sixteen bytes are an id") }
        return id
    }

    static let page = SessionPage(cookieHash: SHA([5]), returnURL: "https://shop.example/welcome")

    static func session(_ state: SessionState = .open, preselected: AccountID? = nil, page: SessionPage? = nil) -> Session {
        guard let id = SessionID([UInt8](repeating: 9, count: 16)), let server = ServerID([UInt8](repeating: 8, count: 16))
        else { preconditionFailure("sixteen bytes are an id") }
        return Session(
            id: id, server: server, nonceHash: SHA([1]), stream: nil, purpose: .login, request: LoginRequest(account: preselected),
            startedAt: start, page: page, state: state)
    }

    static func claim(_ account: AccountID = alice) -> SessionState { .claimed(.init(account: account, binding: .qrStatic)) }

    static func login(_ account: AccountID = alice, at: Instant = start, lasting: UInt64 = 315, stamp: Instant? = nil) -> Login {
        Login(
            account: account, binding: .qrStatic, at: at, methods: .pin, verifiedAt: at, decision: SHA([2]), deadline: at + lasting, lastPing: at,
            lastStamp: stamp ?? at)
    }

    static func denial(_ account: AccountID = alice, notMe: Bool = false) -> SessionState.Denial {
        .init(account: account, notMe: notMe, decision: SHA([3]))
    }
}

extension Session {
    /// Why the session does not take an event; nil when it does.
    func refusal(of event: SessionEvent, at now: Instant) -> SessionRefusal? {
        do { _ = try after(event, at: now) } catch { return error }
        return nil
    }
}
