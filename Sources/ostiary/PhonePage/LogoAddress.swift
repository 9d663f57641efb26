import Foundation

/// The image of a login as an address that a page may show: a script in it has no way to run there.
enum LogoAddress {
    /// Nil for what no browser takes for a picture.
    static func text(of bytes: [UInt8]) -> String? {
        type(of: bytes).map { "data:\($0);base64,\(base64(bytes))" }
    }

    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        return String(validating: bytes, as: UTF8.self)?.contains("<svg") == true ? "image/svg+xml" : nil
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
