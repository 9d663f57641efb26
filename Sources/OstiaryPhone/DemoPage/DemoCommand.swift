import ArgumentParser
import Foundation
import HTTPService
import OstiaryProgram

/// `ostiary demo`: everything there is, on this machine, for a first look.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: PhoneWords.demo.rawValue,
        abstract: PhoneWords.demo.abstract,
        discussion: """
            Opens a page with the website, the phone and a tour; prints its address where there is no browser. Keep the address to yourself: who
            has it drives the demonstration. Ctrl-C ends it. Data lies in a temporary folder that is removed at the end.
            """)

    @Flag(help: "Tell the story alone, one line a step; ends with 0 only if every step happened.")
    var script = false

    @Flag(help: "Draw codes in this terminal, and leave the phone to another terminal.")
    var terminal = false

    @Flag(help: "Print the address of the page, and open no browser.")
    var noBrowser = false

    @Flag(help: "Keep the data at the end.")
    var keep = false

    func run() async throws {
        try await StartFailure.told(by: "ostiary demo") {
            let data = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-demo-\(ManagementClient.newNonce().prefix(8))")
            defer { cleanUp(data) }
            do {
                try await Interruption.cancelling {
                    try await perform(in: data)
                } atOnce: {
                    // They would write into the folder, or make it anew.
                    SpawnedProcess.endDependants()
                    // Nothing is said: a terminal that is stopped takes nothing.
                    if !keep { remove(data) }
                }
            } catch is CancellationError {
                StandardStreams.print("\nended")
                if script { throw ExitCode(130) }
            }
        }
    }

    private func perform(in data: URL) async throws {
        do {
            try await script ? tellStory(in: data) : show(in: data)
        } catch {
            // What fails because it was interrupted is no failure.
            throw Task.isCancelled ? CancellationError() : error
        }
    }

    /// Starts the servers, tells the story, and ends the servers however that went.
    private func tellStory(in data: URL) async throws {
        let servers = try await DemoServers.start(in: try DemoLayout(data: data))
        do {
            StandardStreams.print("\u{2713} two servers run: \(servers.layout.publicURL) and \(servers.layout.secondFactorURL)")
            try await Story(servers).tell()
        } catch {
            await servers.stop()
            throw error
        }
        await servers.stop()
    }

    private func show(in data: URL) async throws {
        let layout = try DemoLayout(data: data, isWitnessed: true)
        try await DemoShow(layout, phone: terminal ? TerminalOnlyPhone() : PagedPhone()).run { stage in
            let overview = DemoOverview(layout: layout, pageAddress: stage.address, keepsData: keep)
            if !noBrowser, StandardStreams.outputIsTerminal {
                _ = BrowserOpener(environment: ProcessInfo.processInfo.environment).open(stage.address, by: layout.data)
            }
            try await DemoTour(backend: stage.backend, overview: overview, drawsCodes: terminal).run()
        }
        throw CancellationError()
    }

    private func cleanUp(_ data: URL) {
        guard !keep else { return StandardStreams.print("data kept in \(data.path)") }
        remove(data)
    }

    private func remove(_ data: URL) {
        // A phone that is still at work may put a file into a folder that is just being removed.
        for _ in 0..<3 where FileManager.default.fileExists(atPath: data.path) { try? FileManager.default.removeItem(at: data) }
    }
}
