/// Fetch: the phone asks which logins wait for one of its accounts (protocol §8). It changes nothing.
package struct Fetch: WireMessage, DeviceSigned {
    package static let type = MessageType.fetch
    package static let label = Label.devFetch

    package let accountID: AccountID
    package let extensions: Extensions
    /// Over `ephPk||ts` of its request too, as that of a Ping.
    package var deviceSignature: [UInt8]

    package init(accountID: AccountID, extensions: Extensions = .none) {
        self.accountID = accountID
        self.extensions = extensions
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(deviceSignatureCount)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, deviceSignatureCount)
    }
}

/// A login that waits for a phone.
package struct WaitingLogin: Sendable, Equatable {
    /// What an L1 brings with `via` 3, the same in every answer.
    package let link: Encoded<LoginLink>
    /// The last moment at which the login can go on as it stands, by the server's clock: for people to read, as in an L2.
    package let expiresAt: Instant

    package init(link: Encoded<LoginLink>, expiresAt: Instant) {
        self.link = link
        self.expiresAt = expiresAt
    }

    package static func == (left: WaitingLogin, right: WaitingLogin) -> Bool {
        left.link.bytes == right.link.bytes && left.expiresAt == right.expiresAt
    }
}

/// Waiting: the logins that wait for an account, the oldest first (protocol §8).
package struct Waiting: WireMessage, Equatable {
    package static let type = MessageType.waiting
    /// A phone asks its person about one after the other: more are told when these are decided or over.
    package static let mostAtOnce = 4

    package let logins: [WaitingLogin]
    package let extensions: Extensions

    package init(logins: [WaitingLogin], extensions: Extensions = .none) {
        self.logins = Array(logins.prefix(Self.mostAtOnce))
        self.extensions = extensions
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        logins = try reader.list(cap: Self.mostAtOnce) { reader throws(WireError) in
            WaitingLogin(link: try reader.part8(), expiresAt: try reader.instant())
        }
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.list(logins) { writer, login in
            writer.part8(login.link)
            writer.instant(login.expiresAt)
        }
        extensions.write(to: &writer)
    }
}
