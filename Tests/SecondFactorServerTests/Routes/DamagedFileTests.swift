import Database
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("A second-factor server whose database file is damaged while it runs")
struct DamagedFileTests {
    @Test("A call that meets the damage is 503, readiness names it and says what to do, and a signed probe is told that no attempt can be written")
    func cutOff() async throws {
        let (folder, setting) = (try TemporaryFolder(), try ServerFixture.Setting())
        let path = folder.file("sf.sqlite")
        let first = try openFile(path)
        try await ServerFixture.run(on: first, setting) { stage in _ = try await stage.enrol(try RawPhone("before")) }
        try await first.close()
        let database = try openFile(path)
        try await ServerFixture.run(on: database, setting) { stage in
            let phone = try RawPhone("after")
            let asked = try phone.ask(try phone.question(.firstSet, payload: phone.payload()), try await stage.identity(), at: stage.now)
            try #require(truncate(path, 8192) == 0)
            let (status, body) = try await stage.post(stage.server.ticketCall(asked, sequence: 0, at: stage.now))
            #expect(status == .serviceUnavailable && String(decoding: body, as: UTF8.self).contains("storage_unavailable"))
            try await stage.client.execute(uri: "/ready?full=1", method: .get) { response in
                let report = String(buffer: response.body)
                #expect(response.status == .serviceUnavailable)
                #expect(report.contains("sf.sqlite is damaged") && report.contains("restore a backup, start it again"), "\(report)")
                #expect(!report.contains(#""database":"ok""#), "\(report)")
            }
            let nonce = SystemRandomSource().bytes(16)
            let probe = Encoded(Probe(serverID: stage.server.serverID, nonce: nonce, time: stage.now), signedBy: stage.server.operatorKey)
            #expect(try await stage.answer(stage.server.call(probe.bytes)).status == .secondFactorUnavailable)
        }
        try await database.close()
    }
}
