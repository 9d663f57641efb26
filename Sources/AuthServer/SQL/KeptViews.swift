import Authentication
import OstiaryProtocol

/// A row that a view is made of, as its table names it.
enum SessionPart: Hashable {
    case nonce([UInt8])
    case session([UInt8])
    case account([UInt8])

    /// Nil for a row of another table.
    init?(_ name: [UInt8], in table: String) {
        switch table {
        case "nonce": self = .nonce(name)
        case "session": self = .session(name)
        case "account": self = .account(name)
        default: return nil
        }
    }

    /// By eight bytes at once: byte by byte it would cost more than all else that is done with a kept view. Names are hashes and ids that servers draw, which
    /// eight bytes tell apart as all do. Nonces are chosen, their hashes are not: for many that fall together one has to try more than anybody can.
    func hash(into hasher: inout Hasher) {
        let (table, name): (UInt8, [UInt8]) =
            switch self {
            case .nonce(let name): (0, name)
            case .session(let name): (1, name)
            case .account(let name): (2, name)
            }
        hasher.combine(table)
        name.withUnsafeBytes { name in
            if name.count < 8 { hasher.combine(bytes: name) } else { hasher.combine(name.loadUnaligned(as: UInt64.self)) }
        }
    }
}

/// A login as its rows told it.
final class KeptView: Sendable {
    let server: ServerID
    let nonceHash: [UInt8]
    let seen: SeenView
    /// The rows that it is made of, whether they are there or not.
    let parts: [SessionPart]
    /// What it takes in memory, about.
    let bytes: Int

    /// Nil where nobody is logged in.
    init?(_ view: SessionView, nonceHash: [UInt8], of server: ServerID) {
        guard let login = view.session.login else { return nil }
        self.server = server
        self.nonceHash = nonceHash
        parts = [.nonce(nonceHash), .session(view.session.id.bytes), .account(login.account.bytes)]
        let own = login.userInput.utf8.count + (view.account?.userID?.utf8.count ?? 0)
        bytes = Self.bytesWithoutTexts + own + Self.bytesOfTexts(view.session.request)
        seen = SeenView(view, room: bytes - Self.bytesBesideText)
    }

    /// What was said of it, its ids, and the places that lead to it: as measured with fifty thousand that were asked for.
    private static let bytesWithoutTexts = 1_800
    /// Of these, what lies beside the text that was said. The rest, and what was counted for its texts, is the room of that: with escapes it may be longer.
    private static let bytesBesideText = 1_000

    private static func bytesOfTexts(_ request: LoginRequest) -> Int {
        let (shown, notes) = (request.shown, request.notes)
        let client = request.client.map { [$0.name, $0.origin, $0.clientID] } ?? []
        let lines = [shown.ip, shown.userAgent, notes.ip, notes.userAgent] + client
        let pairs = (shown.info + notes.info).reduce(0) { $0 + 64 + $1.key.utf8.count + $1.text.utf8.count }
        return lines.reduce(pairs) { $0 + $1.utf8.count }
    }
}

/// Logins by each row that they are made of, within bounds. When there is no more room, those go that nobody asked for lately: a hand goes round
/// and spares whoever was asked for since it came by last.
struct KeptViews {
    struct Bounds {
        let count: Int
        let bytes: Int

        /// 256 MiB: more than a hundred thousand logins of which little was said. It is taken as they are asked for.
        static let ofServer = Bounds(count: 140_000, bytes: 256 << 20)
    }

    let most: Bounds
    /// Each at its place; nil where there is none.
    private var entries: [KeptView?] = []
    /// Of each place, whether somebody asked since it was last spared.
    private var asked: [Bool] = []
    private var free: [Int] = []
    private var places: [SessionPart: [Int]] = [:]
    private var hand = 0
    private(set) var bytes = 0

    /// How many are spared for one that comes: so it never takes long, and where all are asked for, it does not matter who goes.
    private static let mostSpared = 32

    init(most: Bounds) { self.most = most }

    var count: Int { entries.count - free.count }

    /// One nonce leads to one session at each server: of the last server that asked.
    mutating func view(nonceHash: [UInt8], of server: ServerID) -> SeenView? {
        guard let place = places[.nonce(nonceHash)]?.first, let entry = entries[place], entry.server == server else { return nil }
        asked[place] = true
        return entry.seen
    }

    /// Puts it in the place of what was kept of its nonce. One that takes a hundredth of all the room is not kept.
    mutating func keep(_ entry: KeptView) {
        drop(.nonce(entry.nonceHash))
        guard entry.bytes <= most.bytes / 100, most.count > 0 else { return }
        while count >= most.count || bytes + entry.bytes > most.bytes { makeRoom() }
        let place = free.popLast() ?? entries.count
        if place == entries.count {
            entries.append(entry)
            asked.append(false)
        } else {
            (entries[place], asked[place]) = (entry, false)
        }
        for part in entry.parts { places[part, default: []].append(place) }
        bytes += entry.bytes
    }

    /// Drops all that are made of this row.
    mutating func drop(_ part: SessionPart) {
        guard let dropped = places.removeValue(forKey: part) else { return }
        for place in dropped { remove(place) }
    }

    private mutating func makeRoom() {
        var spared = 0
        while true {
            hand = hand + 1 < entries.count ? hand + 1 : 0
            guard entries[hand] != nil else { continue }
            guard asked[hand], spared < Self.mostSpared else { return remove(hand) }
            asked[hand] = false
            spared += 1
        }
    }

    private mutating func remove(_ place: Int) {
        guard let entry = entries[place] else { return }
        entries[place] = nil
        free.append(place)
        bytes -= entry.bytes
        for part in entry.parts {
            guard let index = places[part]?.firstIndex(of: place) else { continue }
            places[part]?.remove(at: index)
            if places[part]?.isEmpty == true { places[part] = nil }
        }
    }
}
