import OstiaryMobile
import OstiaryProtocol

/// One-time codes, typed into the page of a login.
extension TestServer {
    /// Of the account that is made next.
    var nextOTP: (reference: UInt32, key: [UInt8]) {
        let number = UInt8(clamping: accounts.count)
        return (77 + UInt32(number), [UInt8](repeating: 9 + number, count: 32))
    }

    /// Whose code it is, by this server's clock and for the login of this link; nil for a wrong one. Nobody is logged in by it.
    func account(typing text: String, for link: [UInt8]) throws -> AccountID? {
        let session = OfflineSession(try LoginLink(decoding: link))
        let typed = try TypedOfflineCode(text, length: try present(settings.offlineCodes))
        let interval = OfflineCode.interval(at: now)
        return accounts.first { _, account in
            [interval, interval - 1].contains { interval in
                let (reference, key) = account.otp
                let code = OfflineCode(
                    reference: reference, key: SecretBytes(key), session: session, interval: interval, length: settings.offlineCodes ?? .six)
                return code.matches(typed)
            }
        }?.key
    }
}
