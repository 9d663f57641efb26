import Authentication
import Foundation
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("REST: what a call does not have")
struct AdminStrictTests {
    @Test(
        "A member of a body that the call does not have is refused by its name, with the one that was meant, and nothing happens",
        arguments: [
            ("/sessions/page", #"{"kind":"login","returnUrl":"https://shop.example/"}"#, "returnUrl", "returnurl"),
            ("/sessions/page", #"{"kind":"login","announceInfo":{"info":{"pay":"10 EUR"}}}"#, "announceInfo", "announceinfo"),
            ("/sessions/page", #"{"kind":"login","announceinfo":{"infos":{"pay":"10 EUR"}}}"#, "announceinfo.infos", "info"),
            ("/sessions/qr/login", #"{"announceInfo":{"info":{"pay":"10 EUR"}}}"#, "announceInfo", "announceinfo"),
            ("/sessions/qr/login", #"{"sessioninfo":{"userAgent":"x"}}"#, "sessioninfo.userAgent", "useragent"),
            ("/sessions/link/login", #"{"announceinfo":{"info":{}},"accountid":"x"}"#, "accountid", nil),
            ("/sessions/enrol/confirm", #"{"code":"K7Q3","kode":"K7Q3"}"#, "kode", "code"),
            ("/", #"{"pingtime":600}"#, "pingtime", "pingTime"), ("/", #"{"serverName":"X","colour":"red"}"#, "colour", "color"),
            ("/accounts/ACCOUNT/", #"{"blocked":true,"reason":"lost"}"#, "reason", nil),
            ("/sessions/page", #"{"Kind":"login"}"#, "Kind", "kind"),
        ] as [(String, String, String, String?)])
    func members(rest: String, body: String, field: String, meant: String?) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            let path = backend.path(rest.replacingOccurrences(of: "ACCOUNT", with: account.id.text))
            let before = String(buffer: try await backend.send(.get, backend.path("/")).body)
            let (status, answer) = try await backend.json(rest.hasPrefix("/sessions") ? .post : .put, path, body: body)
            #expect(status == 400)
            #expect(answer.names == ["error", "message", "field", "requestId"])
            #expect(answer.text("error") == "unknown_field" && answer.text("field") == field)
            #expect(answer.text("message")?.contains(field) == true)
            #expect(answer.text("message")?.contains("did you mean \(meant ?? "")") == (meant != nil))
            if let meant { #expect(answer.text("message")?.hasSuffix("did you mean \(meant)?") == true) }
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.names == ["loggedin"])
            #expect(String(buffer: try await backend.send(.get, backend.path("/")).body) == before)
            #expect(try await backend.json(.get, backend.path("/accounts/\(account.id.text)/")).object.bool("blocked") == false)
        }
    }

    @Test(
        "A parameter of the query that the call does not have is refused by its name, on every call",
        arguments: ["accountID=x", "accountId", "x=", "=x", "Limit=5", "%61ccountID=x", "api_key=secret"])
    func parameters(query: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            for route in premises.adminRoutes.table {
                let path = route.path.replacingOccurrences(of: "{serverid}", with: premises.serverID.text)
                    .replacingOccurrences(of: "{accountid}", with: account.id.text).replacingOccurrences(of: "{userid}", with: "alice")
                let (status, answer) = try await backend.json(route.method, "\(path)?\(query)")
                #expect(status == 400 && answer.text("error") == "unknown_field", "\(route.method) \(route.path)")
                #expect(answer.text("field") != nil && answer.text("message")?.contains("secret") == false)
            }
            let (_, answer) = try await backend.json(.get, backend.path("/sessions/qr/login?accountID=x"))
            #expect(answer.text("message") == "this call has no accountID: did you mean accountid?")
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.names == ["loggedin"])
        }
    }

    @Test("What getServer answered may be sent back whole")
    func sendsBack() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let told = String(buffer: try await backend.send(.get, backend.path("/")).body)
            #expect(try await backend.send(.put, backend.path("/"), body: told).status == .ok)
        }
    }

    @Test("A 400 names the field for programs, wherever there is one")
    func fields() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for (method, rest, body, field) in [
                (.get, "/sessions/qr/login?s=99", nil, "s"), (.get, "/sessions/qr/enrol", nil, "name"),
                (.put, "/", #"{"pingTime":-1}"#, "pingTime"), (.put, "/", #"{"pingTime":"x"}"#, "pingTime"),
                (.put, "/", #"{"serverFlags":["NO"]}"#, "serverFlags"), (.put, "/", #"{"serverid":"x"}"#, "serverid"),
                (.post, "/sessions/page", "{}", "kind"), (.post, "/sessions/page", #"{"kind":"enrol","name":"A","announceinfo":{}}"#, "announceinfo"),
                (.post, "/sessions/page", #"{"kind":"enrol","name":"A","accountid":"x"}"#, "name"),
                (.post, "/sessions/page", #"{"kind":"enrol","name":""}"#, "name"),
                (.post, "/sessions/page", #"{"kind":"enrol","name":"A","userid":""}"#, "userid"),
                (.post, "/sessions/page", #"{"kind":"enrol","name":"A\nB"}"#, "name"),
                (.post, "/sessions/page", #"{"kind":"login","returnurl":"/a","userid":"alice"}"#, "userid"),
                (.post, "/sessions/page", #"{"kind":"login","returnurl":"javascript:1"}"#, "returnurl"),
                // Short enough by itself, and too long for an L2 with the origin in front of it.
                (.post, "/sessions/page", #"{"kind":"login","returnurl":"/\#(String(repeating: "a", count: 2_040))"}"#, "returnurl"),
                (.post, "/sessions/qr/login", #"{"announceinfo":{"logo":"!"}}"#, "announceinfo.logo"),
                (.post, "/sessions/qr/login", #"{"announceinfo":{"info":{"":"x"}}}"#, "announceinfo.info"),
            ] as [(HTTPRequest.Method, String, String?, String)] {
                let (status, answer) = try await backend.json(method, backend.path(rest), body: body)
                #expect(status == 400 && answer.text("field") == field, "\(rest) \(body ?? "")")
            }
            #expect(try await backend.json(.get, backend.path("/sessions/"), nonce: "short").object.text("field") == "X-nonce")
        }
    }

    @Test("An empty object says nothing: what was announced before stays")
    func emptyContext() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for body in [#"{"announceinfo":{"info":{"pay":"10 EUR"}}}"#, "{}"] {
                #expect(try await backend.send(.post, backend.path("/sessions/link/login"), body: body).status == .ok)
                let told = try await backend.json(.get, backend.path("/sessions/")).object.object("announceinfo")
                #expect(told?.object("info")?.text("pay") == "10 EUR")
            }
        }
    }

    @Test(
        "A call that has no body refuses one by the name of its first member, and does nothing; nothing at all, and {}, say nothing",
        arguments: [
            (#"{"accountid":"x"}"#, "unknown_field", "accountid"), (#"{"returncode":"AAAAAAAAAAAAAAAAAAAAAA","a":1}"#, "unknown_field", "a"),
            ("accountid=x", "bad_request", nil), ("[]", "bad_request", nil), ("null", "bad_request", nil), (" ", "bad_request", nil),
            ("", nil, nil), ("{}", nil, nil), (" {\n} ", nil, nil),
        ] as [(String, String?, String?)])
    func noBodies(body: String, error: String?, field: String?) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            _ = try await backend.send(.get, backend.path("/sessions/qr/login"))
            try await premises.logIn(account)
            let routes = premises.adminRoutes.table.filter { !$0.hasBody }
            #expect(routes.count == premises.adminRoutes.table.count - 23)
            for route in routes.sorted(by: { $0.method == .get && $1.method != .get }) {
                let path = route.path.replacing("{serverid}", with: premises.serverID.text).replacing("{accountid}", with: account.id.text)
                    .replacing("{userid}", with: "alice").replacing("{clientid}", with: "shop").replacing("{api}", with: "urn%3Aa")
                    .replacing("{role}", with: "clerk")
                let (status, answer) = try await backend.json(route.method, path, body: body)
                let lacks = ["name", "accountid"].contains(answer.text("field"))
                #expect((status == 400) == (error != nil) || lacks, "\(route.method) \(route.path): \(status)")
                guard let error else { continue }
                #expect(answer.text("error") == error && answer.text("field") == field, "\(route.method) \(route.path)")
            }
            guard error != nil else { return }
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.bool("loggedin") == true)
            #expect(try await backend.json(.get, backend.path("/accounts/\(account.id.text)/")).status == 200)
        }
    }

    @Test(
        "A member that is null is refused by its name, at every depth, and a text that only says so is a text",
        arguments: [
            (#"{"serverName":null}"#, "serverName"), (#"{"pingTime":600,"logo": null }"#, "logo"), (#"{"serverFlags":null}"#, "serverFlags"),
        ])
    func null(_ body: String, field: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (status, answer) = try await backend.json(.put, backend.path("/"), body: body)
            #expect(status == 400 && answer.text("error") == "bad_request" && answer.text("field") == field)
            #expect(try await backend.json(.put, backend.path("/"), body: #"{"serverName":"null"}"#).status == 200)
            let context = try await backend.send(.post, backend.path("/sessions/qr/login"), body: #"{"announceinfo":null}"#)
            #expect(context.status == .badRequest)
        }
    }

    @Test(
        "A member that comes twice is refused by its name, at every depth and however it is written, and nothing happens",
        arguments: [
            ("/", #"{"serverName":"A","serverName":"B"}"#, "serverName"), ("/", #"{"serverName":"A","server\u004eame":"A"}"#, "serverName"),
            ("/accounts/ACCOUNT/", #"{"blocked":true,"blocked":false}"#, "blocked"),
            ("/sessions/page", #"{"kind":"login","returnurl":"/a","kind":"login"}"#, "kind"),
            ("/sessions/qr/login", #"{"announceinfo":{"info":{"pay":"10 EUR","pay":"9000 EUR"}}}"#, "announceinfo.info.pay"),
            ("/sessions/qr/login", #"{"announceinfo":{"info":{"a":"1"}},"announceinfo":{"info":{}}}"#, "announceinfo"),
            ("/sessions/link/login", #"{"sessioninfo":{"ip":"::1", "info":{"a":"\"}]{,"}, "ip":"::1"}}"#, "sessioninfo.ip"),
        ] as [(String, String, String)])
    func repeatedMembers(rest: String, body: String, field: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBackend { (backend) async throws in
            let path = backend.path(rest.replacingOccurrences(of: "ACCOUNT", with: account.id.text))
            let before = String(buffer: try await backend.send(.get, backend.path("/")).body)
            let (status, answer) = try await backend.json(rest.hasPrefix("/sessions") ? .post : .put, path, body: body)
            #expect(status == 400 && answer.text("error") == "bad_request" && answer.text("field") == field)
            #expect(answer.text("message") == "\(field) comes more than once")
            #expect(try await backend.json(.get, backend.path("/sessions/")).object.names == ["loggedin"])
            #expect(String(buffer: try await backend.send(.get, backend.path("/")).body) == before)
            #expect(try await backend.json(.get, backend.path("/accounts/\(account.id.text)/")).object.bool("blocked") == false)
        }
    }

    @Test(
        "One name in several objects, in texts and in lists is no repetition",
        arguments: [
            #"{"announceinfo":{"info":{"info":"info","ip":"ip"},"ip":"::1"},"sessioninfo":{"info":{"ip":"\"ip\":\\"},"ip":"::1"}}"#,
            #"{"announceinfo":{"info":{"a":"a","b":"a"}}}"#,
        ])
    func namesAgain(body: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.send(.post, backend.path("/sessions/qr/login"), body: body).status == .ok)
            let flags = #"{"serverFlags":["STRICT_LINKS","NO_BIOMETRICS","STRICT_LINKS"],"serverName":"a, \"serverName\":"}"#
            #expect(try await backend.send(.put, backend.path("/"), body: flags).status == .ok)
        }
    }

    @Test("JSON in another encoding than UTF-8 is refused: what is looked for in it would not be found")
    func otherEncodings() {
        let body = Data(#"{"blocked":true,"blocked":false}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(throws: FieldRefusal.notJSON) { try JSONBody.decode(AdminAccountUpdate.self, from: Array(body)) }
        #expect(throws: FieldRefusal.notJSON) { try JSONBody.decode(AdminAccountUpdate.self, from: [0xFF, 0xFE] + Array(body)) }
    }

    @Test(
        "What a lenient decoder takes for JSON and is none is refused: a comma behind the last member or element, a byte order mark",
        arguments: [
            #"{"blocked":true,}"#, "{\"blocked\":true , \r\n\t}", "\u{FEFF}{\"blocked\":true}",
        ])
    func lenient(body: String) throws {
        #expect(throws: FieldRefusal.notJSON) { try JSONBody.decode(AdminAccountUpdate.self, from: Array(body.utf8)) }
        _ = try JSONBody.decode(AdminAccountUpdate.self, from: Array(#" {"blocked" : true } "#.utf8))
    }

    @Test("A comma behind the last element of a list is refused, and one in a text is a comma")
    func lenientList() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let path = backend.path("/")
            #expect(try await backend.send(.put, path, body: #"{"serverFlags":["STRICT_LINKS", ]}"#).status == .badRequest)
            #expect(try await backend.send(.put, path, body: #"{"serverName":"a,}","serverFlags":["STRICT_LINKS"]}"#).status == .ok)
        }
    }

    @Test("Every call about a server that does not exist is 404, whatever else is wrong with it", arguments: ["AAAAAAAAAAAAAAAAAAAAAA", "none"])
    func unknownServerFirst(id: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for route in premises.adminRoutes.table where route.path.contains("{serverid}") {
                let path = route.path.replacing("{serverid}", with: id).replacing("{accountid}", with: "none").replacing("{userid}", with: "alice")
                for (query, nonce, body) in [
                    ("", PagesFixture.nonce, nil), ("", "short", "[]"), ("?wrong=1", nil, #"{"wrong":1}"#), ("", PagesFixture.nonce, "{}"),
                ] {
                    let (status, answer) = try await backend.json(route.method, path + query, nonce: nonce, body: body)
                    #expect(status == 404, "\(route.method) \(route.path) \(body ?? "")")
                    #expect(answer.text("error") == "server_unknown", "\(route.method) \(route.path)")
                }
            }
        }
    }

    @Test("Every call about a server that does not exist is 404, getSession and logout too", arguments: ["AAAAAAAAAAAAAAAAAAAAAA", "none"])
    func unknownServer(id: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for (method, rest, body) in [
                (.get, "/sessions/", nil), (.post, "/sessions/logout", nil), (.get, "/sessions/qr/login", nil), (.get, "/sessions/link/login", nil),
                (.get, "/sessions/qr/enrol?name=A", nil), (.get, "/sessions/link/enrol?name=A", nil),
                (.post, "/sessions/page", #"{"kind":"login","returnurl":"https://shop.example/"}"#),
                (.post, "/sessions/return", #"{"returncode":"AAAAAAAAAAAAAAAAAAAAAA"}"#), (.get, "/", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let (status, answer) = try await backend.json(method, "/servers/\(id)\(rest)", body: body)
                #expect(status == 404 && answer.text("error") == "server_unknown", "\(rest)")
            }
        }
    }

    @Test("A 401 says how to authenticate")
    func challenge() async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            for key in [nil, "wrong"] {
                let answer = try await backend.send(.get, "/servers/", key: key)
                #expect(answer.status == .unauthorized && answer.headers[.wwwAuthenticate]?.hasPrefix("ApiKey ") == true)
            }
        }
    }
}
