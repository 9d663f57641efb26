import OAuthProvider
import Testing

@Suite("What a client is told that did not get what it asked for")
struct OAuthErrorTests {
    @Test("Whoever has to wait is told for how long, and by the status whose fault it is; the word says neither")
    func waiting() {
        for code in OAuthErrorCode.allCases {
            let often = OAuthError.tooOften(code, "later", after: 7)
            #expect(often.status == 429 && often.retryAfter == 7 && often.code == code)
            let plain = OAuthError(code, "later")
            #expect(plain.status == code.status && plain.retryAfter == nil && plain != often)
        }
        let away = OAuthError.unavailable("later", after: 7)
        #expect(away.status == 503 && away.retryAfter == 7 && away.code == .temporarilyUnavailable)
        // The same word and the same time, and not the same answer.
        #expect(away != .tooOften(.temporarilyUnavailable, "later", after: 7) && away != .unavailable("later", after: 8))
    }
}
