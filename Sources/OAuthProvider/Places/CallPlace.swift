/// Where a call comes from, as far as limits tell one place from another.
package struct CallPlace: Hashable, Sendable {
    /// What one household or machine is given; nil for what has no address, all of which is one place.
    package let address: String?
    /// The proxy that says so, where one is believed.
    package let proxy: String?

    package init(_ address: String?, through proxy: String? = nil) {
        self.address = address
        self.proxy = proxy
    }

    /// Of a call that nobody tells from others.
    package static let unknown = CallPlace(nil)
}
