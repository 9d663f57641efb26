import Foundation
import OstiaryTesting
import Testing

@Suite("Machines with networks of their own", .enabled(if: NodeNetwork.isPossible, "this process may make no network namespaces"))
struct NodeNetworkTests {
    @Test("What one sends to another gets lost, in either direction, and a third still gets through; whose cable is out is reached by nobody")
    func losses() async throws {
        let network = try await NodeNetwork(["one", "other", "third"])
        // The kernel takes the connection, whatever becomes of it.
        try await network.lead("other", from: "7", to: "/nowhere")
        #expect(try await connects("one", to: "other", network))
        for (from, to) in [("one", "other"), ("other", "one")] {
            try await network.lose(true, from, to: to)
            #expect(try await !connects("one", to: "other", network), "\(from) is lost to \(to)")
            #expect(try await !network.reaches(from, to), "\(from) is lost to \(to)")
            #expect(try await network.reaches(to, from), "\(from) is lost to \(to)")
            #expect(try await connects("third", to: "other", network))
            try await network.lose(false, from, to: to)
            #expect(try await connects("one", to: "other", network))
        }
        try await network.tell("unplug other")
        #expect(try await !connects("third", to: "other", network))
        try await network.tell("plug other")
        #expect(try await connects("third", to: "other", network))
    }

    @Test("What cannot be done is told, and the networks go on")
    func refused() async throws {
        let network = try await NodeNetwork(["one", "other"])
        await #expect(throws: Timeout.self) { try await network.tell("unplug nobody") }
        await #expect(throws: Timeout.self) { try await network.tell("lead one") }
        await #expect(throws: Timeout.self) { try await network.reaches("one", "nobody") }
        try await network.tell("unplug other")
    }

    private func connects(_ one: String, to other: String, _ network: NodeNetwork) async throws -> Bool {
        let place = try network.machine(other).address
        let program = try Program(
            ["1", "bash", "-c", "exec 3<>/dev/tcp/\(place)/7"], executable: "/usr/bin/timeout", shell: try network.machine(one).shell)
        return try await program.end() == 0
    }
}
