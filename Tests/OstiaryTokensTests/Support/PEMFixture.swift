import OstiaryProtocol
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keys as `openssl genpkey` writes them, for tests and nothing else; their thumbprints were told by another library.
enum PEMFixture {
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHi0qjfFSM428kVJw
        Eb8ll68D1+sic+uSjBc71RT16ZyhRANCAAR12qXu25MG7IYTyq1TgDuV/r1su2bj
        9s+jR7+5XTMAThPNB+BVAswiviwa3gsq1Fh8qH/L8ZC+SpVer9q4qN7G
        -----END PRIVATE KEY-----
        """
    static let p256Thumbprint = "f5GXyJoiB62cfX0ZrHfvFsYWgFNQ2X2puqEjGEMaA98"
    static let edwards = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEINDbQQIJ1YFqVmK1n6+wt/iwufoXob9onp3sR2zOyIUv
        -----END PRIVATE KEY-----
        """
    static let edwardsThumbprint = "ekfsaG_Lfy87rEgAn-XDOVT4EC0-ddRFQObVYmxdsmg"
    static let x25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEICAkLHXWAubBt91fplB+j12fzhwkSfD/92KkFJoAVAt/
        -----END PRIVATE KEY-----
        """
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDD+c9qMkkP12fs/1vUQ
        z1teeBWc//LcYOlU7THJBPgkrCwI3rvpAhxD3o1cpLr6JQOhZANiAAR5f7SUoQN5
        pJuRfOdbzSilcn0Lg62kFVPZQ/jEmDCpNYU2sw2RwWYd7Y0Spl2H1jyehnKXuQR+
        hbdqjAePTMRj+Y97MqdN6Nj7F2gYQuiEkvhqsPJBIwf6DsPoQb1mD50=
        -----END PRIVATE KEY-----
        """
    /// The public half of `p256`.
    static let publicHalf = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEddql7tuTBuyGE8qtU4A7lf69bLtm
        4/bPo0e/uV0zAE4TzQfgVQLMIr4sGt4LKtRYfKh/y/GQvkqVXq/auKjexg==
        -----END PUBLIC KEY-----
        """
    /// `p256` under a word.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhd7mWvgLbpxgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELjj1BS297/tyBjdi/Zf81gEgZDK
        6gDg+lY1o02I5AWyAOy5YBBVEEC+diCaTT84a0gy5N68tYtQK4gcFte7ydOypzTH
        j1Ncv6VDAFi+aL/GH6su2Q7aP7cO4gFaBfBREOpnafu2is59LSKiqsguq4TiQW3D
        yD832TKkMwKna36rR9yVqtf0lQXH3PJXZsiz0I70OMgFS0f+YvQGpXVQShT0is8=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// PKCS #1 or PKCS #8, which of the two the word says (RFC 7468 §2).
    static func text(_ label: String, _ der: [UInt8]) -> String {
        var rest = Substring(Data(der).base64EncodedString())
        var lines: [Substring] = []
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return "-----BEGIN \(label)-----\n\(lines.joined(separator: "\n"))\n-----END \(label)-----\n"
    }
}
