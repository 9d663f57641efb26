import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryMobile
import OstiaryTestTraits
import Testing

/// An app that logs itself in and gets a token of the provider for it (RFC 8693): the proofs are the SDK's, and what looks at them are the servers.
@Suite("A token for an AppLogin, by the SDK and the provider", .onBothEngines, .timeLimit(.minutes(10)))
struct AppTokenJourneyTests {
    /// An app with its phone, which is logged in, and with the addresses that the provider tells.
    private struct App: Sendable {
        let world: ServersFixture
        let phone: FixturePhone
        let session: Session
        let webNonce: String
        let tokenAddress: URL
        let userInfoAddress: URL

        struct Answer: Sendable {
            let status: Int
            let json: JSONLine?
            var error: String? { json?["error"]?.string }
            func isError(_ word: String, _ status: Int = 400) -> Bool { self.status == status && error == word }
        }

        /// One more person of the same world, at a phone of their own.
        init(of user: String, in world: ServersFixture) async throws {
            self.world = world
            phone = try world.phone(user, bindsTokens: true)
            try await world.enrol(phone, user: user)
            session = try #require(try await phone.logInToApp().end.session)
            webNonce = try #require(session.webNonce)
            let metadata = try await Self.ask(world, .get, "/.well-known/openid-configuration", headers: [:])
            tokenAddress = try Self.address("token_endpoint", in: metadata)
            userInfoAddress = try Self.address("userinfo_endpoint", in: metadata)
        }

        private static func address(_ name: String, in metadata: Answer) throws -> URL {
            let text = try #require(metadata.json?[name]?.string)
            return try #require(URL(string: text))
        }

        private static func dpop() throws -> HTTPField.Name { try #require(HTTPField.Name("DPoP")) }

        private static func ask(
            _ world: ServersFixture, _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields, body: String? = nil
        ) async throws -> Answer {
            let answer = try await world.line.call(method, path, headers: headers, body: body)
            return Answer(status: answer.status.code, json: try? JSONLine(String(buffer: answer.body)))
        }

        func exchangeProof(for url: URL? = nil) async throws -> String {
            try await phone.ostiary.tokenProof(for: session, method: "POST", url: url ?? tokenAddress)
        }

        func userInfoProof(_ token: String, for url: URL? = nil) async throws -> String {
            try await phone.ostiary.tokenProof(for: session, method: "GET", url: url ?? userInfoAddress, accessToken: token)
        }

        func exchange(_ proof: String) async throws -> Answer {
            let form = [
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange", "client_id=app", "subject_token=\(webNonce)",
                "subject_token_type=urn%3Aostiary%3Aparams%3Aoauth%3Atoken-type%3Aweb-nonce", "scope=openid",
            ]
            var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let dpop = try Self.dpop()
            headers[dpop] = proof
            return try await Self.ask(world, .post, tokenAddress.path, headers: headers, body: form.joined(separator: "&"))
        }

        func userInfo(_ token: String, _ proof: String) async throws -> Answer {
            var headers: HTTPFields = [.authorization: "DPoP \(token)"]
            let dpop = try Self.dpop()
            headers[dpop] = proof
            return try await Self.ask(world, .get, userInfoAddress.path, headers: headers)
        }
    }

    /// A world whose provider knows one app, which the operator registered.
    private func run(_ body: @Sendable @escaping (ServersFixture) async throws -> Void) async throws {
        try await ServersFixture.run { world in
            let app = """
                {"kind":"native","client_name":"App","first_party":true,"token_endpoint_auth_method":"none",
                 "grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"]}
                """
            let written = try await world.backend.call(.put, "applications/app/", json: app)
            try #require(written.status == 200, "\(String(decoding: written.body, as: UTF8.self))")
            try await body(world)
        }
    }

    @Test("S0-18 an app sends its webNonce with a proof of its SDK, and has a token that userinfo takes with the next proof of that SDK")
    func thereAndBack() async throws {
        try await run { world in
            let app = try await App(of: "alice", in: world)
            let given = try await app.exchange(try await app.exchangeProof())
            #expect(given.status == 200 && given.json?["token_type"]?.string == "DPoP" && given.json?["refresh_token"] == nil, "\(given)")
            let token = try #require(given.json?["access_token"]?.string)
            let told = try await app.userInfo(token, try await app.userInfoProof(token))
            #expect(told.status == 200 && told.json?["sub"]?.string == "alice", "\(told)")
        }
    }

    @Test("The attacks with another phone's key, with a proof that was seen before, and with one for another address give nothing, at either end")
    func wrongProofs() async throws {
        try await run { world in
            let app = try await App(of: "alice", in: world)
            let thief = try await App(of: "bo", in: world)
            let elsewhere = try #require(URL(string: "https://thief.example\(app.tokenAddress.path)"))
            #expect(try await app.exchange(try await thief.exchangeProof()).isError("invalid_grant"))
            #expect(try await app.exchange(try await app.exchangeProof(for: elsewhere)).isError("invalid_dpop_proof"))
            #expect(try await app.exchange(try await app.exchangeProof(for: app.userInfoAddress)).isError("invalid_dpop_proof"))
            let proof = try await app.exchangeProof()
            let token = try #require(try await app.exchange(proof).json?["access_token"]?.string)
            #expect(try await app.exchange(proof).isError("invalid_dpop_proof"))

            #expect(try await app.userInfo(token, try await thief.userInfoProof(token)).isError("invalid_token", 401))
            let other = try await app.userInfoProof(token, for: app.tokenAddress)
            #expect(try await app.userInfo(token, other).isError("invalid_dpop_proof", 401))
            let shown = try await app.userInfoProof(token)
            #expect(try await app.userInfo(token, shown).status == 200)
            #expect(try await app.userInfo(token, shown).isError("invalid_dpop_proof", 401))
            // None of it ended what the owner has.
            #expect(try await app.userInfo(token, try await app.userInfoProof(token)).status == 200)
        }
    }

    @Test("S0-18 S0-22 the SDK exchanges by itself: a token with a profile, which userinfo takes until the logout, and no other after it")
    func byTheSDK() async throws {
        try await run { world in
            let app = try await App(of: "alice", in: world)
            let issuer = String(app.tokenAddress.absoluteString.dropLast(app.tokenAddress.path.count))
            let client = try app.phone.ostiary.tokenClient(TokenSettings(issuer: issuer, clientID: "app", scope: "openid"))
            let token = try await client.freshToken()
            #expect(token.kind == .dpop && token.hasScope("openid"))
            #expect(try await client.freshToken().value == token.value)
            #expect(try await client.credentials()?.profile?.subject == "alice")
            let fields = try token.fields(method: "GET", url: app.userInfoAddress)
            #expect(fields["Authorization"] == "DPoP \(token.value)")
            #expect(try await app.userInfo(token.value, try #require(fields["DPoP"])).status == 200)
            let late = try #require(try token.fields(method: "GET", url: app.userInfoAddress)["DPoP"])
            try await app.phone.ostiary.end(app.session)
            #expect(try await app.userInfo(token.value, late).isError("invalid_token", 401))
            await #expect(throws: TokenError.notLoggedIn) { try await client.freshToken() }
        }
    }

    @Test("S0-22 a logout on the phone ends the token at once, and its webNonce gives no other")
    func loggedOut() async throws {
        try await run { world in
            let app = try await App(of: "alice", in: world)
            let token = try #require(try await app.exchange(try await app.exchangeProof()).json?["access_token"]?.string)
            #expect(try await app.userInfo(token, try await app.userInfoProof(token)).status == 200)
            // Made before, as a thief of proofs would have them: after it the SDK makes none.
            let forToken = try await app.exchangeProof()
            let forUserInfo = try await app.userInfoProof(token)
            try await app.phone.ostiary.end(app.session)
            #expect(try await app.userInfo(token, forUserInfo).isError("invalid_token", 401))
            #expect(try await app.exchange(forToken).isError("invalid_grant"))
            await #expect(throws: OstiaryError.wrongOrder) { try await app.exchangeProof() }
        }
    }
}
