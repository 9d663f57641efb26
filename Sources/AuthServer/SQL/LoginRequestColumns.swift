import Authentication
import Database
import OstiaryProtocol

/// A login request as columns, of a session and of a page: `browser`, `demand`, `client`, and one for the account.
enum LoginRequestColumns {
    static func browser(_ request: LoginRequest) -> SQLValue {
        .blob(BrowserColumn(shown: request.shown, notes: request.notes).encoded)
    }

    /// Seconds, 0 for a factor of its own; null, as in rows of before there were demands, for the policy.
    static func demand(_ request: LoginRequest) -> SQLValue { SQLValue(request.demand.mostAge.map { UInt64($0) }) }

    /// Null for the virtual server itself.
    static func client(_ request: LoginRequest) -> SQLValue { SQLValue(request.client.map { ClientColumn(party: $0).encoded }) }

    /// - Parameter account: the name of the account's column.
    static func read(_ row: SQLRow, account: StaticString) throws -> LoginRequest {
        let said = try row.optionalBlob("browser").map { try BrowserColumn(decoding: $0) }
        return LoginRequest(
            client: try row.optionalBlob("client").map { try ClientColumn(decoding: $0).party }, shown: said?.shown ?? .none,
            notes: said?.notes ?? .none, account: try row.optionalIdentifier(account),
            demand: FactorDemand(mostAge: try row.optionalNumber("demand")))
    }
}

/// What a backend says of a login, as one column: { userAgent v16, ip v16, info list<(key v16, text v16)>, logoHash v8(0|32),
/// notes { info list<(key v16, text v16)>, ip v16, userAgent v16 } }. Without logo and notes it ends after the first list, as rows of before there were any.
struct BrowserColumn: WireStruct, Equatable {
    let shown: ShownContext
    let notes: SessionNotes

    init(shown: ShownContext, notes: SessionNotes) {
        self.shown = shown
        self.notes = notes
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let (userAgent, ip) = (try reader.text16(), try reader.text16())
        let info = try reader.announcements()
        guard reader.remaining > 0 else {
            self.init(shown: ShownContext(info: info, ip: ip, userAgent: userAgent), notes: .none)
            return
        }
        let logo = try reader.optional8(32).map { ShownLogo(hash: $0) }
        let notes = SessionNotes(info: try reader.announcements(), ip: try reader.text16(), userAgent: try reader.text16())
        self.init(shown: ShownContext(info: info, logo: logo, ip: ip, userAgent: userAgent), notes: notes)
    }

    func write(to writer: inout ByteWriter) {
        writer.text16(shown.userAgent)
        writer.text16(shown.ip)
        writer.write(shown.info)
        guard shown.logo != nil || !notes.isEmpty else { return }
        writer.optional8(shown.logo?.hash, 32)
        writer.write(notes.info)
        writer.text16(notes.ip)
        writer.text16(notes.userAgent)
    }
}

/// An OAuth client as one column: { name v8, origin v8, clientID v8 }.
private struct ClientColumn: WireStruct {
    let party: RelyingParty

    init(party: RelyingParty) { self.party = party }

    init(from reader: inout ByteReader) throws(WireError) {
        party = RelyingParty(name: try reader.text8(), origin: try reader.text8(), clientID: try reader.text8())
    }

    func write(to writer: inout ByteWriter) {
        writer.text8(party.name)
        writer.text8(party.origin)
        writer.text8(party.clientID)
    }
}

extension ByteReader {
    fileprivate mutating func announcements() throws(WireError) -> [Announcement] {
        try list(cap: ShownContext.mostAnnouncements) { reader throws(WireError) in
            Announcement(key: try reader.text16(), text: try reader.text16())
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ announcements: [Announcement]) {
        list(announcements) { writer, item in
            writer.text16(item.key)
            writer.text16(item.text)
        }
    }
}
