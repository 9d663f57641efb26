// QRCode: pictures that carry bytes between a screen and a phone.
//
// Owns: QR symbols out (PNG, terminal), QR symbols in (a PNG or JPEG of a screen, or a frame of a video), and PNG encoding of small pictures
// such as the visual hash. Leaves to others: what the bytes mean (OstiaryProtocol) and where the picture is shown.
// Start reading here, then `QRReader`.

import CQREncode

/// A QR symbol (ISO/IEC 18004, byte mode): the square of dark and light modules, without its quiet zone.
package struct QRSymbol: Sendable, Equatable {
    /// How much of the symbol may be unreadable before its content is lost.
    package enum Correction: Sendable, CaseIterable {
        /// About 7 % of the codewords: the largest modules for a given content.
        case low
        /// About 15 %: what the login and enrol pages draw, too (qr.js).
        case medium
    }

    /// The standard's margin of light modules on each side (ISO/IEC 18004 §6.3.8).
    package static let quietZone = 4

    /// Modules along one edge, 21 to 177.
    package let side: Int
    /// Row by row from the top left; `true` is dark.
    package let modules: [Bool]

    /// The smallest symbol that holds these bytes, byte for byte.
    package init(bytes: [UInt8], correction: Correction = .medium) throws(QRSymbolError) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.capacity(correction) else { throw .tooLong(bytes: bytes.count) }
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, Self.level(correction)) else { throw .notEncodable }
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        self.side = side
        // The lowest bit of each byte is the colour; the others tell what the module is for.
        self.modules = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
    }

    /// Whether the module is dark. Outside the symbol everything is light, so a caller can draw the quiet zone by the same question.
    package func isDark(column: Int, row: Int) -> Bool {
        guard column >= 0, column < side, row >= 0, row < side else { return false }
        return modules[row * side + column]
    }

    /// What version 40, the largest, holds in byte mode (ISO/IEC 18004 table 7).
    private static func capacity(_ correction: Correction) -> Int {
        switch correction {
        case .low: 2953
        case .medium: 2331
        }
    }

    private static func level(_ correction: Correction) -> QRecLevel {
        switch correction {
        case .low: QR_ECLEVEL_L
        case .medium: QR_ECLEVEL_M
        }
    }
}

/// Why a symbol could not be made or drawn.
package enum QRSymbolError: Error, Equatable {
    /// There is nothing to encode.
    case empty
    /// More bytes than the largest symbol holds.
    case tooLong(bytes: Int)
    /// The encoder refused, which means that it ran out of memory.
    case notEncodable
    /// The size asked for lies outside `QRSymbol.pixelRange`.
    case sizeOutOfRange(pixels: Int)
    /// The symbol has more modules than the picture has pixels; it needs at least this many along an edge.
    case tooDense(minimumPixels: Int)
}
