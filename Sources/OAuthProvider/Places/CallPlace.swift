/// Where a call comes from, as far as limits tell one place from another.
///
/// Of IPv6 there are two widths, because nobody can tell what somebody was given: a machine at a hoster or a telephone has one /64, and a household up to a /56,
/// which is 256 of them. Guesses are counted for both (`PlaceTries`): the /64 as an address, and the /56 as four, so that a household has four times as many
/// and not 256 times, and four strangers in one /56 of a carrier don't lock the fifth out. What waits in rows is counted for the /56 alone: there is room
/// for all who share one.
package struct CallPlace: Hashable, Sendable {
    /// An address of IPv4 or a /64 of IPv6; nil for what has no address, all of which is one place.
    package let address: String?
    /// The /56 of IPv6 that it is in; nil for everything else.
    package let network: String?
    /// The proxy that says so, where one is believed.
    package let proxy: String?

    package init(_ address: String?, in network: String? = nil, through proxy: String? = nil) {
        self.address = address
        self.network = network
        self.proxy = proxy
    }

    /// By which rows name it: empty for what has no address.
    package var name: String { network ?? address ?? "" }

    /// Of a call that nobody tells from others.
    package static let unknown = CallPlace(nil)
}
