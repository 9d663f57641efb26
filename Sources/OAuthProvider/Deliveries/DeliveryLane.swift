import Authentication
import OstiaryProtocol

/// What one host is to hear in one round, whoever of its clients it is for.
struct DeliveryLane<Item: BackendNotice>: Sendable {
    /// A host that answers slowly is done with so many in half a minute, and a logout token lives two.
    static var length: Int { 64 }

    let host: String
    private(set) var items: [Item]

    /// - Parameters:
    ///   - due: in the order in which they go out.
    ///   - most: hosts at once; the first of them.
    ///   - busy: hosts that are being called already.
    static func lanes(of due: [Item], at most: Int, leavingOut busy: Set<String>) -> [DeliveryLane] {
        var hosts: [String: String] = [:]
        var places: [String: Int] = [:]
        var lanes: [DeliveryLane] = []
        for item in due {
            // What is no address is told by nobody, and holds up no other.
            let host = hosts[item.address] ?? BackendAddress(item.address)?.host ?? item.address
            hosts[item.address] = host
            if let place = places[host] {
                if lanes[place].items.count < length { lanes[place].items.append(item) }
            } else if lanes.count < most, !busy.contains(host) {
                places[host] = lanes.count
                lanes.append(DeliveryLane(host: host, items: [item]))
            }
        }
        return lanes
    }
}
