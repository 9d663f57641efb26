import Testing

@testable import OstiaryProtocol

@Suite("The key that an AppLogin names for tokens")
struct TokenKeyTests {
    /// Of the proofs of RFC 9449 §4.1, in X9.63.
    static let publicKey: [UInt8] =
        [4] + Base64URL.decode("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs")! + Base64URL.decode("9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")!
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    private func appLogin(_ extensions: Extensions) -> L5 {
        L5(
            sessionID: SessionID([UInt8](repeating: 1, count: 16))!, sessionHash: [UInt8](repeating: 2, count: 32),
            accountID: AccountID([UInt8](repeating: 3, count: 16))!, attemptID: AttemptID([UInt8](repeating: 4, count: 16))!, decision: .accept,
            method: [], extensions: extensions, offer: nil)
    }

    @Test("It is told by its RFC 7638 thumbprint, as RFC 9449 §6.1 has it")
    func thumbprint() {
        #expect(Base64URL.encode(TokenKey(publicKey: Self.publicKey).thumbprint) == Self.thumbprint)
        var other = Self.publicKey
        other[64] ^= 1
        #expect(Base64URL.encode(TokenKey(publicKey: other).thumbprint) != Self.thumbprint)
        #expect(TokenKey(thumbprint: [UInt8](repeating: 1, count: 31)) == nil && TokenKey(thumbprint: [UInt8](repeating: 1, count: 33)) == nil)
    }

    @Test("It travels as extension 4, behind the notices that were shown, and both are read again")
    func travels() throws {
        let key = TokenKey(publicKey: Self.publicKey)
        let ids = (0..<3).map { NoticeID([UInt8](repeating: $0, count: 16))! }
        let read = try L5(decoding: appLogin(Extensions(shownNotices: ids, tokenKey: key)).encoded).extensions
        #expect(read.items.map(\.type) == [2, 4])
        #expect(read.items[1].value == key.thumbprint)
        #expect(try read.tokenKey() == key)
        #expect(try read.shownNotices() == ids)
        #expect(Extensions(shownNotices: [], tokenKey: key).items.map(\.type) == [4])
        #expect(Extensions(shownNotices: ids, tokenKey: nil) == Extensions(shownNotices: ids))
        #expect(try Extensions(shownNotices: ids).tokenKey() == nil)
    }

    @Test("What is no thumbprint is an error, not no key", arguments: [0, 31, 33, 64])
    func wrongLength(_ count: Int) throws {
        let item = Extensions.Item(type: 4, value: [UInt8](repeating: 7, count: count))
        let read = try L5(decoding: appLogin(Extensions(items: [item])).encoded).extensions
        #expect(throws: WireError.badLength) { try read.tokenKey() }
    }
}
