/// Room for an answer that is written from its first byte to its last: its texts are copied one behind the other. A buffer of NIO looks at itself at each
/// text it is given.
struct AnswerRoom {
    private let room: UnsafeMutableRawBufferPointer
    /// How many bytes were written.
    private(set) var count = 0

    /// - Parameter room: large enough for all that is put there.
    init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBytes { copy($0) } }

    /// So many bytes, which somebody writes at once.
    mutating func take(_ length: Int) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(length <= room.count - count, "an answer is longer than its room")
        defer { count += length }
        return UnsafeMutableRawBufferPointer(rebasing: room[count..<count + length]).bindMemory(to: UInt8.self)
    }

    private mutating func copy(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(take(bytes.count)).copyMemory(from: bytes)
    }
}
