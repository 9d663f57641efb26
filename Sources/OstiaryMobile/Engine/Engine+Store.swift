import Foundation
import OstiaryProtocol

/// The account document: read before a flow, changed under the store's lock, so that processes that share a home keep each other's accounts.
extension Engine {
    func reread() throws(OstiaryError) {
        stored = nil
        do { stored = try StoredState(decoding: try ports.accounts.read()) } catch let error as OstiaryError { throw error } catch {
            throw .storeUnavailable
        }
        rereadHistory()
        publish()
    }

    /// Changes the document as it is on the disk now. When this returns, the change is durable; when it throws, nothing changed.
    @discardableResult
    func write<Value>(_ body: (inout StoredState) throws(OstiaryError) -> Value) throws(OstiaryError) -> Value {
        var outcome: Result<(StoredState, Value), OstiaryError> = .failure(.storeUnavailable)
        do throws(AccountStoreError) {
            try ports.accounts.update { old in
                do throws(OstiaryError) {
                    var state = try StoredState(decoding: old)
                    let value = try body(&state)
                    let new = try state.encoded()
                    outcome = .success((state, value))
                    return new
                } catch {
                    outcome = .failure(error)
                    return nil
                }
            }
        } catch {
            throw .storeUnavailable
        }
        let (state, value) = try outcome.get()
        stored = state
        publish()
        return value
    }

    /// The document as it was read last.
    func known() throws(OstiaryError) -> StoredState {
        guard let stored else { throw .storeUnreadable }
        return stored
    }

    /// The newest word of a server about one-time codes counts, for each of its accounts here. One that cannot be written down is told again.
    func note(offlineCodes length: OfflineCodeLength?, by id: AccountID) {
        guard let rootHash = stored?.account(id)?.rootHash, stored?.accounts.contains(where: { $0.isToldOther(length, by: rootHash) }) == true
        else { return }
        _ = try? write { (state) throws(OstiaryError) in
            for index in state.accounts.indices where state.accounts[index].isToldOther(length, by: rootHash) {
                state.accounts[index].offlineCodes = length?.rawValue
            }
        }
    }

    /// A name for a new key or secret.
    func makeName(_ kind: String) -> String { "\(kind)-\(Hexadecimal.text(random.bytes(16)))" }

    /// Keys first, document second would forget a key at a crash; so the names go to `discarded`, and from there they are destroyed.
    func destroyDiscarded() {
        guard let names = stored?.discarded, !names.isEmpty else { return }
        let gone = names.filter { (try? ports.keys.delete(named: $0)) != nil }
        _ = try? write { (state) throws(OstiaryError) in state.discarded.removeAll { gone.contains($0) } }
    }
}

/// Key store calls with the SDK's errors.
extension Engine {
    func keyStore<Value>(_ body: (any KeyStore) throws(KeyStoreError) -> Value) throws(OstiaryError) -> Value {
        do throws(KeyStoreError) { return try body(ports.keys) } catch { throw .keyStore }
    }

    /// A message signed by the device key of this name.
    func sign<Message: DeviceSigned>(
        _ message: Message, with keyName: String, freshness: [UInt8] = []
    ) throws(OstiaryError) -> Encoded<Message> {
        try Encoded(message, freshness: freshness) { (bytes) throws(OstiaryError) in
            try keyStore { (keys) throws(KeyStoreError) in try keys.sign(bytes, withKeyNamed: keyName) }
        }
    }
}

extension StoredAccount {
    fileprivate func isToldOther(_ length: OfflineCodeLength?, by server: StoredBytes) -> Bool {
        rootHash == server && offlineCodes != length?.rawValue
    }
}
