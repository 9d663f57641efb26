extension ResourceSettingsError: CustomStringConvertible {
    /// One line, for whoever starts the API: which setting, and what it should be. No secret stands in it.
    public var description: String {
        switch self {
        // With a name before the host there may be a password.
        case .address(let text) where text.contains("@"): "an address has a name before its host, which is not to be there"
        case .address(let text): "\"\(text)\" is no address that is called: https, or http to this machine, with a host, and without a fragment"
        case .nothingTaken: "neither tokens nor webNonces are taken: set a provider with jwt or introspection, or webNonce"
        case .audienceEmpty: "the audience is empty: it is the identifier of this API at its provider"
        case .algorithmsEmpty: "no algorithm of tokens is allowed"
        case .keysWrong: "the keys are no JWK Set, or none of them is of a kind that is known here"
        case .recheckNeedsIntrospection: "recheckedEvery is set, and introspection is not: nobody could be asked"
        case .toleranceTooLong: "clockTolerance is more than 60 seconds"
        case .nonceKeyWrong: "nonceKey has to have 32 bytes"
        case .nameWrong(let name): "\(name) is no name of a header field, or no id of a server"
        case .clientKeyWrong: "the client's key is none in PEM, not encrypted, of P-256, Ed25519, or RSA with 2048 to 4096 bits"
        case .apiKeyWrong: "the API key is none that a header field can carry"
        }
    }
}
