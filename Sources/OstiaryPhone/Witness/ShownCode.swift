import Foundation
import OstiaryProtocol
import Synchronization

/// What the website shows now: the code on the page in its browser, read off the page's own events as they pass.
///
/// It stands for a camera that is held at the screen: of a code that moves it has the frame of this second, as the page makes it from what it was
/// told (protocol §3), and nothing when none is shown.
final class ShownCode: Sendable {
    /// What a page is told of its code.
    private struct Told: Decodable {
        /// The link of now, base64url.
        let bytes: String
        /// The macs of the frames that follow, base64url; nil of a code that stands still.
        let next: String?
    }

    /// What a page is told; only what is needed here.
    private struct Snapshot: Decodable {
        let kind: String?
        let code: Told?
    }

    private struct Code {
        let bytes: [UInt8]
        let macs: [UInt8]
        let since: ContinuousClock.Instant
        /// The answer that told it.
        let reader: Reader

        init?(_ told: Told, by reader: Reader, at now: ContinuousClock.Instant) {
            guard let bytes = Base64URL.decode(told.bytes), let macs = Base64URL.decode(told.next ?? "") else { return nil }
            guard macs.isEmpty || bytes.count == LoginLink.count else { return nil }
            (self.bytes, self.macs, since, self.reader) = (bytes, macs, now, reader)
        }

        /// The frame of that moment; where none is told for it, the last one, as it stands on the screen.
        func frame(at now: ContinuousClock.Instant) -> [UInt8] {
            let seconds = min(Int((now - since).components.seconds), macs.count / 8)
            guard seconds > 0 else { return bytes }
            let number = (UInt16(bytes[26]) << 8 | UInt16(bytes[27])) &+ UInt16(seconds)
            return bytes[..<26] + [UInt8(number >> 8), UInt8(number & 0xFF), bytes[28]] + macs[8 * seconds - 8..<8 * seconds]
        }
    }

    /// An answer that is listened to.
    private struct Reader: Equatable {
        /// In the order of their beginnings.
        let number: Int
        let isStream: Bool
    }

    /// More than any event of a page.
    private static let longestEvent = 65_536

    private let code = Mutex<Code?>(nil)
    private let readers = Mutex(0)
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @Sendable @escaping () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Listens to one answer.
    /// - Parameter isStream: whether its page is gone when it ends; else it is one snapshot.
    func reader(isStream: Bool) -> PartTap {
        let unread = Mutex<[UInt8]>([])
        let reader = readers.withLock { count in
            count += 1
            return Reader(number: count, isStream: isStream)
        }
        return { [weak self] part in
            guard !part.isEmpty else {
                if isStream { self?.forget(reader) }
                return
            }
            let lines = unread.withLock { unread in
                unread += part
                if unread.count > Self.longestEvent { unread = [] }
                // A snapshot that was asked for is one line without an end.
                if unread.first == UInt8(ascii: "{"), unread.last == UInt8(ascii: "}") { unread.append(UInt8(ascii: "\n")) }
                var lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
                unread = lines.popLast() ?? []
                return lines
            }
            for line in lines { self?.read(line, by: reader) }
        }
    }

    /// Reads a line of a stream: data are either a snapshot, which says whether there is a code, or what the code says from now on.
    private func read(_ line: [UInt8], by reader: Reader) {
        let prefix = Array("data: ".utf8)
        let json = Data(line.starts(with: prefix) ? line.dropFirst(prefix.count) : line[...])
        if let told = try? JSONDecoder().decode(Told.self, from: json) {
            show(told, by: reader)
        } else if let snapshot = try? JSONDecoder().decode(Snapshot.self, from: json), snapshot.kind != nil {
            show(snapshot.code, by: reader)
        }
    }

    private func show(_ told: Told?, by reader: Reader) {
        let shown = told.flatMap { Code($0, by: reader, at: now()) }
        code.withLock { code in
            // A page that begins anew listens anew: the last words of its former stream come when the later one has told the same, and it ends.
            if let former = code?.reader, former.isStream, former.number > reader.number { return }
            code = shown
        }
    }

    /// The page is gone, unless another answer has told of one since.
    private func forget(_ reader: Reader) { code.withLock { if $0?.reader == reader { $0 = nil } } }

    /// The bytes in the code that is shown, as a camera would have them; nil when none is.
    func symbol() -> [UInt8]? {
        let now = now()
        return code.withLock { $0?.frame(at: now) }
    }
}
