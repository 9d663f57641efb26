/// Verification: the phone brings the address that a device shows as a QR code (protocol §6, RFC 8628 §3.3.1). The answer is a Waiting with the one login in
/// which its person decides.
package struct Verification: WireMessage, DeviceSigned {
    package static let type = MessageType.verification
    package static let label = Label.devVerification

    package let accountID: AccountID
    /// `verification_uri_complete`, as it was scanned.
    package let uri: String
    package let extensions: Extensions
    /// Over `ephPk||ts` of its request too, as that of a Ping.
    package var deviceSignature: [UInt8]

    package init(accountID: AccountID, uri: String, extensions: Extensions = .none) {
        self.accountID = accountID
        self.uri = uri
        self.extensions = extensions
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        uri = try reader.text16(cap: VerificationLink.mostBytes)
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(deviceSignatureCount)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        writer.text16(uri, cap: VerificationLink.mostBytes)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, deviceSignatureCount)
    }
}
