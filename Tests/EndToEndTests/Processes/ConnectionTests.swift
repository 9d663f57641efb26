import Foundation
import Testing

@testable import OstiaryPhone

/// What strangers at the public port cost everybody else.
@Suite("Connections of strangers", .serialized)
struct ConnectionTests {
    /// What is usual on a machine that nobody has set up for it: a low soft limit, and a hard one that is not much higher.
    private static let fewDescriptors = "ulimit -Sn 256 && ulimit -Hn 1024 && exec \"$0\" \"$@\""

    private func running(_ changes: [String: String] = [:]) async throws -> ProcessesFixture {
        let pair = try await ProcessesFixture()
        try await pair.start(changes, shell: Self.fewDescriptors)
        return pair
    }

    /// The limit is told once; where the machine is so busy that it takes minutes, once in each.
    private func expectToldOnce(of pair: ProcessesFixture, since begun: ContinuousClock.Instant, saying words: String = "limit met") {
        let said = pair.authentication.complaints.split(separator: "\n").filter { $0.contains("limit met") }
        let most = 1 + Int((ContinuousClock.now - begun) / .seconds(60))
        #expect((1...most).contains(said.count) && said.allSatisfy { $0.contains(words) }, "\(said)")
    }

    /// The page is served, however busy the machine is.
    private func expectPage(of pair: ProcessesFixture) async throws {
        let login = try #require(URL(string: pair.layout.publicURL + "/login"))
        try await eventually("the page is served: \(pair.authentication.complaints)") { await HTTPProbe.status(of: login) == 200 }
    }

    @Test(
        "A thousand connections that say nothing, or begin a request and stop: the REST API answers, the log says it once, and all is well when they go",
        arguments: [(1, ""), (5, ""), (1, "POST /ap1 HTTP/1.1\r\nHo"), (5, "POST /ap1 HTTP/1.1\r\nHo")])
    func held(addresses: Int, words: String) async throws {
        let begun = ContinuousClock.now
        let pair = try await running()
        let crowd = try await Crowd(1_100, port: pair.layout.publicPort, addresses: addresses, sending: Array(words.utf8))
        try await eventually("the limit is told: \(pair.authentication.complaints)") { pair.authentication.complaints.contains("limit met") }
        let backend = try await pair.backend()
        for _ in 0..<5 {
            try await eventually("it lives") { await pair.status("/live") == 200 }
            try await pair.waitUntilReady()
            #expect(try await backend.session(ManagementClient.newNonce()).loggedin == false)
        }
        if addresses == 1 {
            // Whoever comes from elsewhere is served.
            try await eventually("the crowd is few") { crowd.open < 500 }
            try await expectPage(of: pair)
        }
        expectToldOnce(of: pair, since: begun)
        await crowd.disperse()
        try await eventually("it is over: \(pair.authentication.complaints)") { pair.authentication.complaints.contains("limit is over") }
        try await expectPage(of: pair)
        try await pair.stop()
    }

    @Test("Without a descriptor left accepting pauses: no processor is burnt, the log says it once, and who waited is served")
    func exhausted() async throws {
        let begun = ContinuousClock.now
        let pair = try await running()
        let use = ProcessUse(process: try #require(pair.authentication.program).id)
        try await use.allow(descriptors: try use.descriptors)
        let crowd = try await Crowd(20, port: pair.layout.publicPort, sending: Array("GET /login HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        try await eventually("it is told") { pair.authentication.complaints.contains("no descriptor left") }
        let (before, start) = (try use.processorSeconds, ContinuousClock.now)
        // Accepting pauses for a quarter of a second at a time: three pauses or four, and what is between them; more where the machine is busy.
        try await Task.sleep(for: .seconds(1))
        #expect(try use.processorSeconds - before < 0.35 * ((ContinuousClock.now - start) / .seconds(1)))
        expectToldOnce(of: pair, since: begun)
        try await use.allow(descriptors: 1024)
        try await eventually("all are served") { crowd.count(of: 200) == 20 }
        await crowd.disperse()
        try await pair.stop()
    }

    @Test("A hundred connections that ask hundreds of times at once and read no answer are closed, told once, and hold little memory")
    func impatient() async throws {
        let begun = ContinuousClock.now
        let pair = try await ProcessesFixture.running()
        try await expectPage(of: pair)
        let use = ProcessUse(process: try #require(pair.authentication.program).id)
        let before = try use.residentMiB
        let questions = String(repeating: "GET /login HTTP/1.1\r\nHost: x\r\n\r\n", count: 800)
        let crowd = try await Crowd(100, port: pair.layout.publicPort, reads: false, sending: Array(questions.utf8))
        try await eventually("the limit is told: \(pair.authentication.complaints)") { pair.authentication.complaints.contains("limit met") }
        var most = before
        for _ in 0..<10 {
            most = max(most, try use.residentMiB)
            try await Task.sleep(for: .milliseconds(100))
        }
        // Each held between three and five MiB when nobody counted them.
        #expect(most - before < 128, "\(before) MiB, then \(most) MiB")
        try await expectPage(of: pair)
        try await eventually("the limit is told: \(pair.authentication.complaints)") { pair.authentication.complaints.contains("limit met") }
        expectToldOnce(of: pair, since: begun, saying: "wait for their answers")
        await crowd.disperse()
        try await pair.stop()
    }

    @Test("3,000 unfinished bodies hold a bounded amount of memory and give it back; a short message and the REST API are served meanwhile")
    func bodies() async throws {
        let begun = ContinuousClock.now
        let pair = try await ProcessesFixture.running(["OSTIARY_MAX_CONNECTIONS_PER_PEER": "5000"])
        let use = ProcessUse(process: try #require(pair.authentication.program).id)
        let before = try use.residentMiB
        let head = "POST /ap1 HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\n\r\n"
        let crowd = try await Crowd(3_000, port: pair.layout.publicPort, sending: Array(head.utf8) + [UInt8](repeating: 7, count: 65_000))
        // On a busy machine they come so slowly that the first are over before the last are there: then fewer wait at once.
        try await eventually("many are told to come again: \(pair.authentication.complaints)") {
            crowd.count(of: 503) > 500
        }
        let during = try use.residentMiB
        #expect(during - before < 300, "\(before) MiB, then \(during) MiB")
        let short = try await Crowd(
            1, port: pair.layout.publicPort, sending: Array("POST /ap1 HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nno cipher".utf8))
        #expect(await short.firstStatus() == 400)
        try await pair.waitUntilReady()
        try await eventually("the limit is told: \(pair.authentication.complaints)") { pair.authentication.complaints.contains("limit met") }
        expectToldOnce(of: pair, since: begun)
        await crowd.disperse()
        try await eventually("the memory is given back: \(before) MiB, then \(during) MiB") { try use.residentMiB - before < 96 }
        await short.disperse()
        try await pair.stop()
    }
}
