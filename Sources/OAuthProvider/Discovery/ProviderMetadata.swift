import OstiaryTokens

/// What the provider says of itself, the same text at both of its addresses (OpenID Connect Discovery §3, RFC 8414 §2).
package struct ProviderMetadata: Equatable, Sendable {
    /// `iss`, without a slash at its end.
    package let issuer: String
    /// Whether clients may register themselves (RFC 7591).
    package let hasRegistration: Bool

    package init(issuer: String, hasRegistration: Bool = false) {
        self.issuer = issuer
        self.hasRegistration = hasRegistration
    }

    package func address(_ path: ProviderPath) -> String { path.address(at: issuer) }

    package var json: JSONObject {
        var object = endpoints
        let clientMethods = ClientAuthenticationMethod.allCases.map(\.rawValue)
        let algorithms = JSONValue.strings(SignatureAlgorithm.allCases.map(\.rawValue))
        for name in ["token", "introspection", "revocation"] {
            // Who keeps no secret may revoke its own tokens, and learns of no other's.
            object["\(name)_endpoint_auth_methods_supported"] = .strings(
                name == "introspection" ? clientMethods.filter { $0 != "none" } : clientMethods)
            object["\(name)_endpoint_auth_signing_alg_values_supported"] = algorithms
        }
        object["response_types_supported"] = .strings(["code"])
        object["response_modes_supported"] = .strings(ResponseMode.allCases.map(\.rawValue))
        object["grant_types_supported"] = .strings(GrantType.allCases.map(\.rawValue))
        object["subject_types_supported"] = .strings(["public"])
        // What an application may ask for, RS256 in any case (OpenID Connect Discovery §3), whether or not one has: its key is made when the first does.
        object["id_token_signing_alg_values_supported"] = algorithms
        object["scopes_supported"] = .strings(Scope.identity.scopes.map(\.text))
        object["claims_supported"] = .strings([
            "iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce", "sid", "name", "picture", "email", "email_verified",
        ])
        object["acr_values_supported"] = .strings(LoginStrength.allCases.map(\.rawValue))
        object["prompt_values_supported"] = .strings(AuthorizationRequest.Prompt.allCases.map(\.rawValue))
        object["code_challenge_methods_supported"] = .strings(["S256"])
        object["dpop_signing_alg_values_supported"] = .strings(UnverifiedDPoPProof.algorithms.map(\.rawValue).sorted())
        object["authorization_response_iss_parameter_supported"] = .bool(true)
        object["claims_parameter_supported"] = .bool(true)
        object["request_parameter_supported"] = .bool(false)
        object["request_uri_parameter_supported"] = .bool(false)
        object["require_pushed_authorization_requests"] = .bool(false)
        object["backchannel_token_delivery_modes_supported"] = .strings(["poll", "ping"])
        object["backchannel_user_code_parameter_supported"] = .bool(false)
        object["backchannel_logout_supported"] = .bool(true)
        object["backchannel_logout_session_supported"] = .bool(true)
        return object
    }

    private var endpoints: JSONObject {
        JSONObject([
            "issuer": .string(issuer), "authorization_endpoint": .string(address(.authorization)), "token_endpoint": .string(address(.token)),
            "pushed_authorization_request_endpoint": .string(address(.pushedRequests)),
            "device_authorization_endpoint": .string(address(.deviceAuthorization)),
            "backchannel_authentication_endpoint": .string(address(.backchannelAuthentication)),
            "introspection_endpoint": .string(address(.introspection)), "revocation_endpoint": .string(address(.revocation)),
            "userinfo_endpoint": .string(address(.userInfo)), "jwks_uri": .string(address(.keys)),
            "end_session_endpoint": .string(address(.endSession)),
            "registration_endpoint": hasRegistration ? .string(address(.registration)) : nil,
        ])
    }
}
