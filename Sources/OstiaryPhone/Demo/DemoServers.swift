import Foundation
import Synchronization

/// Both servers as processes of their own, on ports of the loopback address that are theirs, with their data in one folder.
final class DemoServers: Sendable {
    private struct Running {
        var secondFactor: ChildProcess
        let authentication: ChildProcess
    }

    let layout: DemoLayout
    private let launches: (secondFactor: ServerLaunch, authentication: ServerLaunch)
    private let running: Mutex<Running>

    private init(_ layout: DemoLayout, _ launches: (secondFactor: ServerLaunch, authentication: ServerLaunch), _ running: Running) {
        self.layout = layout
        self.launches = launches
        self.running = Mutex(running)
    }

    /// Makes both identities, tells each server about the other, starts them and waits until both answer.
    static func start(in layout: DemoLayout) async throws -> DemoServers {
        try await start(try await launches(of: layout) { try await ChildProcess.run($0) }, of: layout)
    }

    /// Starts both and waits until both answer.
    static func start(_ launches: (secondFactor: ServerLaunch, authentication: ServerLaunch), of layout: DemoLayout) async throws -> DemoServers {
        let secondFactor = try ChildProcess(launches.secondFactor, log: layout.log("second-factor"))
        let authentication: ChildProcess
        do {
            authentication = try ChildProcess(launches.authentication, log: layout.log("serve"))
        } catch {
            await secondFactor.stop()
            throw error
        }
        let servers = DemoServers(layout, launches, Running(secondFactor: secondFactor, authentication: authentication))
        do {
            try await servers.waitUntilReady()
        } catch {
            await servers.stop()
            throw error
        }
        return servers
    }

    private var both: [ChildProcess] { running.withLock { [$0.secondFactor, $0.authentication] } }

    /// Ends both and waits until they are gone, also in a task that is cancelled.
    func stop() async {
        let both = both
        await Task {
            await withTaskGroup(of: Void.self) { group in
                for server in both { group.addTask { await server.stop() } }
            }
        }.value
    }

    /// Ends the second-factor server, changes what it keeps, and starts it again, also where the change did not come about.
    /// - Parameter change: of its data folder, while nobody has it open.
    func restartSecondFactor(after change: @Sendable () throws -> Void) async throws {
        let old = running.withLock(\.secondFactor)
        await old.stop()
        let outcome = Result { try change() }
        let new = try ChildProcess(launches.secondFactor, log: layout.log("second-factor"))
        running.withLock { $0.secondFactor = new }
        try await waitUntilReady()
        try outcome.get()
    }

    /// Makes both identities and tells each server about the other; starts nothing.
    /// - Parameter run: runs the binary to its end.
    static func launches(
        of layout: DemoLayout, run: ([String]) async throws -> (code: Int32, output: String, errors: String)
    ) async throws -> (secondFactor: ServerLaunch, authentication: ServerLaunch) {
        let secondFactor = ["second-factor", "--data", layout.secondFactorData.path]
        let authentication = ["serve", "--data", layout.authenticationData.path]
        func identity(_ arguments: [String]) async throws -> String {
            let result = try await run(arguments + ["--print-identity"])
            let identity = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let reason = result.errors.trimmingCharacters(in: .whitespacesAndNewlines)
            guard result.code == 0, !identity.isEmpty else { throw DemoError.serverFailed(name: "ostiary \(arguments[0])", reason: reason) }
            return identity
        }
        return (
            secondFactor: ServerLaunch(
                name: "ostiary second-factor", arguments: secondFactor,
                environment: layout.secondFactorEnvironment(trusting: try await identity(authentication))),
            authentication: ServerLaunch(
                name: "ostiary serve", arguments: authentication,
                environment: layout.authenticationEnvironment(secondFactorIdentity: try await identity(secondFactor)))
        )
    }

    private func waitUntilReady() async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            for server in both where !server.isRunning { throw DemoError.serverFailed(name: server.name, reason: server.lastWords) }
            if await isReady() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw DemoError.serverFailed(name: launches.authentication.name, reason: "not ready after 60 s: \(both.last?.lastWords ?? "")")
    }

    /// What the authentication server says of the other one holds for some seconds: one that was just started is asked itself.
    private func isReady() async -> Bool {
        guard let other = URL(string: "\(layout.secondFactorURL)/ready"), await HTTPProbe.status(of: other) == 200 else { return false }
        guard let url = URL(string: "\(layout.adminURL)/ready?for=logins") else { return false }
        return await HTTPProbe.status(of: url) == 200
    }
}
