/// An evaluation key that was just made.
package struct FreshKey: Sendable {
    package let wrapped: WrappedKey
    /// pkK, 32 bytes.
    package let publicKey: [UInt8]

    package init(wrapped: WrappedKey, publicKey: [UInt8]) {
        self.wrapped = wrapped
        self.publicKey = publicKey
    }
}
