/// What is short on the wire and long when it is unpacked.
enum PackedBomb {
    /// 1 MiB of zeros in 1 037 bytes of deflate (RFC 1951), flushed, so that it may be repeated.
    static let megabyte: [UInt8] =
        [0xEC, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0] + [UInt8](repeating: 0, count: 1_016)
        + [0x3E, 0x03, 0, 0, 0xFF, 0xFF]

    /// What a stream of gzip (RFC 1952) begins with.
    static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
}
