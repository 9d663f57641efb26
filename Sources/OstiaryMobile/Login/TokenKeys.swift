import OstiaryProtocol

/// The key that an AppLogin names for tokens (protocol §6).
extension Engine {
    /// The key of an account, made at its first AppLogin where the app binds tokens; nil where it does not.
    ///
    /// It is none that signs AP1: whoever has tokens made may have it sign what they like, and must not come by a login that way.
    func tokenKey(of account: AccountID) throws(OstiaryError) -> TokenKey? {
        guard configuration.bindsTokens else { return nil }
        let name = try tokenKeyName(of: account)
        let publicKey = try keyStore { (keys) throws(KeyStoreError) in
            do throws(KeyStoreError) { return try keys.publicKey(named: name) } catch {
                guard error == .unknownName else { throw error }
                return try keys.makeDeviceKey(named: name)
            }
        }
        return TokenKey(publicKey: publicKey)
    }

    /// The name is stored before there is a key, so that no crash leaves one that nothing names.
    private func tokenKeyName(of id: AccountID) throws(OstiaryError) -> String {
        if let name = try known().account(id)?.tokenKeyName { return name }
        let fresh = makeName("tokens")
        return try write { (state) throws(OstiaryError) in
            guard let account = state.account(id) else { throw .accountDeleted }
            // Of another process of this phone.
            if let name = account.tokenKeyName { return name }
            state.setAccount(id) { $0.tokenKeyName = fresh }
            return fresh
        }
    }
}
