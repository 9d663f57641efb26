/// The relying party that a login is for.
package struct RelyingParty: Sendable, Equatable {
    package let name: String
    package let origin: String
    package let clientID: String

    package init(name: String, origin: String, clientID: String) {
        self.name = name
        self.origin = origin
        self.clientID = clientID
    }
}

/// What the server knows of the browser that asks.
package struct BrowserFacts: Sendable, Equatable {
    package let binding: Binding
    package let label: String
    package let city: String
    package let startedAt: Instant

    package init(binding: Binding, label: String, city: String, startedAt: Instant) {
        self.binding = binding
        self.label = label
        self.city = city
        self.startedAt = startedAt
    }
}

/// One keyed string of announceInfo; key at most 64 bytes, text at most 1 024.
package struct Announcement: Sendable, Equatable {
    package let key: String
    package let text: String

    package init(key: String, text: String) {
        self.key = key
        self.text = text
    }
}

/// L2: what the person is asked to confirm (protocol §6).
package struct L2: WireMessage {
    package static let type = MessageType.l2
    /// Bit of `flags`: the logo is the virtual server's own, and stands for every login that announces none.
    package static let ownLogo: UInt16 = 1

    package let sessionID: SessionID
    package let purpose: SessionPurpose
    /// The account that the server selected, if it did: 16 bytes that only its own phone recognises.
    package let accountMark: [UInt8]?
    package let relyingParty: RelyingParty
    package let announceInfo: [Announcement]
    package let logoHash: [UInt8]?
    package let transaction: [UInt8]
    package let browser: BrowserFacts
    /// Whether who accepts has to type the number that the client shows.
    package let needsNumber: Bool
    /// Where the app opens the browser again after a tapped link, without the code; empty for every other login.
    package let returnURL: String
    package let secondFactor: SecondFactorNeed
    package let methods: Methods
    /// 32 bytes of server randomness, so that no two L2 are the same.
    package let serverNonce: [UInt8]
    package let secondFactorPrekey: Encoded<Prekey>?
    package let flags: UInt16
    package let expiresAt: Instant
    package let extensions: Extensions
    /// What the server wants back with M1 and L5.
    package fileprivate(set) var offer: Encoded<Offer>

    /// An L2 whose offer is still to be made: see `Encoded.init(_:offering:)`.
    /// - Parameter account: the account that the server selected, if it did.
    package init(
        sessionID: SessionID, purpose: SessionPurpose, account: AccountID?, relyingParty: RelyingParty, announceInfo: [Announcement] = [],
        logoHash: [UInt8]? = nil, browser: BrowserFacts, needsNumber: Bool = false, returnURL: String = "", secondFactor: SecondFactorNeed,
        methods: Methods, serverNonce: [UInt8], secondFactorPrekey: Encoded<Prekey>?, flags: UInt16 = 0, expiresAt: Instant
    ) {
        self.sessionID = sessionID
        self.purpose = purpose
        accountMark = account.map { Transcript.accountMark($0, serverNonce: serverNonce) }
        self.relyingParty = relyingParty
        self.announceInfo = announceInfo
        self.logoHash = logoHash
        transaction = []
        self.browser = browser
        self.needsNumber = needsNumber
        self.returnURL = returnURL
        self.secondFactor = secondFactor
        self.methods = methods
        self.serverNonce = serverNonce
        self.secondFactorPrekey = secondFactorPrekey
        self.flags = flags
        self.expiresAt = expiresAt
        extensions = .none
        offer = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        sessionID = try SessionID(from: &reader)
        purpose = try reader.choice()
        accountMark = try reader.optional8(Transcript.accountMarkCount)
        relyingParty = RelyingParty(name: try reader.text8(), origin: try reader.text8(), clientID: try reader.text8())
        announceInfo = try reader.list(cap: 32) { reader throws(WireError) in
            Announcement(key: try WireText.decode(try reader.v8(cap: 64)), text: try reader.text16(cap: 1_024))
        }
        // Texts are shown by their keys: of two with one key the person would see one and sign both.
        guard Set(announceInfo.map(\.key)).count == announceInfo.count else { throw .badValue }
        logoHash = try reader.optional8(32)
        transaction = try reader.v16()
        guard transaction.isEmpty || purpose == .transaction else { throw .badValue }
        browser = BrowserFacts(
            binding: try reader.choice(), label: try reader.text8(), city: try reader.text8(), startedAt: try reader.instant())
        let number = try reader.u8()
        guard number <= 1 else { throw .badValue }
        needsNumber = number == 1
        returnURL = try reader.text16(cap: 2_048)
        secondFactor = try reader.choice()
        methods = try Methods(from: &reader)
        serverNonce = try reader.fixed(32)
        secondFactorPrekey = try reader.optionalPart16()
        flags = try reader.u16()
        expiresAt = try reader.instant()
        extensions = try Extensions(from: &reader)
        offer = try reader.part8()
    }

    package func writeBody(to writer: inout ByteWriter) {
        sessionID.write(to: &writer)
        writer.choice(purpose)
        writer.optional8(accountMark, Transcript.accountMarkCount)
        writer.text8(relyingParty.name)
        writer.text8(relyingParty.origin)
        writer.text8(relyingParty.clientID)
        writer.list(announceInfo) { writer, item in
            writer.v8(WireText.encode(item.key, cap: 64))
            writer.text16(item.text, cap: 1_024)
        }
        writer.optional8(logoHash, 32)
        writer.v16(transaction)
        writer.choice(browser.binding)
        writer.text8(browser.label)
        writer.text8(browser.city)
        writer.instant(browser.startedAt)
        writer.u8(needsNumber ? 1 : 0)
        writer.text16(returnURL, cap: 2_048)
        writer.choice(secondFactor)
        writer.u8(methods.rawValue)
        writer.fixed(serverNonce, 32)
        writer.part16(secondFactorPrekey)
        writer.u16(flags)
        writer.instant(expiresAt)
        extensions.write(to: &writer)
        writer.part8(offer)
    }

    /// Whether this login announces an image of its own.
    package var announcesLogo: Bool { logoHash != nil && flags & Self.ownLogo == 0 }

    /// Whether the server selected this account; nil when it selected none.
    package func selects(_ account: AccountID) -> Bool? {
        accountMark.map { $0 == Transcript.accountMark(account, serverNonce: serverNonce) }
    }
}

extension Encoded<L2> {
    /// An L2 with the offer that `make` seals over the hash of everything else in it.
    package init(_ value: L2, offering make: (_ shownHash: [UInt8]) -> Encoded<Offer>) {
        var offered = value
        offered.offer = make(Encoded(value).shownHash)
        self.init(offered)
    }

    /// l2Hash: SHA of the bytes before the length of the offer, which is all that the person is shown (protocol §4).
    package var shownHash: [UInt8] { SHA(bytes.dropLast(1 + Offer.count)) }
}
