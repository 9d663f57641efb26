import OstiaryProtocol
import OstiaryTokens

/// Where the keys of a provider come from.
enum KeyOrigin: Sendable {
    /// `jwks_uri` of its metadata.
    case discovered
    case address(ProviderAddress)
    case fixed(JWKSet)
}

/// A provider's metadata and keys, fetched when they are due.
struct ProviderSource: Sendable {
    /// Seconds for which metadata is used without a look: addresses hardly change.
    static let documentLife: UInt64 = 3_600
    /// Seconds for which keys are. A key that is withdrawn is refused after as long.
    static let keyLife: UInt64 = 600
    /// Bytes that a set of keys may have, and how many keys.
    static let mostBytes = 262_144
    static let mostKeys = 100

    private let document: Fetched<ProviderDocument>
    private let keys: Keys

    private enum Keys: Sendable {
        case fixed(JWKSet)
        case fetched(Fetched<JWKSet>)
    }

    init(_ issuer: ProviderAddress, keys origin: KeyOrigin, calls: any ResourceCalls, now: @escaping @Sendable () -> Instant) {
        let document = Fetched(life: Self.documentLife, now: now) { () async throws(Outage) in
            try await ProviderDocument.fetch(of: issuer, by: calls)
        }
        self.document = document
        switch origin {
        case .fixed(let set): keys = .fixed(set)
        case .address(let address):
            keys = .fetched(Fetched(life: Self.keyLife, now: now) { () async throws(Outage) in try await Self.keys(at: address, by: calls) })
        case .discovered:
            keys = .fetched(
                Fetched(life: Self.keyLife, now: now) { () async throws(Outage) in
                    guard let address = try await document.value(lacks: { $0.keys == nil }).keys else { throw .addressMissing }
                    return try await Self.keys(at: address, by: calls)
                })
        }
    }

    /// The keys among which the one that a token names should be.
    func keys(for header: JOSEHeader) async throws(Outage) -> JWKSet {
        switch keys {
        case .fixed(let set): return set
        case .fetched(let fetched):
            let (algorithm, id) = (header.algorithm, header.keyID)
            return try await fetched.value { !$0.hasKey(for: algorithm, id: id) }
        }
    }

    /// Other keys than those that did not verify what names one of them: a provider may have put another key under the same name.
    /// - Returns: nil where there are none now, or they were fetched a moment ago.
    func keys(otherThan former: JWKSet) async throws(Outage) -> JWKSet? {
        guard case .fetched(let fetched) = keys else { return nil }
        let newer = try await fetched.value { $0 == former }
        return newer == former ? nil : newer
    }

    func introspectionAddress() async throws(Outage) -> ProviderAddress {
        guard let address = try await document.value(lacks: { $0.introspection == nil }).introspection else { throw .addressMissing }
        return address
    }

    private static func keys(at address: ProviderAddress, by calls: any ResourceCalls) async throws(Outage) -> JWKSet {
        let call = ResourceCall(
            method: .get, address: address.text, fields: [("Accept", "application/jwk-set+json, application/json")], body: nil, mostBytes: mostBytes)
        let bytes = try await calls.body(of: call)
        // A set with no key that is known here is one: whoever withdraws all keys wants nothing of before to be taken.
        guard let set = try? JWKSet(json: bytes), set.keys.count <= mostKeys else { throw .answerMalformed }
        return set
    }
}
