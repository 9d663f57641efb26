import OstiaryProtocol

/// A picture that the phone shows beside a server's name, named by its hash.
package struct ServerLogo: Equatable, Sendable {
    /// The most that a phone is asked to load, in bytes.
    package static let mostBytes = 65_536

    package enum Format: String, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case svg = "image/svg+xml"
    }

    package let bytes: [UInt8]
    package let format: Format
    /// SHA of the bytes, which an L2 carries and the phone checks.
    package let hash: [UInt8]

    /// Nil unless the bytes look like a PNG, a JPEG or an SVG and are not too many. Whether they are a plain picture (`PlainPicture`) is asked of what comes
    /// in, once; here also what is stored is read.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            format = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            format = .jpeg
        } else if Self.hasTag(bytes), String(validating: bytes, as: UTF8.self) != nil {
            format = .svg
        } else {
            return nil
        }
        self.bytes = bytes
        hash = SHA(bytes)
    }

    private static let tag = Array("<svg".utf8)

    /// Byte by byte: a logo is looked at whenever the row of its server is read, and a search by characters makes that sixty times as dear.
    private static func hasTag(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0] == tag[0] && bytes[$0...].starts(with: tag) }
    }
}
