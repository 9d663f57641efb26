extension Ostiary {
    /// A client of tokens over the ports of this SDK, for a person who logs in to the app by an AppLogin: it exchanges the webNonce for a token without a browser
    /// (RFC 8693), anew whenever the last one ends, as long as the login goes on. A login in a browser, which it can do as well, comes first.
    ///
    /// Make one and keep it.
    /// - Throws: `notConfigured`.
    public func tokenClient(_ settings: TokenSettings) throws(OstiaryError) -> TokenClient { try core(for: .system).tokenClient(settings) }
}
