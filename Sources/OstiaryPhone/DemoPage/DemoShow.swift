import AsyncHTTPClient
import Foundation
import HTTPService
import Logging
import OstiaryProtocol

/// Everything that `ostiary demo` runs for its page: relays before both servers, the servers, the website, the phone and the page itself.
struct DemoShow: Sendable {
    let layout: DemoLayout
    let phone: any DemoPhone
    private let logger = Logger.service("ostiary.demo", level: .critical)

    init(_ layout: DemoLayout, phone: any DemoPhone) {
        self.layout = layout
        self.phone = phone
    }

    /// What runs while the show goes on.
    struct Stage: Sendable {
        let servers: DemoServers
        let backend: DemoBackend
        let desk: ThiefDesk
        let witness: Witness
        let progress: TourProgress
        /// Of the page, with its secret in the fragment.
        let address: String
    }

    /// Starts all, runs `body`, and ends all.
    func run(_ body: @Sendable @escaping (Stage) async throws -> Void) async throws {
        guard let origin = try layout.pageURL.map({ try PublicURL(parsing: $0) }) else { throw NoFreePort() }
        let launches = try await DemoServers.launches(of: layout) { try await ChildProcess.run($0) }
        let opener = try await RequestOpener(dataFolder: DataFolder(layout.authenticationData.path))
        let client = Relay.makeClient()
        let (witness, shown) = (Witness(), ShownCode())
        do {
            try await during(relays(witness, shown, opener, client, origin)) {
                let servers = try await DemoServers.start(launches, of: layout)
                do { try await show(servers, witness, shown, origin, body) } catch {
                    await servers.stop()
                    throw error
                }
                await servers.stop()
            }
        } catch {
            await close(client, opener)
            throw error
        }
        await close(client, opener)
    }

    private func close(_ client: HTTPClient, _ opener: RequestOpener) async {
        try? await client.shutdown()
        await opener.close()
    }

    private func relays(
        _ witness: Witness, _ shown: ShownCode, _ opener: RequestOpener, _ client: HTTPClient, _ origin: PublicURL
    ) -> [Listener] {
        let phones = Relay(
            to: layout.publicListenPort, client: client, tap: PhoneTap(witness: witness, open: opener.open, shown: shown),
            framedBy: origin.description)
        let servers = Relay(to: layout.secondFactorListenPort, client: client, tap: SecondFactorTap(witness: witness))
        return [
            Listener("public", at: Self.loopback(layout.publicPort), router: phones.router, computes: true),
            Listener("second-factor", at: Self.loopback(layout.secondFactorPort), router: servers.router, computes: true),
        ]
    }

    private func show(
        _ servers: DemoServers, _ witness: Witness, _ shown: ShownCode, _ origin: PublicURL, _ body: @Sendable @escaping (Stage) async throws -> Void
    ) async throws {
        let backend = try await DemoBackend(layout)
        let (progress, phoneURL, drain) = (TourProgress(), PhoneAddress(), DrainSignal())
        let secret = Base64URL.encode(SystemRandomSource().bytes(16))
        let desk = ThiefDesk(witness) { [layout] move in
            let name = "\(move.rawValue)-\(ManagementClient.newNonce().prefix(6))"
            return try ThiefScene(servers, backend, witness, folder: layout.thievesFolder.appendingPathComponent(name, isDirectory: true))
        }
        let pages = ProtocolPages(docs: ProtocolPages.docs())
        let site = DemoSite(
            backend: backend, origin: layout.siteURL, authenticationOrigin: layout.publicURL, framedBy: origin,
            happened: { progress.note([TourStep.done(by: $0)]) })
        let page = DemoPage(
            origin: origin, secret: SecretText(secret), siteURL: layout.siteURL, authenticationURL: layout.publicURL,
            phoneCommands: DemoOverview(layout: layout, pageAddress: nil, keepsData: false).commands, pages: pages,
            feed: PageFeed(witness: witness, progress: progress, pages: pages), desk: desk, drain: drain, phoneURL: phoneURL)
        let stage = Stage(
            servers: servers, backend: backend, desk: desk, witness: witness, progress: progress, address: "\(origin)/#\(secret)")
        let listeners = [
            Listener("site", at: Self.loopback(layout.sitePort), router: site.router, computes: true),
            Listener("page", at: Self.loopback(origin.port ?? 0), router: page.router, computes: true),
        ]
        try await during(listeners, drain) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await message in witness.messages { progress.note(TourStep.done(by: message)) } }
                group.addTask { try await ShownFile(layout.shownCode).follow(shown) }
                group.addTask {
                    let place = DemoPhonePlace(home: layout.phoneHome, framedBy: origin) { shown.symbol() }
                    try await phone.run(in: place) { phoneURL.open(at: $0) }
                }
                group.addTask {
                    while phone.hasPage, phoneURL.value == nil { try await Task.sleep(for: .milliseconds(20)) }
                    try await body(stage)
                    throw ShowOver()
                }
                defer { group.cancelAll() }
                do { try await group.waitForAll() } catch is ShowOver {}
            }
        }
    }

    /// `body` is done: everything beside it ends.
    private struct ShowOver: Error {}

    private static func loopback(_ port: Int) -> ListenAddress { ListenAddress(host: "127.0.0.1", port: port) }

    /// Runs listeners for as long as `body` runs.
    private func during(
        _ listeners: [Listener], _ drain: DrainSignal = DrainSignal(), _ body: @Sendable @escaping () async throws -> Void
    ) async throws {
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let runner = ServerRunner(logger: logger, drain: drain, drainTime: .seconds(1))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                defer { open.finish() }
                try await runner.run(listeners, stopsOnSignals: false) { _ in open.yield() }
                return false
            }
            group.addTask {
                // Where a listener does not open, its error is the other task's.
                guard await opened.first(where: { _ in true }) != nil else { return false }
                try await body()
                return true
            }
            defer { group.cancelAll() }
            while let hasRun = try await group.next() {
                if hasRun { return }
            }
        }
    }
}
