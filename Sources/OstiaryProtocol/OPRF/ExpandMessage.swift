import Crypto

/// expand_message_xmd with SHA-512 to 64 bytes, the one length that this suite asks for (RFC 9380 §5.3.1).
///
/// One block of SHA-512 is 64 bytes, so the expansion is b_1 alone. `tag` is a constant of the suite, well below 256 bytes.
func expandMessage(_ message: UnsafeRawBufferPointer, tag: [UInt8]) -> [UInt8] {
    let tagWithLength = tag + [UInt8(tag.count)]
    var first = SHA512()
    first.update(data: [UInt8](repeating: 0, count: SHA512.blockByteCount))
    first.update(bufferPointer: message)
    first.update(data: [0, 64, 0])
    first.update(data: tagWithLength)
    var second = SHA512()
    second.update(data: Array(first.finalize()))
    second.update(data: [1])
    second.update(data: tagWithLength)
    return Array(second.finalize())
}
