/// How large a PNG or JPEG says that it is: what a decoder sets memory aside for.
struct RasterHead: Equatable {
    let width: Int
    let height: Int

    var fits: Bool { (1...PlainPicture.longestEdge).contains(width) && (1...PlainPicture.longestEdge).contains(height) }

    /// Nil for bytes that do not begin as a PNG does: signature and header chunk (PNG, third edition, §5.2 and §11.2.1).
    static func png(_ bytes: [UInt8]) -> RasterHead? {
        let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard bytes.count >= 33, bytes.starts(with: beginning) else { return nil }
        return RasterHead(width: number(bytes[16..<20]), height: number(bytes[20..<24]))
    }

    /// Each scan of a progressive JPEG goes over all pixels anew; pictures have some ten.
    private static let mostScans = 32

    /// Nil for bytes that have no frame header before their first scan, as a JPEG has, or more scans than a picture needs (ITU-T T.81, B.1.1 and B.2.2).
    static func jpeg(_ bytes: [UInt8]) -> RasterHead? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), scans(in: bytes) <= mostScans else { return nil }
        var place = 2
        while place + 4 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            // Fill.
            if marker == 0xFF {
                place += 1
                continue
            }
            let length = number(bytes[(place + 2)..<(place + 4)])
            switch marker {
            case 0xC4, 0xC8, 0xCC, 0xDB, 0xDD, 0xE0...0xEF, 0xFE: break
            case 0xC0...0xCF:
                guard length >= 8, place + 9 <= bytes.count else { return nil }
                return RasterHead(width: number(bytes[(place + 7)..<(place + 9)]), height: number(bytes[(place + 5)..<(place + 7)]))
            default: return nil
            }
            guard length >= 2 else { return nil }
            place += 2 + length
        }
        return nil
    }

    /// In what a scan holds its marker cannot stand.
    private static func scans(in bytes: [UInt8]) -> Int {
        bytes.indices.dropLast().count(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
