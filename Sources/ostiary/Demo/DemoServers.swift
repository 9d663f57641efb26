import Foundation

/// Both servers as processes of their own, on free ports of the loopback address, with their data in one folder.
struct DemoServers: Sendable {
    let secondFactor: ChildProcess
    let authentication: ChildProcess
    let layout: DemoLayout

    /// Makes both identities, tells each server about the other, starts them and waits until both answer.
    static func start(in data: URL) async throws -> DemoServers {
        let layout = try DemoLayout(data: data)
        let authenticationIdentity = try await identity(of: ["serve", "--data", layout.authenticationData.path])
        let secondFactorIdentity = try await identity(of: ["second-factor", "--data", layout.secondFactorData.path])

        let secondFactor = try ChildProcess(
            name: "ostiary second-factor", arguments: ["second-factor", "--data", layout.secondFactorData.path],
            environment: layout.secondFactorEnvironment(trusting: authenticationIdentity), log: layout.log("second-factor"))
        let authentication: ChildProcess
        do {
            authentication = try ChildProcess(
                name: "ostiary serve", arguments: ["serve", "--data", layout.authenticationData.path],
                environment: layout.authenticationEnvironment(secondFactorIdentity: secondFactorIdentity), log: layout.log("serve"))
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

    private static func identity(of arguments: [String]) async throws -> String {
        let result = try await ChildProcess.run(arguments + ["--print-identity"], environment: [:])
        let identity = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard result.code == 0, !identity.isEmpty else {
            throw DemoError.serverFailed(name: "ostiary \(arguments[0])", reason: result.complaints.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return identity
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
        guard let url = URL(string: "\(layout.adminURL)/ready?full=1") else { return false }
        return await HTTPProbe.status(of: url) == 200
    }
}
