import OAuthProvider
import OstiaryTokens
import Testing

@Suite("Discovery, OpenID Connect Discovery §3 and RFC 8414 §2")
struct ProviderMetadataTests {
    private let json = ProviderMetadata(issuer: ProviderFixture.issuer).json

    @Test("What is required is there, and every address is the issuer's")
    func required() {
        for name in [
            "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported", "subject_types_supported",
            "id_token_signing_alg_values_supported",
        ] {
            #expect(json[name] != nil, "\(name)")
        }
        for member in json.members where member.name.hasSuffix("_endpoint") || member.name == "jwks_uri" {
            #expect(member.value.string?.hasPrefix("\(ProviderFixture.issuer)/") == true)
        }
        #expect(json["token_endpoint"] == .string("https://login.example/oauth/token"))
        #expect(json["registration_endpoint"] == nil)
    }

    @Test("RS256 is offered, S256 is the only challenge, and nothing is offered that is refused")
    func values() {
        #expect(json["id_token_signing_alg_values_supported"]?.strings?.contains("RS256") == true)
        #expect(json["code_challenge_methods_supported"]?.strings == ["S256"])
        #expect(json["response_types_supported"]?.strings == ["code"])
        #expect(json["response_modes_supported"]?.strings == ["query", "form_post"])
        #expect(json["dpop_signing_alg_values_supported"]?.strings == ["ES256", "EdDSA"])
        #expect(json["authorization_response_iss_parameter_supported"]?.bool == true)
        #expect(json["request_parameter_supported"]?.bool == false && json["request_uri_parameter_supported"]?.bool == false)
        #expect(json["introspection_endpoint_auth_methods_supported"]?.strings?.contains("none") == false)
        #expect(json["backchannel_token_delivery_modes_supported"]?.strings == ["poll", "ping"])
        #expect(json["acr_values_supported"]?.strings == ["sf", "mfa", "phr"])
        let grants = json["grant_types_supported"]?.strings ?? []
        #expect(grants.count == 6 && !grants.contains("password") && !grants.contains("implicit"))
    }
}
