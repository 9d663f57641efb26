/// Something the person should know, sent once with the next L6 or PingAnswer as extension 1: another device was enrolled (protocol §5).
package struct NewDeviceNotice: WireStruct, Equatable {
    package static let extensionType: UInt16 = 1

    /// The new device's name, at most 255 bytes.
    package let device: String
    package let time: Instant

    package init(device: String, time: Instant) {
        self.device = device
        self.time = time
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        device = try reader.text8()
        time = try reader.instant()
    }

    package func write(to writer: inout ByteWriter) {
        writer.text8(device)
        writer.instant(time)
    }
}

extension Extensions {
    /// The notices as one extension; none when the list is empty. At most 16, the newest.
    package init(notices: [NewDeviceNotice]) {
        guard !notices.isEmpty else {
            self = .none
            return
        }
        var writer = ByteWriter()
        writer.list(Array(notices.suffix(16))) { writer, notice in notice.write(to: &writer) }
        self.init(items: [Item(type: NewDeviceNotice.extensionType, value: writer.bytes)])
    }

    /// The notices that came along; none when there are none or they cannot be read.
    package var notices: [NewDeviceNotice] {
        guard let item = items.first(where: { $0.type == NewDeviceNotice.extensionType }) else { return [] }
        var reader = ByteReader(item.value)
        let notices = try? reader.list(cap: 16) { reader throws(WireError) in try NewDeviceNotice(from: &reader) }
        return notices ?? []
    }
}

/// Bits of the `flags` of E2, E4, L2, L6 and PingAnswer.
package enum AnswerFlags {
    /// The server lets this account log in by a one-time code when the phone is off line.
    package static let otpOffered: UInt16 = 1
}
