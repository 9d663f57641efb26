import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import OAuthProvider

@Suite("What a client may say of itself, RFC 7591 §2")
struct ClientMetadataTests {
    private static let api = APIIdentifier("https://api.example/things")!
    private static let usual = #""redirect_uris":["https://rp.example/cb"],"client_name":"Tool""#

    /// What comes of metadata, under a policy that opens two scopes of one API.
    private func application(_ json: String) throws(RegistrationRefusal) -> Application {
        var policy = RegistrationPolicy(server: ProviderFixture.server)
        policy.mode = .open
        policy.apis = [Self.api: ProviderFixture.scope("read write")]
        guard let id = ClientID("registered.1"), let members = try? JSONReader.object(Array(json.utf8)) else { throw .bodyWrong }
        var application = try ClientMetadata(members: members).application(id, under: policy, signedBy: [.es256, .rs256])
        if application.authentication.needsSecret { application.secrets = [ClientSecret(hash: [1], expiresAt: nil)] }
        do { try ApplicationRules.check(application) } catch { throw RegistrationRefusal(error) }
        return application
    }

    private func refusal(_ json: String) -> RegistrationRefusal? {
        do { _ = try application(json) } catch { return error }
        return nil
    }

    @Test("What is left out is as the RFC says: a website with a secret and codes; of the APIs it has what was opened, and it is a third party's")
    func defaults() throws {
        let application = try application("{\(Self.usual)}")
        #expect(application.kind == .web && application.authentication == .basic && application.grantTypes == [.authorizationCode])
        #expect(application.apis == [Self.api: ProviderFixture.scope("read write")] && application.serves.isEmpty)
        #expect(!application.isFirstParty && application.isEnabled && application.name == "Tool" && application.siteURL == "https://rp.example")
        #expect(application.idTokenAlgorithm == .es256 && application.backchannel == nil && application.refreshLife == .unlimited)
        #expect(try self.application(#"{"redirect_uris":["https://rp.example/cb"]}"#).name == "registered.1")
    }

    @Test("What is not known here is ignored, and what would have us call or lead somewhere, or make it the operator's own, is not known")
    func ignored() throws {
        let json = """
            {\(Self.usual),"first_party":true,"serves":["\(Self.api.text)"],"apis":{"urn:other":["admin"]},"refresh_lifetime":0,"enabled":false,
            "backchannel_logout_uri":"https://inside.example/","backchannel_client_notification_endpoint":"https://inside.example/",
            "logo_uri":"https://inside.example/","post_logout_redirect_uris":["https://rp.example/bye"],"contacts":["a@b"],"client_id":"shop","client_secret":"mine","software_statement":"x","kind":"machine"}
            """
        #expect(try application(json) == application("{\(Self.usual)}"))
    }

    @Test(
        "redirect-uri-regfrag, and where else codes go: https for a website; of an app its own scheme with a domain, or a loopback address; nothing else, and nothing twice",
        arguments: [
            (#"["https://rp.example/cb","https://rp.example/cb"]"#, 1), (#"["http://rp.example/cb"]"#, 0), (#"["https://rp.example/#a"]"#, 0),
            (#"["https://a@rp.example/"]"#, 0), (#"["javascript:alert(1)"]"#, 0), (#"["data:text/html,x"]"#, 0), (#"["myapp:/cb"]"#, 0),
            (#"["http://localhost:8080/cb"]"#, 0), (#"["https://rp.example/cb","http://localhost/cb"]"#, 1), (#"["/cb"]"#, 0), (#"[""]"#, 0),
            (#"["https://rp.example:99999/cb"]"#, 0), (#"["https://rp.example/cb","https://rp.example:0/cb"]"#, 1),
            (#"["http://127.0.0.1:0/cb"]"#, 0),
        ])
    func redirectsRefused(uris: String, index: Int) {
        for type in ["", #","application_type":"native""#] {
            guard case .redirect(index, _)? = refusal(#"{"redirect_uris":\#(uris)\#(type)}"#) else {
                Issue.record("\(uris)\(type) was taken")
                return
            }
        }
    }

    @Test("A list that is none, and one that is missing, are the addresses' fault; device code needs none")
    func redirectsMissing() throws {
        for json in [
            "{}", #"{"redirect_uris":[]}"#, #"{"redirect_uris":null}"#, #"{"redirect_uris":"https://rp.example/cb"}"#, #"{"redirect_uris":[1]}"#,
        ] {
            guard case .redirect(nil, _)? = refusal(json) else {
                Issue.record("\(json) was taken")
                return
            }
            #expect(refusal(json)?.code == .invalidRedirectURI)
        }
        let tv = #"{"grant_types":["urn:ietf:params:oauth:grant-type:device_code","refresh_token"],"token_endpoint_auth_method":"none"}"#
        #expect(try application(tv).kind == .native && application(tv).redirectURIs.isEmpty)
    }

    @Test("What an app is can be seen by its addresses; a website that calls itself one has no address of apps")
    func kinds() throws {
        let ending = #","token_endpoint_auth_method":"none"}"#
        for uri in ["http://127.0.0.1/cb", "http://[::1]:4000/cb", "com.example.tool:/cb"] {
            let app = try application(#"{"redirect_uris":["\#(uri)"]"# + ending)
            #expect(app.kind == .native && app.redirectURIs[0].kind.isClaimable && app.siteURL.isEmpty)
            #expect(refusal(#"{"redirect_uris":["\#(uri)"],"application_type":"web""# + ending)?.code == .invalidRedirectURI)
        }
        #expect(try application("{\(Self.usual),\"application_type\":\"native\"}").kind == .native)
        #expect(refusal("{\(Self.usual),\"application_type\":\"machine\"}")?.code == .invalidClientMetadata)
    }

    @Test(
        "What is known and not to be had is refused by the name of its member",
        arguments: [
            (#""grant_types":["client_credentials"]"#, "grant_types"), (#""grant_types":["urn:openid:params:grant-type:ciba"]"#, "grant_types"),
            (#""grant_types":["urn:ietf:params:oauth:grant-type:token-exchange","authorization_code"]"#, "grant_types"),
            (#""grant_types":["authorization_code","implicit"]"#, "grant_types"), (#""grant_types":["password"]"#, "grant_types"),
            (#""grant_types":[]"#, "grant_types"), (#""grant_types":"authorization_code""#, "grant_types"),
            (#""response_types":["token"]"#, "response_types"), (#""response_types":["code","code id_token"]"#, "response_types"),
            (#""response_types":[]"#, "response_types"), (#""token_endpoint_auth_method":"tls_client_auth""#, "token_endpoint_auth_method"),
            (#""token_endpoint_auth_method":"private_key_jwt""#, "jwks"),
            (#""token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://inside.example/""#, "jwks_uri"),
            (#""token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[]}"#, "jwks"),
            (#""token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[{"kty":"oct","k":"AAAA"}]}"#, "jwks"),
            (#""client_name":"two\nlines""#, "client_name"), (#""client_name":" ""#, "client_name"), (#""client_name":7"#, "client_name"),
            (#""client_uri":"https://bank.example""#, "client_uri"), (#""client_uri":"https://rp.example.evil.example/""#, "client_uri"),
            (#""client_uri":"https://rp.example@evil.example/""#, "client_uri"), (#""scope":"read  write""#, "scope"),
            (#""id_token_signed_response_alg":"EdDSA""#, "id_token_signed_response_alg"),
            (#""id_token_signed_response_alg":"none""#, "id_token_signed_response_alg"),
            (#""dpop_bound_access_tokens":"yes""#, "dpop_bound_access_tokens"),
        ])
    func refused(members: String, name: String) {
        guard case .metadata(name, _)? = refusal("{\"redirect_uris\":[\"https://rp.example/cb\"],\(members)}") else {
            Issue.record("\(members): \(String(describing: refusal("{\"redirect_uris\":[\"https://rp.example/cb\"],\(members)}")))")
            return
        }
    }

    @Test("A site is https, or http to this machine, also one that nobody is shown", arguments: ["client_uri", "logo_uri", "policy_uri", "tos_uri"])
    func sites(member: String) throws {
        let app = #""redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none""#
        for address in [
            "javascript:alert(1)", "data:text/html,x", "http://rp.example/", "com.example.app:/home", "rp.example", "", "#https://rp.example/",
            "https://rp.example@evil.example/", "https://rp.example:0/", "https://",
        ] {
            for usual in [Self.usual, app] {
                guard case .metadata(member, _)? = refusal("{\(usual),\"\(member)\":\"\(address)\"}") else {
                    Issue.record("\(member) \(address) was taken")
                    continue
                }
            }
        }
        #expect(refusal("{\(app),\"\(member)\":7}")?.code == .invalidClientMetadata)
        for address in ["https://rp.example/about", "https://rp.example/terms#privacy", "http://127.0.0.1:3000/about", "http://localhost/"] {
            #expect(try application("{\(app),\"\(member)\":\"\(address)\"}") == application("{\(app)}"))
        }
        #expect(try application("{\(Self.usual),\"\(member)\":\"https://rp.example/about\"}") == application("{\(Self.usual)}"))
        #expect(try application("{\(Self.usual),\"\(member)\":null}") == application("{\(Self.usual)}"))
    }

    @Test("What people are shown beside the name is the one origin that gets the codes: a stranger's beside a bank's is refused, in either order")
    func site() throws {
        let two = #""redirect_uris":["https://rp.example:8443/cb","https://rp.example:8443/other"]"#
        #expect(try application("{\(two)}").siteURL == "https://rp.example:8443")
        #expect(try application("{\(two),\"client_uri\":\"https://rp.example:8443/about\"}").siteURL == "https://rp.example:8443")
        let bank = "https://bank.example/cb"
        for other in [
            "https://evil.example/cb", "https://bank.example:8443/cb", "com.evil.app:/cb", "http://127.0.0.1/cb", "https://a_b.example/cb",
            "https://*.evil.example/cb", "https://bank.example./cb",
        ] {
            for pair in [[bank, other], [other, bank]] {
                for more in ["", #","client_uri":"https://bank.example""#, #","application_type":"native""#] {
                    let json = #"{"redirect_uris":["\#(pair[0])","\#(pair[1])"]\#(more)}"#
                    #expect(refusal(json)?.code == .invalidRedirectURI, "\(json)")
                }
            }
        }
        // What can't be shown is no site.
        #expect(refusal(#"{"redirect_uris":["https://*.evil.example/cb"]}"#)?.code == .invalidRedirectURI)
        // An app's site can't be seen by its addresses, so none is shown.
        let app = #"{"redirect_uris":["http://127.0.0.1/cb"],"client_uri":"https://bank.example","token_endpoint_auth_method":"none"}"#
        #expect(try application(app).siteURL.isEmpty)
    }

    @Test("A scope says less than what was opened, and never more")
    func scopes() throws {
        #expect(try application("{\(Self.usual),\"scope\":\"openid read delete\"}").apis == [Self.api: ProviderFixture.scope("read")])
        #expect(try application("{\(Self.usual),\"scope\":\"openid\"}").apis.isEmpty)
        #expect(try application("{\(Self.usual),\"scope\":\"\"}").apis.isEmpty)
    }

    @Test("A client shows who it is by a key of its own; a private one is refused")
    func keys() throws {
        let signer = try ProviderFixture.phoneKey(7)
        let jwk = String(decoding: signer.key.json.encoded, as: UTF8.self)
        let method = #""token_endpoint_auth_method":"private_key_jwt""#
        #expect(try application("{\(Self.usual),\(method),\"jwks\":{\"keys\":[\(jwk)]}}").keys.keys.map(\.thumbprint) == [signer.key.thumbprint])
        var whole = signer.key.json
        whole["d"] = .string(Base64URL.encode([UInt8](repeating: 7, count: 32)))
        let leaked = "{\(Self.usual),\(method),\"jwks\":{\"keys\":[\(String(decoding: whole.encoded, as: UTF8.self))]}}"
        #expect(refusal(leaked) == .metadata("jwks", "has a private key: make a new pair"))
        // Another way to show it needs none, and keeps none.
        #expect(try application("{\(Self.usual),\"jwks\":{\"keys\":[\(jwk)]}}").keys.keys.isEmpty)
    }
}
