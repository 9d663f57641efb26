import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OstiaryMobile
import OstiaryProtocol

// PhonePage: `ostiary phone --ui`, the screens of the SDK as a page on loopback (docs/phone.md).
//
// A PagePhone is one phone: what its SDK tells becomes a PhoneScreen, what the person does on the page becomes a call of the SDK, and PINPad keeps
// the digits meanwhile. PhonePage puts some of them behind one listener; LocalPageGuard decides who may speak to it, PageProof shows the page who
// answers, and PageSeal opens what it sends; PhonePageRoutes are the calls, and Assets/ the page that makes them, which asks again and again for what
// has changed (PhoneChanges). PhoneCommand starts it; the demonstration starts one of its own.
// Nothing here knows AP1: everything goes through the SDK's public calls.
// Start reading at PagePhone.swift, then PhoneScreen.swift and PhonePageRoutes.swift.

/// One HTTP server on 127.0.0.1 with a page for some phones.
///
///     let homes = [(name: "alice", path: folder.path)]
///     try await PhonePage.serve(homes, framedBy: [origin], source: website) { page in print(page.address) }
struct PhonePage: Sendable {
    /// Carries the secret of the page's address.
    static let secretHeader = HTTPField.Name("X-Phone-Page")!

    /// Everybody who speaks to the page is on this machine and says at once what they want: a connection that is silent, before its first request or
    /// after an answer, or begins a request and stops, ends in five seconds, and at once when there are as many as there may be. A browser opens 256
    /// connections at most, so that a website has none wait by what it opens.
    static var limits: ServiceLimits {
        ServiceLimits(
            body: LinkInput.largestFile + PageSealKey.overhead, idle: .seconds(5), arrival: .seconds(5),
            connections: ConnectionLimits(total: 400, givesWay: true))
    }

    private let phones: [PagePhone]
    private let changes: PhoneChanges
    private let origin: String
    private let secret: String
    /// By it the page knows this process, and seals what it sends.
    private let key: String
    /// To be opened by a `ServerRunner`.
    let listener: Listener

    /// - Parameters:
    ///   - phones: each with a home of its own, in the order of the page, all of them with the same `changes`.
    ///   - port: of 127.0.0.1; not 0, because the page knows its own address.
    ///   - framedBy: origins that may show the page in a frame; none by default.
    ///   - drain: of the runner of the listener.
    init(phones: [PagePhone], changes: PhoneChanges, port: Int, framedBy: [PublicURL] = [], drain: DrainSignal) {
        self.phones = phones
        self.changes = changes
        (secret, key) = (Self.draw(), Self.draw())
        let authority = LocalPageGuard<ServiceRequestContext>.authority(port: port)
        origin = "http://\(authority)"
        let limits = Self.limits
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: PhonePagePolicy(framedBy: framedBy))
        router.add(middleware: PageProof(key: SecretText(key)))
        router.addServiceMiddleware(limits: limits)
        router.add(
            middleware: LocalPageGuard(
                authority: authority, header: Self.secretHeader, secret: SecretText(secret), open: Set(PhonePageAsset.all.map(\.path)),
                refuse: { throw ErrorResponse($0) }))
        router.add(middleware: PageSeal(secret: key))
        PhonePageRoutes(phones: phones, changes: changes, drain: drain).add(to: router)
        listener = Listener("phone page", at: ListenAddress(host: "127.0.0.1", port: port), router: router, limits: limits, computes: true)
    }

    /// Where a browser finds the page. The secrets are in the fragment, which no browser sends: whoever has this address has the phones.
    var address: String { "\(origin)/#\(secret).\(key)" }

    /// The same for one phone, of which the page then shows no other.
    /// - Parameter phone: its place among the phones, from 0.
    func address(of phone: Int) -> String { "\(address).\(phone)" }

    private static func draw() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// Lets the phones hear what their SDK tells, and go on with what was going on.
    func begin() async {
        for phone in phones { await phone.begin() }
    }
}

extension PhonePage {
    /// Serves a page for the phones of these homes until the task is cancelled, and calls `onRunning` once when it can be opened.
    /// - Parameters:
    ///   - homes: each with the name that the person reads.
    ///   - port: of 127.0.0.1; any free one by default.
    ///   - framedBy: origins that may show the page in a frame.
    ///   - source: where the phones can look for a code without a camera.
    ///   - stopsOnSignals: whether SIGTERM and SIGINT end it as well, in order, and the end of its terminal.
    /// - Throws: `OstiaryError` when a home cannot be used, `ServerStartError`, ``NoFreePort``.
    static func serve(
        _ homes: [(name: String, path: String)], port: Int = 0, framedBy: [PublicURL] = [], source: ScanSource? = nil, stopsOnSignals: Bool = false,
        onRunning: @Sendable @escaping (PhonePage) async -> Void
    ) async throws {
        // Held until the page has ended.
        let reserved = port == 0 ? try ReservedPort() : nil
        let (changes, drain) = (PhoneChanges(), DrainSignal())
        let phones = try homes.map { try PagePhone.open(home: $0.path, name: $0.name, source: source, changes: changes) }
        let page = PhonePage(phones: phones, changes: changes, port: reserved?.number ?? port, framedBy: framedBy, drain: drain)
        await page.begin()
        let runner = ServerRunner(logger: Logger.service("ostiary.phone", level: .critical), drain: drain)
        try await runner.run([page.listener], stopsOnSignals: stopsOnSignals, endsWithTerminal: true) { _ in await onRunning(page) }
        withExtendedLifetime(reserved) {}
    }
}
