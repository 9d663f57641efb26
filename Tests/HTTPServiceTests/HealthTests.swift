import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Health")
struct HealthTests {
    private struct Unreachable: Error, CustomStringConvertible {
        let description = "connection\nrefused"
    }

    private func ask(_ uri: String, checks: [any ReadinessCheck], drain: DrainSignal = DrainSignal()) async throws -> (HTTPResponse.Status, String) {
        let router = Router(context: ServiceRequestContext.self)
        HealthRoutes(checks: checks, drain: drain, patience: .milliseconds(50)).add(to: router)
        return try await Application(responder: router.buildResponder()).test(.router) { client in
            let answer = try await client.execute(uri: uri, method: .get)
            return (answer.status, String(buffer: answer.body))
        }
    }

    private let good = NamedCheck("database") {}
    private let bad = NamedCheck("second-factor") { throw Unreachable() }
    private let slow = NamedCheck("second-factor") { try await Task.sleep(for: .seconds(3600)) }

    @Test("A process that answers is live, whatever is missing")
    func live() async throws {
        #expect(try await ask("/live", checks: [bad]) == (.ok, #"{"live":true}"#))
    }

    @Test("Ready is 200 when every check passes; full lists them in order")
    func ready() async throws {
        #expect(try await ask("/ready", checks: [good]) == (.ok, #"{"ready":true}"#))
        let again = NamedCheck("another") {}
        #expect(try await ask("/ready?full=1", checks: [good, again]) == (.ok, #"{"ready":true,"checks":{"database":"ok","another":"ok"}}"#))
    }

    @Test("Ready is 503 and says why when a check fails, on one line")
    func notReady() async throws {
        #expect(
            try await ask("/ready", checks: [good, bad])
                == (.serviceUnavailable, #"{"ready":false,"checks":{"second-factor":"connection refused"}}"#))
        #expect(
            try await ask("/ready?full=1", checks: [good, bad])
                == (.serviceUnavailable, #"{"ready":false,"checks":{"database":"ok","second-factor":"connection refused"}}"#))
    }

    @Test("A check that does not answer is not waited for")
    func slowCheck() async throws {
        let (status, body) = try await ask("/ready", checks: [slow])
        #expect(status == .serviceUnavailable)
        #expect(body.contains("no answer within"))
    }

    @Test("A server that is stopping is not ready")
    func stopping() async throws {
        let drain = DrainSignal()
        drain.begin()
        #expect(try await ask("/ready", checks: [good], drain: drain) == (.serviceUnavailable, #"{"ready":false,"checks":{"server":"stopping"}}"#))
    }
}
