/// What a person compares to know a server again: five words and a picture, both from 40 bits of its root (protocol §3).
///
/// Another root with the same five bytes costs some 2^40 runs of Argon2id, about 2 400 core-years.
package struct VisualHash: Equatable, Sendable {
    package static let count = 5
    package let bytes: [UInt8]

    /// The five bytes of a server's root, 32 bytes H("root", Root). Takes about 70 ms and 32 MiB: keep the result.
    package init(rootHash: [UInt8]) throws(Argon2idError) {
        let salt = Array(H(.visual, []).prefix(Argon2id.saltCount))
        bytes = Array(try Argon2id.stretch(rootHash, salt: salt, .standard, count: 16).prefix(Self.count))
    }

    /// Five bytes that were computed before; nil for any other number.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// Five words, also for whoever cannot see the picture.
    package var words: [String] { bytes.map { VisualHashWords.list[Int($0)] } }

    package var picture: VisualPicture { VisualPicture(bits: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }

    /// The picture as a scalable image whose text alternative is the words.
    package var svg: String { picture.svg(label: words.joined(separator: " ")) }
}
