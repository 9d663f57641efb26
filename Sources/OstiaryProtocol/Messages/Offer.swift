/// What a server would have to remember of an L1: it travels in L2, sealed by a mac, and comes back with M1 and L5 (protocol §4).
package struct Offer: WireStruct, Equatable {
    package static let count = 95
    static let macCount = 16

    package let madeAt: Instant
    /// How the browser that asks is tied to the phone.
    package let binding: Binding
    package let secondFactor: SecondFactorNeed
    package let methods: Methods
    /// How often what is asked had been changed.
    package let asked: UInt32
    /// SHA(Req) of the L1.
    package let requestHash: [UInt8]
    /// l2Hash.
    package let shownHash: [UInt8]
    package let mac: [UInt8]

    /// What belongs to an offer without standing in it.
    package struct Place: Sendable {
        let session: SessionID
        /// ephPk of the L1, which M1 and L5 have to bear as well.
        let ephemeral: [UInt8]

        package init(session: SessionID, ephemeral: [UInt8]) {
            self.session = session
            self.ephemeral = ephemeral
        }
    }

    /// - Parameter key: sidKey of the virtual server.
    package init(
        madeAt: Instant, binding: Binding, secondFactor: SecondFactorNeed, methods: Methods, asked: UInt32, requestHash: [UInt8],
        shownHash: [UInt8], for place: Place, sealedBy key: [UInt8]
    ) {
        let open = Offer(
            madeAt: madeAt, binding: binding, secondFactor: secondFactor, methods: methods, asked: asked, requestHash: requestHash,
            shownHash: shownHash, mac: [UInt8](repeating: 0, count: Self.macCount))
        self.init(open, mac: Self.mac(over: open.encoded.dropLast(Self.macCount), place, key))
    }

    private init(_ offer: Offer, mac: [UInt8]) {
        self.init(
            madeAt: offer.madeAt, binding: offer.binding, secondFactor: offer.secondFactor, methods: offer.methods, asked: offer.asked,
            requestHash: offer.requestHash, shownHash: offer.shownHash, mac: mac)
    }

    fileprivate init(
        madeAt: Instant, binding: Binding, secondFactor: SecondFactorNeed, methods: Methods, asked: UInt32, requestHash: [UInt8],
        shownHash: [UInt8], mac: [UInt8]
    ) {
        self.madeAt = madeAt
        self.binding = binding
        self.secondFactor = secondFactor
        self.methods = methods
        self.asked = asked
        self.requestHash = requestHash
        self.shownHash = shownHash
        self.mac = mac
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        madeAt = try reader.instant()
        binding = try reader.choice()
        secondFactor = try reader.choice()
        methods = try Methods(from: &reader)
        asked = try reader.u32()
        requestHash = try reader.fixed(32)
        shownHash = try reader.fixed(32)
        mac = try reader.fixed(Self.macCount)
    }

    package func write(to writer: inout ByteWriter) {
        writer.instant(madeAt)
        writer.choice(binding)
        writer.choice(secondFactor)
        writer.u8(methods.rawValue)
        writer.u32(asked)
        writer.fixed(requestHash, 32)
        writer.fixed(shownHash, 32)
        writer.fixed(mac, Self.macCount)
    }

    /// The first 16 bytes of HMAC(sidKey, "AP1/offer" 00 sid || ephPk || all bytes before the mac).
    fileprivate static func mac(over bytes: some Sequence<UInt8>, _ place: Place, _ key: [UInt8]) -> [UInt8] {
        Array(MAC(key: key, .offer, place.session.bytes + place.ephemeral + bytes).prefix(macCount))
    }
}

extension Encoded<Offer> {
    /// Whether the server that holds `key` made these very bytes for this session and this ephemeral key.
    package func isGenuine(for place: Offer.Place, key: [UInt8]) -> Bool {
        matches(Offer.mac(over: bytes.dropLast(Offer.macCount), place, key), value.mac)
    }

    /// Stands in an L2 until its offer is made.
    static let blank = Encoded(
        Offer(
            madeAt: Instant(0), binding: .app, secondFactor: .none, methods: [], asked: 0, requestHash: [UInt8](repeating: 0, count: 32),
            shownHash: [UInt8](repeating: 0, count: 32), mac: [UInt8](repeating: 0, count: Offer.macCount)))
}
