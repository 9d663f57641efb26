import OstiaryTesting
import Testing

@testable import OstiaryPhone

@Suite("LogoAddress")
struct LogoAddressTests {
    @Test("A43: the phone page shows no picture that a server of somebody else's made to hold it up")
    func plainOnly() {
        #expect(LogoAddress.text(of: TestPicture.png())?.hasPrefix("data:image/png;base64,iVBORw0KGgo") == true)
        #expect(LogoAddress.text(of: TestPicture.jpeg())?.hasPrefix("data:image/jpeg;base64,") == true)
        #expect(LogoAddress.text(of: TestPicture.svg("<g/>"))?.hasPrefix("data:image/svg+xml;base64,") == true)
        #expect(LogoAddress.text(of: TestPicture.png(width: 20_000, height: 20_000)) == nil)
        #expect(LogoAddress.text(of: TestPicture.svg(##"<g id="a"/><use href="#a"/>"##)) == nil)
    }
}
