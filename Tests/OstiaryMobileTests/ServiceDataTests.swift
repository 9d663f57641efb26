import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Data of the service behind the server", .timeLimit(.minutes(10)))
struct ServiceDataTests {
    /// A phone with an account that nobody is logged in with, at a server whose Data Service turns bytes around.
    private func enrolled(_ configure: (inout Ostiary.Configuration) -> Void = { _ in }) async throws -> TestPhone {
        let phone = try await TestPhone.enrolled(configure)
        await phone.server.with { $0.dataService = { $0.reversed() } }
        return phone
    }

    @Test("S0-03 getData gives what the service answered, byte for byte, without a login, a PIN or an event", arguments: [0, 3, 65_000])
    func verbatim(_ count: Int) async throws {
        let phone = try await enrolled()
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let before = phone.ostiary.sessions
        #expect(try await phone.ostiary.getData(payload) == payload.reversed())
        let account = try #require(phone.ostiary.accounts?.first)
        #expect(try await phone.ostiary.getData(payload, for: account) == payload.reversed())
        #expect(phone.ostiary.sessions == before)
        #expect(await phone.server.with { $0.dataCalls.map(\.payload) } == [payload, payload])
    }

    @Test("A call whose answers are lost, or come in the place of each other's, is made again under its own name, and the next call has another")
    func retried() async throws {
        let phone = try await enrolled()
        await phone.server.with { $0.mishaps.lostAnswers[.getData] = 2 }
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
        #expect(await phone.server.with { $0.dataCalls.count == 3 && Set($0.dataCalls.map(\.callID)).count == 1 })
        // The first answer is kept by whoever is on the way, and comes again in the place of the second.
        let kept = Kept()
        let again = { @Sendable (bytes: [UInt8]) in TransportResponse(status: 200, body: kept.first(bytes)) }
        await phone.server.with { $0.mishaps.spoiledAnswers[.getData] = [again, again] }
        #expect(try await phone.ostiary.getData([3, 4]) == [4, 3])
        #expect(try await phone.ostiary.getData([5, 6]) == [6, 5], "the answer to the call before is not this one's")
        #expect(await phone.server.with { $0.dataCalls.map(\.payload).suffix(2) == [[5, 6], [5, 6]] })
        #expect(await phone.server.with { Set($0.dataCalls.map(\.callID)).count } == 3)
    }

    @Test("A write that an app makes again after it was killed has the name that the app kept")
    func named() async throws {
        let phone = try await enrolled()
        let call = UUID()
        for _ in 0..<2 { _ = try await phone.ostiary.getData([1], call: call) }
        let calls = await phone.server.with { $0.dataCalls.map(\.callID) }
        let name = try #require(CallID(withUnsafeBytes(of: call.uuid) { Array($0) }))
        #expect(calls == [name, name])
    }

    @Test(
        "Why there is no data is the error of the call, and nothing is told beside it",
        arguments: [
            (Status.serviceUnavailable, OstiaryError.serviceUnavailable), (.serviceRefused, .serviceRefused), (.serviceAnswer, .serviceAnswer),
            (.tooMany, .tooMany), (.notOffered, .notOffered), (.accountBlocked, .accountBlocked), (.refused, .refused),
        ])
    func refused(_ status: Status, _ expected: OstiaryError) async throws {
        let phone = try await enrolled()
        await phone.server.with { $0.mishaps.statuses[.getData] = [status] }
        await #expect(throws: expected) { try await phone.ostiary.getData([1]) }
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1], "and only of that call")
    }

    @Test("While a try of before is under way the server is asked again, until it answers")
    func busy() async throws {
        let phone = try await enrolled()
        await phone.server.with { $0.mishaps.statuses[.getData] = [.busy, .busy] }
        #expect(try await phone.ostiary.getData([1, 2]) == [2, 1])
        #expect(await phone.server.with { $0.received.filter { $0 == .getData }.count } == 3)
    }

    @Test("A server that stays away is one error, when the patience is over")
    func unreachable() async throws {
        let phone = try await enrolled()
        await phone.server.with { $0.mishaps.lostAnswers[.getData] = 1_000 }
        await #expect(throws: OstiaryError.serverConnection) { try await phone.ostiary.getData([1]) }
    }

    @Test("A call that is cancelled ends, also while the service thinks and while the server is away, and the next one is answered")
    func cancelled() async throws {
        let phone = try await enrolled()
        let held = HeldCall()
        await phone.server.with { server in
            server.dataService = { payload in
                await held.pass()
                return payload
            }
        }
        let call = Task { try await phone.ostiary.getData([1]) }
        await held.arrived()
        call.cancel()
        held.open()
        let outcome = await call.result
        #expect(throws: OstiaryError.cancelled) { try outcome.get() }
        #expect(try await phone.ostiary.getData([2]) == [2])
    }

    @Test("A call whose account goes while it is under way ends with that, and is not made again when its answer is lost")
    func goneMeanwhile() async throws {
        let phone = try await enrolled()
        let account = try #require(phone.ostiary.accounts?.first)
        let held = HeldCall()
        await phone.server.with { server in
            server.mishaps.lostAnswers[.getData] = 1_000
            server.dataService = { payload in
                await held.pass()
                return payload
            }
        }
        let call = Task { try await phone.ostiary.getData([1], for: account) }
        await held.arrived()
        try await phone.ostiary.remove(account)
        held.open()
        let outcome = await call.result
        #expect(throws: OstiaryError.accountUnknown) { try outcome.get() }
        #expect(await phone.server.with { $0.dataCalls.count } == 1)
    }

    @Test("What is too long is not sent; without an account, with several, and with one that is not here, nothing is asked")
    func notAsked() async throws {
        let phone = try await enrolled()
        await #expect(throws: OstiaryError.dataTooLong) { try await phone.ostiary.getData([UInt8](repeating: 0, count: 65_001)) }
        let account = try #require(phone.ostiary.accounts?.first)
        try await phone.ostiary.remove(account)
        await #expect(throws: OstiaryError.accountUnknown) { try await phone.ostiary.getData([1], for: account) }
        await #expect(throws: OstiaryError.noAccountsForServer) { try await phone.ostiary.getData([1]) }
        #expect(await phone.server.with { !$0.received.contains(.getData) })
    }
}
