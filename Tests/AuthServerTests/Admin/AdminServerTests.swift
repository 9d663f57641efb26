import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import QRCode
import Testing

@testable import AuthServer

@Suite("REST: virtual servers")
struct AdminServerTests {
    @Test("getServers lists the servers and their number, in parts if asked")
    func lists() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (status, all) = try await backend.json(.get, "/servers/", nonce: nil)
            #expect(status == 200)
            #expect(all.number("totalnumber") == 1)
            #expect(all.objects("servers").map { $0.text("serverid") } == [premises.serverID.text])
            let (_, rest) = try await backend.json(.get, "/servers/?marker=1&limit=5")
            #expect(rest.number("totalnumber") == 1)
            #expect(rest.objects("servers").isEmpty)
        }
    }

    @Test(
        "A limit or marker that is no number in range is 400",
        arguments: ["limit=0", "limit=1001", "limit=x", "limit=+1", "limit=1&limit=2", "marker=-1"])
    func refusesSlices(query: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (status, answer) = try await backend.json(.get, "/servers/?\(query)")
            #expect(status == 400)
            #expect(answer.text("message")?.hasPrefix(query.prefix { $0 != "=" }) == true)
        }
    }

    @Test("S1-08: getServer tells the parameters, with the defaults of a new server")
    func tells() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (status, server) = try await backend.json(.get, backend.path("/"))
            #expect(status == 200)
            #expect(server.text("serverid") == premises.serverID.text)
            #expect(server.text("serverpk") == Base64URL.encode(premises.keyring.keys.root.ed25519))
            #expect(server.text("serverName") == "Timesheets")
            #expect(server.number("pingTime") == 300)
            #expect(server.number("pinTimeout") == 0)
            #expect(server.number("pinTransTimeout") == 0)
            #expect(server.number("staticQrAge") == 90)
            #expect(server.texts("serverFlags") == [])
            #expect(server.texts("frameorigins") == [])
            #expect(server.number("accountCount") == 0)
        }
    }

    @Test("S1-08: updateServer changes what it is given and leaves the rest")
    func changesPart() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let change = #"{"pingTime":600,"serverFlags":["STRICT_LINKS"],"serverName":"Zeit \"und\" <Stunden>"}"#
            let (status, changed) = try await backend.json(.put, backend.path("/"), body: change)
            #expect(status == 200)
            let (_, server) = try await backend.json(.get, backend.path("/"))
            for answer in [changed, server] {
                #expect(answer.number("pingTime") == 600)
                #expect(answer.texts("serverFlags") == ["STRICT_LINKS"])
                #expect(answer.text("serverName") == #"Zeit "und" <Stunden>"#)
                #expect(answer.number("staticQrAge") == 90)
            }
        }
    }

    @Test("What getServer answered may be sent back as it is")
    func takesItsOwnAnswer() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let change = #"{"frameorigins":["https://Shop.example:443","http://localhost:3000"]}"#
            #expect(try await backend.json(.put, backend.path("/"), body: change).object.texts("frameorigins")?.last == "http://localhost:3000")
            let answer = try await backend.send(.get, backend.path("/"))
            let (status, _) = try await backend.json(.put, backend.path("/"), body: String(buffer: answer.body))
            #expect(status == 200)
            #expect(try await backend.send(.get, backend.path("/")).body == answer.body)
            // People log in between the two calls: the numbers of then are left alone.
            #expect(try await backend.json(.put, backend.path("/"), body: #"{"accountCount":7,"lastLogin":1700000000}"#).status == 200)
            #expect(try await backend.send(.get, backend.path("/")).body == answer.body)
        }
    }

    @Test("updateServer asks for the server in the transaction that changes it, and nowhere else")
    func asksOnce() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            _ = premises.questions.take()
            let change = #"{"serverid":"\#(premises.serverID.text)","pingTime":600}"#
            #expect(try await backend.json(.put, backend.path("/"), body: change).status == 200)
            #expect(premises.questions.take() == 0)
        }
    }

    @Test("The identity of a server cannot be changed", arguments: ["serverid", "serverpk"])
    func keepsIdentity(field: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let other = Base64URL.encode([UInt8](repeating: 7, count: field == "serverid" ? 16 : 32))
            let (status, answer) = try await backend.json(.put, backend.path("/"), body: #"{"\#(field)":"\#(other)","pingTime":600}"#)
            #expect(status == 400)
            #expect(answer.text("error") == "immutable")
            #expect(try await backend.json(.get, backend.path("/")).object.number("pingTime") == 300)
        }
    }

    @Test(
        "A value that cannot be is 400, names its field and changes nothing",
        arguments: [
            ("pingTime", "-1"), ("pingTime", "604801"), ("pingTime", #""300""#), ("pingTime", "1.5"), ("pingTime", "1e999"),
            ("pinTimeout", "-2"), ("pinTransTimeout", "true"), ("staticQrAge", "301"), ("serverName", #""""#), ("serverName", "7"),
            ("serverName", #""a\u202eb""#), ("serverName", #""a\nb""#), ("siteurl", #""a\u2029b""#),
            ("serverName", #"" ""#), ("serverName", #""\u200b""#), ("appname", #""\u3164""#),
            ("serverFlags", #"["NO_SUCH"]"#), ("serverFlags", #"["enable_otp"]"#),
            ("serverFlags", #""STRICT_LINKS""#),
            ("serverFlags", "[1]"), ("logo", #""not base64!""#), ("logo", #""AAAA""#),
            ("logo", "\"\(Data(TestPicture.png(width: 20_000)).base64EncodedString())\""), ("appurl", "[]"),
            ("color", ##""red""##), ("color", ##""#1f5f6""##),
            ("color", ##""#eeeeee""##), ("colordark", ##""#1f5f66""##), ("colordark", "7"),
            ("frameorigins", #"["https://shop.example/"]"#), ("frameorigins", #"["https://shop.example","*"]"#),
            ("frameorigins", #""https://a.example""#),
            ("serverName", #""\u0301\u0301""#),
            ("accountCount", "-1"), ("accountCount", #""""#), ("accountCount", "{}"), ("lastLogin", "1e308"), ("lastLogin", "1.5"),
            ("lastLogin", #""https://x.example/""#),
        ])
    func refusesValues(field: String, value: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let before = try await backend.send(.get, backend.path("/")).body
            let (status, answer) = try await backend.json(.put, backend.path("/"), body: #"{"owner":"changed","\#(field)":\#(value)}"#)
            #expect(status == 400)
            #expect(answer.text("message")?.contains(field) == true, "\(answer.text("message") ?? "")")
            #expect(try await backend.send(.get, backend.path("/")).body == before)
        }
    }

    @Test("S4-23, S4-24: getServerVash is the picture that the phone computes from the same root")
    func drawsVisualHash() async throws {
        let premises = try await PagesFixture()
        let hash = try VisualHash(rootHash: premises.keyring.keys.root.hash)
        try await premises.asBackend { (backend) async throws in
            // The widest that whole pixels make.
            let response = try await backend.send(.get, backend.path("/vash?s=142"), nonce: nil)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "image/png")
            var rgb: [UInt8] = []
            for row in 0..<(VisualPicture.height * 10) {
                for column in 0..<(VisualPicture.width * 10) {
                    let colour = hash.picture.colour(column: column / 10, row: row / 10)
                    rgb += [colour.red, colour.green, colour.blue]
                }
            }
            let expected = try PNGImage.encode(width: 130, height: 110, rgb: rgb)
            #expect(Array(buffer: response.body) == expected)
        }
    }

    @Test(
        "A server that does not exist is 404, whatever its id looks like",
        arguments: ["AAAAAAAAAAAAAAAAAAAAAA", "x", "%00", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "..", "%F0%28%8C%28"])
    func unknownServer(id: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for (method, rest) in [
                (HTTPRequest.Method.get, "/"), (.put, "/"), (.get, "/vash"), (.get, "/sessions/qr/login"), (.post, "/sessions/logout"),
            ] {
                let response = try await backend.send(method, "/servers/\(id)\(rest)", body: method == .get ? nil : "{}")
                let isTold = response.status == .notFound || (rest == "/sessions/logout" && response.status == .ok)
                #expect(isTold, "\(method) \(rest): \(response.status)")
            }
        }
    }
}
