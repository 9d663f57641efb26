/// Where the key comes from that seals a file key store: 32 bytes.
public protocol Keyring: Sendable {
    func wrappingKey() throws(KeyStoreError) -> [UInt8]
}
