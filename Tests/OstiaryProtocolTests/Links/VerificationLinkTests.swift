import OstiaryProtocol
import Testing

@Suite("What a device shows (RFC 8628 §3.3.1)")
struct VerificationLinkTests {
    @Test("It is the address of a page for codes, of any virtual server, with a code; its origin is what stands there")
    func forms() {
        for (text, origin) in [
            ("https://login.example/device?user_code=BCDF-GHJK", "https://login.example"),
            ("https://login.example:8443/oidc/0123/device?user_code=BCDFGHJK", "https://login.example:8443"),
            ("http://127.0.0.1:8080/device?user_code=b", "http://127.0.0.1:8080"), ("https://[::1]/device?user_code=B", "https://[::1]"),
        ] {
            let link = VerificationLink(text)
            #expect(link?.text == text && link?.origin == origin)
        }
    }

    @Test(
        "Any other address, and any other text, is none",
        arguments: [
            "", "https://login.example/device", "https://login.example/device?user_code=", "https://login.example/l#AQID",
            "https://login.example/device?user_code=BCDF-GHJK#AQID", "https://login.example/device?user_code=BCDF-GHJK&lang=de",
            "https://login.example/device?lang=de&user_code=BCDF-GHJK", "https://login.example/devices?user_code=B",
            "https:///device?user_code=B", "ftp://login.example/device?user_code=B", "HTTPS://LOGIN.EXAMPLE/DEVICE?USER_CODE=B",
            "login.example/device?user_code=B", "https://login.example?x=/device?user_code=B", " https://login.example/device?user_code=B",
            "https://login.example/device?user_code=B\n", "https://lógin.example/device?user_code=B",
            "https://login.example/device?user_code=\(String(repeating: "B", count: 480))",
        ])
    func others(_ text: String) { #expect(VerificationLink(text) == nil) }

    @Test("A server finds the code in the address of its own page, to the byte, and in no other's")
    func code() {
        let page = "https://login.example/device"
        #expect(VerificationLink.code(in: "\(page)?user_code=BCDF-GHJK", for: page) == "BCDF-GHJK")
        for text in ["https://login.example.evil/device?user_code=B", "https://login.example/oidc/0123/device?user_code=B", "\(page)?code=B", page] {
            #expect(VerificationLink.code(in: text, for: page) == nil)
        }
    }
}
