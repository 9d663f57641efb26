/// UpgradeLink: an EnrolLink that is to make one headless account a full one (protocol §5).
package struct UpgradeLink: WireStruct, Equatable {
    /// What it has like any link to an enrolment.
    package let enrol: EnrolLink
    /// H("acct", accountId || enrolId)[0..16]: which account, to the phone that has it and to nobody else.
    package let accountMark: [UInt8]

    package init(_ enrol: EnrolLink, of account: AccountID) {
        self.enrol = enrol
        accountMark = Self.mark(of: account, for: enrol.enrolID)
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        try LinkKind.upgrade.check(&reader)
        let rootHash = try reader.fixed(32)
        let enrolID = try EnrolmentID(from: &reader)
        let enrolSecret = try reader.fixed(16)
        accountMark = try reader.fixed(Transcript.accountMarkCount)
        enrol = EnrolLink(rootHash: rootHash, enrolID: enrolID, enrolSecret: enrolSecret, url: try reader.text8())
    }

    package func write(to writer: inout ByteWriter) {
        writer.u8(protocolVersion)
        writer.u8(LinkKind.upgrade.rawValue)
        writer.fixed(enrol.rootHash, 32)
        enrol.enrolID.write(to: &writer)
        writer.fixed(enrol.enrolSecret, 16)
        writer.fixed(accountMark, Transcript.accountMarkCount)
        writer.text8(enrol.url)
    }

    /// Whether it is for this account.
    package func selects(_ account: AccountID) -> Bool { accountMark == Self.mark(of: account, for: enrol.enrolID) }

    private static func mark(of account: AccountID, for enrolment: EnrolmentID) -> [UInt8] {
        Transcript.accountMark(account, serverNonce: enrolment.bytes)
    }
}
