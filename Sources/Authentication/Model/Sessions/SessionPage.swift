import OstiaryProtocol

/// The one login page that a session belongs to. It was begun by a browser and ends in the same one (protocol §6).
package struct SessionPage: Equatable, Sendable {
    /// SHA of the page's cookie, 32 bytes.
    package let cookieHash: [UInt8]
    /// Where the browser goes afterwards: absolute, without a code.
    package let returnURL: String

    package init(cookieHash: [UInt8], returnURL: String) {
        self.cookieHash = cookieHash
        self.returnURL = returnURL
    }
}
