import Foundation
import OstiaryMobile
import OstiaryProtocol

/// A person with a phone: the SDK with a home of its own, answering every question at once.
struct Person: Sendable {
    static let digits: [UInt8] = [2, 7, 1, 8, 4, 6]

    let name: String
    let phone: Ostiary
    let servers: Servers
    let home: String
    let transport = CountingTransport()

    /// - Parameter stretchesAhead: whether it stretches its PIN only once (``OstiaryMobile/Ports/stretchAhead()``).
    init(name: String, servers: Servers, stretchesAhead: Bool = false) throws {
        self.name = name
        home = servers.folder.appendingPathComponent("phone-\(name)").path
        var ports = try Ports.files(in: home, transport: transport)
        if stretchesAhead { ports.stretchAhead() }
        phone = Ostiary(configuration: Self.configuration(name), ports: ports)
        self.servers = servers
    }

    static func configuration(_ name: String) -> Ostiary.Configuration {
        var configuration = Ostiary.Configuration()
        configuration.appInfo = "Bench"
        configuration.deviceName = name
        configuration.hidesVisualHash = true
        return configuration
    }

    static func nonce() -> String { Base64URL.encode(SystemRandomSource().bytes(24)) }

    /// Enrols by the code that REST hands out, and types the confirmation code where a browser would: a user for each phone, since what others of the
    /// same user have is read with it.
    func enrol() async throws {
        let nonce = Self.nonce()
        let code = try await servers.call("GET", "/servers/\(servers.serverID)/sessions/qr/enrol?name=Ada&userid=\(name)", nonce: nonce)
        // Subscribed before the start, so that nothing is missed.
        let events = phone.events
        phone.start(with: code)
        try await answer(events) { code in
            try await servers.call("POST", "/servers/\(servers.serverID)/sessions/enrol/confirm", nonce: nonce, body: #"{"code":"\#(code)"}"#)
        }
    }

    /// Logs in by a login code and returns the nonce that the backend goes on asking with.
    func logIn() async throws -> String {
        let nonce = Self.nonce()
        try await logIn(with: try await loginCode(nonce))
        return nonce
    }

    /// Logs in by what a code says.
    func logIn(with code: [UInt8]) async throws {
        let events = phone.events
        phone.start(with: code)
        try await answer(events) { _ in }
    }

    func loginCode(_ nonce: String) async throws -> [UInt8] {
        try await servers.call("GET", "/servers/\(servers.serverID)/sessions/qr/login", nonce: nonce)
    }

    func logIn(times count: Int) async throws {
        for _ in 0..<count { _ = try await logIn() }
    }

    /// Logs in to the app itself, and out.
    func logInToApp() async throws {
        _ = try await enterApp()
        await leaveApp()
    }

    /// Logs in to the app itself.
    func enterApp() async throws -> Session {
        let events = phone.events
        phone.startAppLogin()
        return try await answer(events) { _ in }
    }

    func leaveApp() async {
        let ends = phone.events
        phone.stopAppLogin()
        for await event in ends {
            if case .sessionStop = event { return }
        }
    }

    /// The token of the service behind the server.
    func token(for session: Session) async throws {
        let events = phone.events
        phone.getToken(for: session)
        for await event in events {
            switch event {
            case .token: return
            case .error(let error, _): throw error
            default: break
            }
        }
    }

    /// What the phone shows of a login that it scans without a network.
    func offlineCode(for code: [UInt8]) async throws -> String {
        transport.isCut = true
        defer { transport.isCut = false }
        let events = phone.events
        phone.start(with: code)
        var text: String?
        for await event in events {
            switch event {
            case .otpAvailable(let session, let accounts):
                guard let account = accounts.first else { throw BenchError("no account has a code") }
                text = try phone.oneTimeCode(for: session, and: account).text
            case .sessionStop: if let text { return text }
            default: break
            }
        }
        throw BenchError("the phone showed no code")
    }

    @discardableResult
    private func answer(_ events: some AsyncSequence<OstiaryEvent, Never>, _ confirm: (String) async throws -> Void) async throws -> Session {
        for await event in events {
            switch event {
            case .confirmEnrol(let session, _, _): phone.setAccount(nil, for: session)
            case .confirmLogin(let session, let accounts): phone.setAccount(accounts.first, for: session)
            case .enrolConfirmation(_, let code): try await confirm(code)
            case .secondFactorStarted: phone.sfInput(Self.pin())
            case .sessionLogin(let session): return session
            case .error(let error, _): throw error
            default: break
            }
        }
        throw BenchError("the phone said no more")
    }

    static func pin() -> PIN {
        let pin = PIN()
        for digit in digits { pin.append(digit: digit) }
        return pin
    }
}
