import Foundation
import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

/// A device asks a service behind its server: the SDK, both servers, and a socket of which the test writes every byte. What the
/// service says is no row.
@Suite("getData, from the app to the service behind the server", .timeLimit(.minutes(10)))
struct ServiceDataJourneyTests {
    private func enrolled(in world: ServersFixture) async throws -> FixturePhone {
        let phone = try world.phone()
        try await world.enrol(phone, user: "alice")
        return phone
    }

    @Test("S0-03 a device that nobody is logged in on has what the service answers, byte for byte, and the service hears that it is a device")
    func verbatim() async throws {
        try await ServersFixture.run { world in
            let phone = try await enrolled(in: world)
            for bytes in [[], [0x00, 0xFF, 0xC3, 0x28, 0x0D, 0x0A], [UInt8](repeating: 0x80, count: 65_000)] {
                let service = try RawServer.answering(bytes)
                try await world.backend.offer(service, as: .data)
                #expect(try await phone.ostiary.getData([0xFB, 0xFF]) == bytes)
                let request = try #require(service.requests.first)
                let body = try JSONLine(try #require(request.components(separatedBy: "\r\n\r\n").last))
                #expect(body["level"]?.string == "device" && body["payload"]?.string == "-_8" && body["userid"]?.string == "alice")
                #expect(body["acr"] == nil && body["amr"] == nil && body["sid"] == nil)
            }
        }
    }

    @Test("Each fault of the service is an error of its own; without a service it is not offered")
    func faults() async throws {
        try await ServersFixture.run { world in
            let phone = try await enrolled(in: world)
            await #expect(throws: OstiaryError.notOffered) { try await phone.ostiary.getData([1]) }
            let faults: [(String, OstiaryError)] = [
                ("HTTP/1.1 403 x\r\ncontent-length: 0\r\n\r\n", .serviceRefused),
                ("HTTP/1.1 503 x\r\ncontent-length: 0\r\n\r\n", .serviceUnavailable),
                ("HTTP/1.1 302 x\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n", .serviceAnswer),
                ("HTTP/1.1 200 x\r\ncontent-length: 1048576\r\n\r\n", .serviceAnswer),
                ("HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\ncut", .serviceUnavailable), ("", .serviceUnavailable),
            ]
            for (answer, error) in faults {
                let service = try RawServer { $0.send(answer) }
                try await world.backend.offer(service, as: .data)
                await #expect(throws: error, "\(answer)") { try await phone.ostiary.getData([1]) }
                #expect(service.requests.count == 1, "\(answer)")
            }
            let silent = try RawServer { $0.waitForEnd() }
            try await world.backend.offer(silent, as: .data, timeout: 1)
            await #expect(throws: OstiaryError.serviceUnavailable) { try await phone.ostiary.getData([1]) }
        }
    }

    @Test("One call has one name, however often the phone has to ask: a service that looks at it does once what it is asked", .onBothEngines)
    func once() async throws {
        try await ServersFixture.run { world in
            let phone = try await enrolled(in: world)
            let service = try RawServer.answering([7])
            try await world.backend.offer(service, as: .data)
            for (number, fault) in [Line.Fault.answerLost, .answerReplaced, .doubled].enumerated() { await world.line.lose(fault, at: number) }
            #expect(try await phone.ostiary.getData([1]) == [7])
            let calls = try service.requests.map { request in
                let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
                return try #require(try JSONLine(body)["requestid"]?.string)
            }
            #expect(calls.count > 1 && Set(calls).count == 1)
        }
    }
}
