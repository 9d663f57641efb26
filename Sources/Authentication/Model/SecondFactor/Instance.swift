import OstiaryProtocol

/// An app instance as this side knows it: one PIN for all accounts of one phone at one virtual server (protocol §1).
package struct Instance: Equatable, Sendable {
    /// What belongs to one setting of the PIN.
    package struct Epoch: Equatable, Sendable {
        package let number: UInt32
        /// `srvShare`, an input of the key that opens the phone's box; given out only with a counted attempt.
        package let serverShare: StoredSecret
        /// `pkSf`: what a right PIN signs with.
        package let secondFactorKey: [UInt8]

        package init(number: UInt32, serverShare: StoredSecret, secondFactorKey: [UInt8]) {
            self.number = number
            self.serverShare = serverShare
            self.secondFactorKey = secondFactorKey
        }
    }

    package let id: InstanceID
    package let server: ServerID
    package var sequence: AttemptSequence
    /// The newest receipt, which goes along with every ticket: it is how a second-factor server that was restored learns what it forgot.
    package var receipt: Encoded<Receipt>?
    /// The newest by PIN, while `receipt` is that of a biometric.
    package var pinReceipt: Encoded<Receipt>?
    /// The newest two, in their order. While a PIN is being changed the last one may be of a change that never came about.
    package internal(set) var epochs: [Epoch]
    /// `pkBio`, what a biometric signs with; nil without biometrics.
    package var biometricKey: [UInt8]?
    /// The attempt that was evaluated last.
    package var evaluated: TriedAttempt?
    package var pinChange: PINChange?
    package var lastChange: FinishedChange?

    package init(
        id: InstanceID, server: ServerID, sequence: AttemptSequence = AttemptSequence(), receipt: Encoded<Receipt>? = nil,
        pinReceipt: Encoded<Receipt>? = nil, epochs: [Epoch], biometricKey: [UInt8]? = nil, evaluated: TriedAttempt? = nil,
        pinChange: PINChange? = nil, lastChange: FinishedChange? = nil
    ) {
        self.id = id
        self.server = server
        self.sequence = sequence
        self.receipt = receipt
        self.pinReceipt = pinReceipt
        self.epochs = epochs
        self.biometricKey = biometricKey
        self.evaluated = evaluated
        self.pinChange = pinChange
        self.lastChange = lastChange
    }

    package func epoch(_ number: UInt32) -> Epoch? { epochs.first { $0.number == number } }

    /// The epoch in which the last attempt was evaluated, which is the active one as far as this side knows.
    func epochTried() throws(Refusal) -> Epoch {
        guard let epoch = evaluated.flatMap({ epoch($0.epoch) }) ?? epochs.last else { throw .instanceWrong }
        return epoch
    }

    /// The share of the epoch after this one, if one was drawn. An epoch has one share, whatever vouches for it and how often it is begun: so the share
    /// that is here is the right one for the PIN that came about, also when this database is older than that (protocol §7).
    func shareDrawn(after number: UInt32) -> StoredSecret? {
        if let pinChange, pinChange.epoch == number { return pinChange.serverShare }
        return number < .max ? epoch(number + 1)?.serverShare : nil
    }

    /// Notes an evaluated attempt; evaluated again it keeps its first time.
    mutating func note(_ attempt: TriedAttempt) {
        if evaluated?.id != attempt.id { evaluated = attempt }
    }

    /// Adds an epoch, or puts it in the place of one of a change that never came about.
    mutating func adopt(_ epoch: Epoch) {
        let others = epochs.filter { $0.number != epoch.number } + [epoch]
        epochs = Array(others.sorted { $0.number < $1.number }.suffix(2))
    }

    /// Keeps the receipt with the highest number, and beside that of a biometric the newest by PIN; those of contexts that set a PIN have no number
    /// (protocol §7).
    mutating func keep(_ newer: Encoded<Receipt>) {
        guard !newer.value.context.setsPIN, newer.value.sequence > (receipt?.value.sequence ?? 0) else { return }
        let byPIN = [newer, receipt, pinReceipt].compactMap(\.self).first { $0.value.method.contains(.pin) }
        receipt = newer
        pinReceipt = byPIN?.bytes == newer.bytes ? nil : byPIN
    }

    /// What goes along to the second-factor server.
    var receipts: KnownReceipts { KnownReceipts(newest: receipt, newestByPIN: pinReceipt) }

    package static func == (left: Instance, right: Instance) -> Bool {
        left.id == right.id && left.server == right.server && left.sequence == right.sequence && left.receipt?.bytes == right.receipt?.bytes
            && left.pinReceipt?.bytes == right.pinReceipt?.bytes && left.epochs == right.epochs && left.biometricKey == right.biometricKey
            && left.evaluated == right.evaluated
            && left.pinChange == right.pinChange && left.lastChange == right.lastChange
    }
}

/// The receipts of an instance that tell a restored second-factor server what it forgot: the newest of all, and the newest by PIN if that is another.
struct KnownReceipts: Sendable {
    static let none = KnownReceipts(newest: nil, newestByPIN: nil)

    let newest: Encoded<Receipt>?
    let newestByPIN: Encoded<Receipt>?
}
