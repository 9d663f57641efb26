import Foundation
import OstiaryProtocol

/// Keeps logins: secrets in the key store, under names that are never used twice, and the names in the document. Stopped anywhere, it leaves the old login or
/// the new one, whole.
///
/// Whoever changes anything holds the lock (`TokenTurn`); reading needs none.
struct TokenVault: Sendable {
    struct Kept: Sendable {
        let login: StoredTokens.Login
        let secret: LoginSecret
    }

    let documents: any AccountStore
    let keys: any KeyStore
    let random: any RandomSource

    func document() throws(TokenError) -> StoredTokens {
        let bytes: [UInt8]?
        do { bytes = try documents.read() } catch { throw .storeUnavailable }
        return try StoredTokens(decoding: bytes)
    }

    /// - Returns: nil where nobody is logged in.
    func kept(_ name: String) throws(TokenError) -> Kept? {
        guard let login = try document().login(name) else { return nil }
        return Kept(login: login, secret: try secret(of: login))
    }

    /// - Throws: `notLoggedIn` where the key store has it no more, as on a device to which the document came out of a backup.
    func secret(of login: StoredTokens.Login) throws(TokenError) -> LoginSecret {
        let bytes: [UInt8]
        do { bytes = try keys.secret(named: login.secret) } catch { throw TokenError(error) }
        guard let secret = try? JSONDecoder().decode(LoginSecret.self, from: Data(bytes)) else { throw .notLoggedIn }
        return secret
    }

    /// Puts a login in the place of what there is of it; when this returns it is durable.
    /// - Parameters:
    ///   - key: of its tokens; a draft becomes the login's.
    ///   - former: this login before a refresh; nil for another login, and the provider is to be told that the one that was there is over.
    /// - Returns: what the document has of it now; nil where `former`, or the draft, is there no more: nothing is kept then.
    @discardableResult
    func keep(_ secret: LoginSecret, as name: String, key: String?, renewing former: StoredTokens.Login?) throws(TokenError) -> StoredTokens.Login? {
        guard let bytes = try? JSONEncoder().encode(secret) else { throw .storeUnavailable }
        let fresh = StoredTokens.Login(login: name, secret: makeName(), key: key)
        try sweep(reserving: fresh.secret)
        do { try keys.store(Array(bytes), named: fresh.secret) } catch { throw TokenError(error) }
        var isKept = false
        try change { document in isKept = document.put(fresh, renewing: former) }
        destroyDiscarded()
        return isKept ? fresh : nil
    }

    /// Whether what a provider is about to give can be kept, by a change of the document: one that is made once, a refresh token, is not asked for where there
    /// is no room for it.
    func checkRoom() throws(TokenError) { try sweep(reserving: makeName()) }

    /// From now on nobody is logged in here. What the provider has still to be told of it stays, until `forget`.
    func end(_ name: String) throws(TokenError) {
        guard try document().login(name) != nil else { return }
        try change { document in
            document.ended += document.logins.filter { $0.login == name }
            document.logins.removeAll { $0.login == name }
        }
    }

    /// The provider knows, or never will: nothing of a login stays.
    func forget(_ login: StoredTokens.Login) throws(TokenError) {
        try change { document in
            document.ended.removeAll { $0 == login }
            document.logins.removeAll { $0 == login }
            document.discarded += [login.secret] + [login.key].compactMap { $0 }
        }
        destroyDiscarded()
    }

    /// Makes a device key for a login that is about to begin.
    func draftKey(at now: UInt64) throws(TokenError) -> String {
        let name = makeName()
        try sweep(reserving: nil)
        try change { document in document.drafts.append(StoredTokens.Draft(name: name, since: now)) }
        do { _ = try keys.makeDeviceKey(named: name) } catch { throw TokenError(error) }
        return name
    }

    /// A login that was begun came to nothing.
    func discardDraft(_ name: String) throws(TokenError) {
        try change { document in
            guard document.drafts.contains(where: { $0.name == name }) else { return }
            document.drafts.removeAll { $0.name == name }
            document.discarded.append(name)
        }
        destroyDiscarded()
    }

    /// Drafts of which nobody came back go as well.
    func dropOldDrafts(at now: UInt64) throws(TokenError) {
        let isOld = { (draft: StoredTokens.Draft) in draft.since > now || now - draft.since > StoredTokens.Draft.life }
        guard try document().drafts.contains(where: isOld) else { return }
        try change { document in
            document.discarded += document.drafts.filter(isOld).map(\.name)
            document.drafts.removeAll(where: isOld)
        }
        destroyDiscarded()
    }

    /// Nothing of any login stays here, and no provider is told. A damaged document is replaced: what it named can be found no more.
    func eraseAll() throws(TokenError) {
        do throws(TokenError) {
            try change { document in
                let all = document.logins + document.ended
                document.discarded += all.map(\.secret) + all.compactMap(\.key) + document.drafts.map(\.name)
                (document.logins, document.ended, document.drafts) = ([], [], [])
            }
        } catch {
            guard error == .storeUnreadable else { throw error }
            let empty = try StoredTokens().encoded()
            do { try documents.update { _ in empty } } catch { throw .storeUnavailable }
        }
        try sweep(reserving: nil)
    }

    /// Takes what is gone off the list, and puts a name on it before there is anything of that name.
    private func sweep(reserving name: String?) throws(TokenError) {
        let gone = destroyDiscarded()
        guard name != nil || !gone.isEmpty else { return }
        try change { document in
            document.discarded.removeAll { gone.contains($0) }
            if let name { document.discarded.append(name) }
        }
    }

    /// What the key store refuses to destroy is tried again at the next change.
    @discardableResult
    private func destroyDiscarded() -> Set<String> {
        guard let names = try? document().discarded else { return [] }
        return Set(names.filter { (try? keys.delete(named: $0)) != nil })
    }

    private func change(_ body: (inout StoredTokens) -> Void) throws(TokenError) {
        var failure: TokenError?
        do {
            try documents.update { old in
                do throws(TokenError) {
                    var document = try StoredTokens(decoding: old)
                    body(&document)
                    failure = nil
                    return try document.encoded()
                } catch {
                    failure = error
                    return nil
                }
            }
        } catch { throw .storeUnavailable }
        if let failure { throw failure }
    }

    private func makeName() -> String { "login-\(Hexadecimal.text(random.bytes(16)))" }
}

extension TokenError {
    /// What is gone for good ends the login, and what cannot be had now does not.
    init(_ error: KeyStoreError) {
        self =
            switch error {
            case .unknownName, .unreadable: .notLoggedIn
            case .badName, .unavailable, .tooOpen: .keyStore
            }
    }
}
