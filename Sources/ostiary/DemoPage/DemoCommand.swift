import ArgumentParser
import Foundation
import HTTPService
import Logging

/// `ostiary demo`: everything there is, on this machine, for a first look.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Both servers, a website and a phone, on this machine.",
        discussion: "Ctrl-C ends it. Data lies in a temporary folder that is removed at the end.")

    @Flag(help: "Tell the story alone, one line a step; ends with 0 only if every step happened.")
    var script = false

    @Flag(help: "Keep the data at the end.")
    var keep = false

    func run() async throws {
        try await StartFailure.told(by: "ostiary demo") {
            let data = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-demo-\(ManagementClient.newNonce().prefix(8))")
            defer { cleanUp(data) }
            do {
                try await Interruption.cancelling { try await perform(in: data) }
            } catch is CancellationError {
                StandardStreams.print("\nended")
                if script { throw ExitCode(130) }
            }
        }
    }

    /// Starts the servers, does what was asked for, and ends the servers however that went.
    private func perform(in data: URL) async throws {
        let servers = try await DemoServers.start(in: try DemoLayout(data: data))
        do {
            try await script ? tellStory(servers) : welcome(servers)
        } catch {
            await servers.stop()
            // What fails because it was interrupted is no failure.
            throw Task.isCancelled ? CancellationError() : error
        }
        await servers.stop()
    }

    private func tellStory(_ servers: DemoServers) async throws {
        StandardStreams.print("\u{2713} two servers run: \(servers.layout.publicURL) and \(servers.layout.secondFactorURL)")
        try await Story(servers).tell()
    }

    private func welcome(_ servers: DemoServers) async throws {
        let backend = try await DemoBackend(servers.layout)
        let site = DemoSite(backend: backend, origin: servers.layout.siteURL, authenticationOrigin: servers.layout.publicURL)
        let listener = Listener("site", at: ListenAddress(host: "127.0.0.1", port: servers.layout.sitePort), router: site.router)
        let logger = Logger.service("ostiary.demo", level: .critical)
        let tour = DemoTour(backend: backend, layout: servers.layout, keepsData: keep)
        try await ServerRunner(logger: logger, drain: DrainSignal()).run([listener], stopsOnSignals: false) { _ in await tour.begin() }
        throw CancellationError()
    }

    private func cleanUp(_ data: URL) {
        if keep {
            StandardStreams.print("data kept in \(data.path)")
        } else {
            try? FileManager.default.removeItem(at: data)
        }
    }
}
