/// UpgradeLink: a link to an enrolment that is to make one headless account a full one (protocol §5).
package struct UpgradeLink: WireStruct, Equatable {
    private static let markCount = 16

    package let rootHash: [UInt8]
    package let enrolID: EnrolmentID
    package let enrolSecret: [UInt8]
    /// H("acct", accountId || enrolId)[0..16]: which account, to the phone that has it and to nobody else.
    package let accountMark: [UInt8]
    /// The server's origin.
    package let url: String

    package init(_ link: EnrolLink, of account: AccountID) {
        rootHash = link.rootHash
        enrolID = link.enrolID
        enrolSecret = link.enrolSecret
        accountMark = Self.mark(of: account, for: link.enrolID)
        url = link.url
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        try LinkKind.upgrade.check(&reader)
        rootHash = try reader.fixed(32)
        enrolID = try EnrolmentID(from: &reader)
        enrolSecret = try reader.fixed(16)
        accountMark = try reader.fixed(Self.markCount)
        url = try reader.text8()
    }

    package func write(to writer: inout ByteWriter) {
        writer.u8(protocolVersion)
        writer.u8(LinkKind.upgrade.rawValue)
        writer.fixed(rootHash, 32)
        enrolID.write(to: &writer)
        writer.fixed(enrolSecret, 16)
        writer.fixed(accountMark, Self.markCount)
        writer.text8(url)
    }

    /// What it has like any link to an enrolment.
    package var enrol: EnrolLink { EnrolLink(rootHash: rootHash, enrolID: enrolID, enrolSecret: enrolSecret, url: url) }

    /// Whether it is for this account.
    package func selects(_ account: AccountID) -> Bool { accountMark == Self.mark(of: account, for: enrolID) }

    private static func mark(of account: AccountID, for enrolment: EnrolmentID) -> [UInt8] {
        Array(H(.acct, account.bytes + enrolment.bytes).prefix(markCount))
    }
}
