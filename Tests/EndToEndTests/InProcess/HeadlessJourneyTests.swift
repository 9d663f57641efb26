import Foundation
import HTTPTypes
import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

/// A device that has no person behind it, and the person that it gets later: the SDK and both servers.
@Suite("A headless account and its upgrade, by the SDK and the servers", .onBothEngines, .timeLimit(.minutes(10)))
struct HeadlessJourneyTests {
    private func account(_ phone: FixturePhone, _ world: ServersFixture) async throws -> JSONLine {
        let id = try #require(phone.ostiary.accounts?.first).id
        return try JSONLine(String(decoding: try await world.backend.call(.get, "accounts/\(id)/").body, as: UTF8.self))
    }

    @Test("S0-03 enrolled by a code, without a PIN, it asks for data and logs in nowhere; by a link it gets a PIN and logs in", arguments: [0, -1])
    func journey(pinTimeout: Int) async throws {
        try await ServersFixture.run { world in
            try await world.backend.updateServer(#"{"serverFlags":["ENABLE_HEADLESS"],"pinTimeout":\#(pinTimeout)}"#)
            let service = try RawServer { connection in
                connection.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n")
                connection.send([0xFF, 0])
            }
            try await world.backend.offer(service, as: .data)
            let phone = try world.phone()
            let nonce = world.backend.newNonce()
            let code = try await world.backend.call(.get, "sessions/qr/enrol?name=Scale&userid=scale-7&headless=true", nonce: nonce).body
            let end = try await phone.enrol(code) { shown in
                let status = try await world.backend.confirm(nonce, shown)
                #expect(status == 200)
            }
            #expect(end == .stopped(.enrolled))
            #expect(try await world.backend.isLoggedIn(nonce) == false)
            #expect(try await phone.ostiary.getData([1]) == [0xFF, 0])
            let body = try #require(service.requests.first?.components(separatedBy: "\r\n\r\n").last)
            let asked = try JSONLine(body)
            #expect(asked["level"]?.string == "device" && asked["userid"]?.string == "scale-7" && asked["deviceid"] == nil)
            let before = try await account(phone, world)
            #expect(before["headless"]?.bool == true && before["deviceid"] == nil)
            let login = try await world.backend.loginCode(world.backend.newNonce())
            #expect(try await phone.logIn(login).end == .failed(.noSecondFactor))
            #expect(try await phone.logInToApp().end == .failed(.noSecondFactor))

            let upgrading = world.backend.newNonce()
            let id = try #require(before["id"]?.string)
            let link = try await world.backend.call(.get, "sessions/link/upgrade?accountid=\(id)", nonce: upgrading).body
            let upgraded = try await phone.enrol(link) { shown in
                let (data, status) = (try await phone.ostiary.getData([1]), try await world.backend.confirm(upgrading, shown))
                #expect(data == [0xFF, 0] && status == 200)
            }
            #expect(upgraded.session?.isLoggedIn == true)
            let session = try await world.backend.session(upgrading)
            #expect(session["loggedin"]?.bool == true && session["accountid"]?.string == id)
            let after = try await account(phone, world)
            #expect(after["headless"]?.bool == false && after["deviceid"]?.string != nil)
            #expect(after["id"] == before["id"] && after["userid"] == before["userid"] && after["created"] == before["created"])
            let nonceOfLogin = world.backend.newNonce()
            #expect(try await phone.logIn(try await world.backend.loginCode(nonceOfLogin)).end.session?.isLoggedIn == true)
            #expect(try await world.backend.isLoggedIn(nonceOfLogin))
            #expect(try await phone.ostiary.getData([1]) == [0xFF, 0])
        }
    }

    @Test("An operator who blocks it ends its data, and one who deletes it takes it from the phone")
    func blocked() async throws {
        try await ServersFixture.run { world in
            try await world.backend.updateServer(#"{"serverFlags":["ENABLE_HEADLESS"]}"#)
            let service = try RawServer { $0.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n") }
            try await world.backend.offer(service, as: .data)
            let phone = try world.phone()
            let nonce = world.backend.newNonce()
            let code = try await world.backend.call(.get, "sessions/qr/enrol?name=Scale&headless=true", nonce: nonce).body
            _ = try await phone.enrol(code) { shown in _ = try await world.backend.confirm(nonce, shown) }
            let id = try #require(phone.ostiary.accounts?.first).id
            try #require(try await world.backend.call(.put, "accounts/\(id)/", json: #"{"blocked":true}"#).status == 200)
            await #expect(throws: OstiaryError.accountBlocked) { try await phone.ostiary.getData([1]) }
            try #require(try await world.backend.call(.delete, "accounts/\(id)/").status == 200)
            await #expect(throws: OstiaryError.accountDeleted) { try await phone.ostiary.getData([1]) }
            #expect(phone.ostiary.accounts?.isEmpty == true)
        }
    }
}
