import Foundation
import HTTPTypes

extension HTTPFields {
    /// `Content-Type` without its parameters, in lower case; nil for none. A field that says more than that the text is UTF-8 stays whole, and so do two:
    /// nothing is of such a type.
    package var mediaType: String? {
        guard let field = self[.contentType] else { return nil }
        // As nearly everybody writes it there is nothing to take off.
        if field.utf8.allSatisfy(Self.isLowercaseType) { return field }
        let parts = field.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        let saysOnlyUTF8 = parts.dropFirst().allSatisfy { ["", "charset=utf-8", "charset=\"utf-8\""].contains($0) }
        return saysOnlyUTF8 ? parts.first : field.lowercased()
    }

    /// Whether a byte can't be but a part of a type in lower case.
    private static func isLowercaseType(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
