import HTTPService
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Where the provider of a virtual server is")
struct ProviderAddressesTests {
    @Test("A proof is for the address of its endpoint at its own server, however often and in whatever order endpoints are asked for")
    func targets() throws {
        let addresses = ProviderAddresses(publicURL: try PublicURL(parsing: "https://Login.example:443"), first: Sample.server)
        for _ in 0..<2 {
            for path in ProviderPath.allCases {
                let first = try #require(HTTPTarget("https://login.example\(path.rawValue)"))
                let other = try #require(HTTPTarget("https://login.example/oidc/\(OAuthFixture.other.text)\(path.rawValue)"))
                #expect(try addresses.target(path, of: Sample.server) == first, "\(path)")
                #expect(try addresses.target(path, of: OAuthFixture.other) == other, "\(path)")
            }
        }
    }
}
