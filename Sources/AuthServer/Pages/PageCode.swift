import Authentication
import HTTPService
import OstiaryProtocol

/// What the QR code of a page says. The page draws the symbol, and by itself the frames of the next seconds: each is the code with the next number and
/// the next mac in it.
struct PageCode {
    let bytes: [UInt8]
    /// The macs of the frames that follow, one a second; none of a code that stands still.
    let next: [[UInt8]]

    init(bytes: [UInt8]) {
        self.bytes = bytes
        next = []
    }

    init(_ frames: CodeFrames) {
        bytes = frames.first.bytes
        next = frames.next
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("bytes", Base64URL.encode(bytes))
            if !next.isEmpty { writer.member("next", Base64URL.encode(next.flatMap { $0 })) }
        }
    }
}
