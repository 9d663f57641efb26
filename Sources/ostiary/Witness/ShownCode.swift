import Foundation
import OstiaryProtocol
import QRCode
import Synchronization

/// What the website shows now: the code on the page in its browser, read off the page's own events as they pass.
///
/// It stands for a camera that is held at the screen: of a code that moves it has the newest frame, and nothing when none is shown.
final class ShownCode: Sendable {
    /// A picture of tiles, as pages draw it.
    struct Tiles: Decodable, Equatable, Sendable {
        let columns: Int
        let rows: Int
        /// Row by row, one bit a tile, base64url.
        let bits: String
    }

    /// What a page is told; only what is needed here.
    private struct Snapshot: Decodable {
        let kind: String?
        let code: Tiles?
    }

    /// More than any event of a page.
    private static let longestEvent = 65_536

    private let tiles = Mutex<Tiles?>(nil)

    /// Listens to one answer: a stream of events, or one snapshot.
    func reader() -> PartTap {
        let unread = Mutex<[UInt8]>([])
        return { [weak self] part in
            let lines = unread.withLock { unread in
                unread += part
                if unread.count > Self.longestEvent { unread = [] }
                // A snapshot that was asked for is one line without an end.
                if unread.first == UInt8(ascii: "{"), unread.last == UInt8(ascii: "}") { unread.append(UInt8(ascii: "\n")) }
                var lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
                unread = lines.popLast() ?? []
                return lines
            }
            for line in lines { self?.read(line) }
        }
    }

    /// Reads a line of a stream: data are either a snapshot, which says whether there is a code, or the next frame of one.
    private func read(_ line: [UInt8]) {
        let prefix = Array("data: ".utf8)
        let json = Data(line.starts(with: prefix) ? line.dropFirst(prefix.count) : line[...])
        if let frame = try? JSONDecoder().decode(Tiles.self, from: json) {
            tiles.withLock { $0 = frame }
        } else if let snapshot = try? JSONDecoder().decode(Snapshot.self, from: json), snapshot.kind != nil {
            tiles.withLock { $0 = snapshot.code }
        }
    }

    /// The bytes in the code that is shown, as a camera would have them; nil when none is.
    func symbol() -> [UInt8]? { tiles.withLock(\.self).flatMap(Self.symbol) }

    private static func symbol(in tiles: Tiles) -> [UInt8]? {
        guard let bits = Base64URL.decode(tiles.bits), (1...200).contains(tiles.columns), (1...200).contains(tiles.rows),
            bits.count * 8 >= tiles.columns * tiles.rows
        else { return nil }
        let (wide, high) = (tiles.columns * scale, tiles.rows * scale)
        var grey = [UInt8](repeating: 255, count: wide * high)
        for row in 0..<high {
            for column in 0..<wide {
                let tile = (row / scale) * tiles.columns + column / scale
                if bits[tile / 8] & (0x80 >> UInt8(tile % 8)) != 0 { grey[row * wide + column] = 0 }
            }
        }
        guard let picture = try? PNGImage.encode(width: wide, height: high, grey: grey), let symbols = try? QRReader.read(picture) else { return nil }
        return symbols.count == 1 ? symbols[0] : nil
    }

    /// Pixels of a tile's edge.
    private static let scale = 4
}
