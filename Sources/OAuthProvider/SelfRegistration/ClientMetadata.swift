import Authentication
import OstiaryProtocol
import OstiaryTokens

/// What a client says of itself (RFC 7591 §2, OpenID Connect Registration §2). What is not known here is ignored, as both say; what is known and not
/// to be had is refused, so that no client believes that it has it.
struct ClientMetadata {
    /// The ways to a token that a person gives; a machine's, and one that makes phones ring, an operator gives.
    static let grantTypes: Set<GrantType> = [.authorizationCode, .refreshToken, .deviceCode]
    private static let mostKeys = 16
    /// The members that are sites (RFC 7591 §2), of which only the first is read.
    private static let sites = ["client_uri", "logo_uri", "policy_uri", "tos_uri"]

    let members: JSONObject

    /// The application that it asks for, without a secret: a third party's, which serves no API, whose backend nobody calls, and to which a logout leads
    /// nobody.
    /// - Parameter algorithms: that sign here.
    func application(
        _ id: ClientID, under policy: RegistrationPolicy, signedBy algorithms: Set<SignatureAlgorithm>
    ) throws(RegistrationRefusal) -> Application {
        try checkSites()
        let grants = try grantTypes()
        let addresses = try texts("redirect_uris") ?? []
        let kind = try kind(addresses)
        let redirects = try redirects(addresses, of: kind)
        var application = Application(
            id: id, server: policy.server, kind: kind, name: try text("client_name") ?? id.text,
            authentication: try word("token_endpoint_auth_method") ?? .basic)
        application.redirectURIs = redirects
        application.siteURL = try site(redirects)
        application.grantTypes = grants
        application.apis = try apis(policy)
        if application.authentication == .privateKeyJWT { application.keys = try keys() }
        application.requiresDPoP = try bool("dpop_bound_access_tokens")
        application.requiresPushedRequests = try bool("require_pushed_authorization_requests")
        let algorithm: SignatureAlgorithm? = try word("id_token_signed_response_alg")
        guard algorithm.map(algorithms.contains) ?? true else { throw .metadata("id_token_signed_response_alg", "is none that signs here") }
        application.idTokenAlgorithm = algorithm ?? .es256
        return application
    }

    private func grantTypes() throws(RegistrationRefusal) -> Set<GrantType> {
        let words = try texts("grant_types") ?? [GrantType.authorizationCode.rawValue]
        let types = Set(words.compactMap { GrantType(rawValue: $0) }.filter(Self.grantTypes.contains))
        guard !words.isEmpty, types.count == Set(words).count else {
            throw .metadata("grant_types", "is of authorization_code, refresh_token and device_code")
        }
        let usesCodes = types.contains(.authorizationCode)
        guard Set(try texts("response_types") ?? (usesCodes ? ["code"] : [])) == (usesCodes ? ["code"] : []) else {
            throw .metadata("response_types", "is code, for authorization_code, and nothing else")
        }
        return types
    }

    /// `application_type`; where it is left out, what the addresses can only be.
    private func kind(_ addresses: [String]) throws(RegistrationRefusal) -> Application.Kind {
        switch try text("application_type") {
        case "web": .web
        case "native": .native
        case nil: !addresses.isEmpty && addresses.allSatisfy { $0.hasPrefix("https://") } ? .web : .native
        case .some: throw .metadata("application_type", "is web or native")
        }
    }

    private func redirects(_ addresses: [String], of kind: Application.Kind) throws(RegistrationRefusal) -> [RedirectURI] {
        var redirects: [RedirectURI] = []
        for (index, address) in addresses.enumerated() {
            let redirect: RedirectURI
            do { redirect = try RedirectURI(registering: address, ofApp: kind == .native) } catch {
                throw .redirect(index, "is not https, nor of an app: its own scheme with a domain, or http to 127.0.0.1 or [::1]")
            }
            // Of a site that is being worked on its operator knows; any program of a machine can have the port, and nobody would be asked.
            guard redirect.kind != .localhost else { throw .redirect(index, "is http to this machine: native clients have 127.0.0.1 and [::1]") }
            guard !redirects.contains(redirect) else { throw .redirect(index, "is there twice") }
            redirects.append(redirect)
        }
        try checkOneSite(redirects)
        return redirects
    }

    /// Every code goes to the site that people are shown: with a second one, or an app's address beside it, a stranger would show theirs and send the codes
    /// to another.
    private func checkOneSite(_ redirects: [RedirectURI]) throws(RegistrationRefusal) {
        guard redirects.contains(where: { $0.kind == .https }) else { return }
        let origins = redirects.map { $0.kind == .https ? FrameOrigin(of: $0.text) : nil }
        for (index, origin) in origins.enumerated() {
            guard let origin, origin == origins[0] else {
                throw .redirect(
                    index, "is not at the one site of this client, or its host can't be shown: register a client for each site, and for an app")
            }
        }
    }

    /// What people may be sent to is for browsers, whether or not anybody is sent there by us: a client that registers `javascript:` as its site does so at
    /// others too, and hears that it is none.
    private func checkSites() throws(RegistrationRefusal) {
        for name in Self.sites {
            guard let address = try text(name) else { continue }
            guard (try? RedirectURI(registering: String(address.prefix { $0 != "#" }), ofApp: false)) != nil else {
                throw .metadata(name, "is https, or http to this machine")
            }
        }
    }

    /// The origin that people are shown beside the name, which gets the codes (RFC 7591 §5): a name is anybody's, and so would be a site.
    private func site(_ redirects: [RedirectURI]) throws(RegistrationRefusal) -> String {
        guard let redirect = redirects.first, redirect.kind == .https, let origin = FrameOrigin(of: redirect.text) else { return "" }
        guard let address = try text("client_uri") else { return origin.text }
        guard FrameOrigin(of: address) == origin else { throw .metadata("client_uri", "is not at the origin of redirect_uris") }
        return origin.text
    }

    /// What the operator opened; with `scope` no more of it than that.
    private func apis(_ policy: RegistrationPolicy) throws(RegistrationRefusal) -> [APIIdentifier: ScopeSet] {
        guard let text = try text("scope") else { return policy.apis }
        let asked: ScopeSet
        do { asked = try ScopeSet(parsing: text) } catch { throw .metadata("scope", "is not a list of scopes") }
        return policy.apis.mapValues { $0.intersection(asked) }.filter { !$0.value.isEmpty }
    }

    private func keys() throws(RegistrationRefusal) -> JWKSet {
        guard members["jwks_uri"] == nil else { throw .metadata("jwks_uri", "is not read: give the keys in jwks") }
        guard let entries = members["jwks"]?.object?["keys"]?.array else { throw .metadata("jwks", "is missing") }
        guard entries.count <= Self.mostKeys else { throw .metadata("jwks", "has more than \(Self.mostKeys) keys") }
        var keys: [JWK] = []
        for entry in entries {
            guard let object = entry.object else { throw .metadata("jwks", "has something that is no key") }
            do { keys.append(try JWK(object)) } catch {
                guard error != .privateKey else { throw .metadata("jwks", "has a private key: make a new pair") }
            }
        }
        return JWKSet(keys)
    }
}

/// Members by what they are. One that is null counts as left out.
extension ClientMetadata {
    private func member(_ name: String) -> JSONValue? { members[name] == .null ? nil : members[name] }

    private func text(_ name: String) throws(RegistrationRefusal) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.string else { throw .metadata(name, "is a string") }
        return text
    }

    private func texts(_ name: String) throws(RegistrationRefusal) -> [String]? {
        guard let value = member(name) else { return nil }
        guard let texts = value.strings else {
            throw name == "redirect_uris" ? .redirect(nil, "is a list of strings") : .metadata(name, "is a list of strings")
        }
        return texts
    }

    private func bool(_ name: String) throws(RegistrationRefusal) -> Bool {
        guard let value = member(name) else { return false }
        guard let bool = value.bool else { throw .metadata(name, "is true or false") }
        return bool
    }

    private func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String) throws(RegistrationRefusal) -> Word? {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw .metadata(name, "is one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }
}
