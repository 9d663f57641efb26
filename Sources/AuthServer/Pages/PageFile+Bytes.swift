import CPageFiles

extension PageFile {
    /// All of it.
    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
