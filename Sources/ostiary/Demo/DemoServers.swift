import Foundation

/// Both servers as processes of their own, on ports of the loopback address that are theirs, with their data in one folder.
struct DemoServers: Sendable {
    let secondFactor: ChildProcess
    let authentication: ChildProcess
    let layout: DemoLayout

    /// Makes both identities, tells each server about the other, starts them and waits until both answer.
    static func start(in data: URL) async throws -> DemoServers {
        let layout = try DemoLayout(data: data)
        let launches = try await launches(of: layout) { try await ChildProcess.run($0) }
        let secondFactor = try ChildProcess(launches.secondFactor, log: layout.log("second-factor"))
        let authentication: ChildProcess
        do {
            authentication = try ChildProcess(launches.authentication, log: layout.log("serve"))
        } catch {
            await secondFactor.stop()
            throw error
        }
        let servers = DemoServers(secondFactor: secondFactor, authentication: authentication, layout: layout)
        do {
            try await servers.waitUntilReady()
        } catch {
            await servers.stop()
            throw error
        }
        return servers
    }

    /// Ends both and waits until they are gone, also in a task that is cancelled.
    func stop() async {
        await Task {
            async let first: Void = authentication.stop()
            async let second: Void = secondFactor.stop()
            _ = await (first, second)
        }.value
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
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            for server in [secondFactor, authentication] where !server.isRunning {
                throw DemoError.serverFailed(name: server.name, reason: server.lastWords)
            }
            if await isReady() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw DemoError.serverFailed(name: authentication.name, reason: "not ready after 20 s: \(authentication.lastWords)")
    }

    private func isReady() async -> Bool {
        guard let url = URL(string: "\(layout.adminURL)/ready?for=logins") else { return false }
        return await HTTPProbe.status(of: url) == 200
    }
}
