import Foundation
import HTTPTypes

extension HTTPFields {
    /// `Content-Type` without its parameters, in lower case; nil for none. A field that says more than that the text is UTF-8 stays whole, and so do two:
    /// nothing is of such a type.
    package var mediaType: String? {
        guard let field = self[.contentType] else { return nil }
        let parts = field.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        let isPlain = parts.dropFirst().allSatisfy { ["", "charset=utf-8", "charset=\"utf-8\""].contains($0) }
        return isPlain ? parts.first : field.lowercased()
    }
}
