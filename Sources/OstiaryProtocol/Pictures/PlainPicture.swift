/// What kind of picture may be shown to a person: one whose drawing costs little, whoever made it. Bytes that a server takes from a backend are looked at,
/// and again by whoever shows what came from a server.
///
/// 64 KiB hold a PNG of 20,000 pixels a side, or an SVG that names itself a hundred million times: either holds up the program that draws it.
package enum PlainPicture: String, Sendable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case svg = "image/svg+xml"

    /// The longest edge of a PNG or JPEG, in pixels.
    package static let longestEdge = 2_048
    /// For whoever sent another: the end of a sentence.
    package static let rule =
        "is a PNG or JPEG of at most \(longestEdge) pixels a side, or a plain SVG (shapes, texts and gradients), of at most 64 KiB"
    /// Bytes of a picture.
    package static let mostBytes = 65_536

    /// Nil for whatever is none, is too large, or has in it what could cost more than it says.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        if let size = RasterHead.png(bytes) {
            guard size.fits else { return nil }
            self = .png
        } else if let size = RasterHead.jpeg(bytes) {
            guard size.fits else { return nil }
            self = .jpeg
        } else if PlainSVG.allows(bytes) {
            self = .svg
        } else {
            return nil
        }
    }
}
