/// Something the person should know: another device was enrolled (protocol §5). Extension 1 of each L6 and PingAnswer until the phone says, by its id
/// and in a later signed message of the account, that it was shown (protocol §8).
package struct NewDeviceNotice: WireStruct, Equatable {
    package static let extensionType: UInt16 = 1
    /// How many travel in one answer, or are acknowledged by one message.
    package static let mostAtOnce = 16

    package let id: NoticeID
    /// The new device's name, at most 255 bytes.
    package let device: String
    package let time: Instant

    package init(id: NoticeID, device: String, time: Instant) {
        self.id = id
        self.device = device
        self.time = time
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        id = try NoticeID(from: &reader)
        device = try reader.text8()
        time = try reader.instant()
    }

    package func write(to writer: inout ByteWriter) {
        id.write(to: &writer)
        writer.text8(device)
        writer.instant(time)
    }
}

extension Extensions {
    /// Extension 2 of L5, Ping and Stop: the notices that the person was shown.
    package static let shownNoticesType: UInt16 = 2

    /// The notices as one extension; none when the list is empty. At most 16, the oldest: the others follow when these were acknowledged.
    package init(notices: [NewDeviceNotice]) {
        guard !notices.isEmpty else {
            self = .none
            return
        }
        var writer = ByteWriter()
        writer.list(Array(notices.prefix(NewDeviceNotice.mostAtOnce))) { writer, notice in notice.write(to: &writer) }
        self.init(items: [Item(type: NewDeviceNotice.extensionType, value: writer.bytes)])
    }

    /// The notices that came along; none when there are none or they cannot be read.
    package var notices: [NewDeviceNotice] {
        guard let item = items.first(where: { $0.type == NewDeviceNotice.extensionType }) else { return [] }
        var reader = ByteReader(item.value)
        let notices = try? reader.list(cap: NewDeviceNotice.mostAtOnce) { reader throws(WireError) in try NewDeviceNotice(from: &reader) }
        return notices ?? []
    }

    /// What a phone acknowledges, as one extension; none when the list is empty. At most 16: the rest goes with the next message.
    package init(shownNotices: [NoticeID]) {
        guard !shownNotices.isEmpty else {
            self = .none
            return
        }
        var writer = ByteWriter()
        writer.list(Array(shownNotices.prefix(NewDeviceNotice.mostAtOnce))) { writer, id in id.write(to: &writer) }
        self.init(items: [Item(type: Self.shownNoticesType, value: writer.bytes)])
    }

    /// The notices that a phone acknowledges.
    /// - Throws: `WireError` when the list cannot be read, or goes on after its end.
    package func shownNotices() throws(WireError) -> [NoticeID] {
        guard let item = items.first(where: { $0.type == Self.shownNoticesType }) else { return [] }
        var reader = ByteReader(item.value)
        let ids = try reader.list(cap: NewDeviceNotice.mostAtOnce) { reader throws(WireError) in try NoticeID(from: &reader) }
        try reader.finish()
        return ids
    }
}

/// Bits of the `flags` of E2, E4, L2, L6 and PingAnswer.
package enum AnswerFlags {
    /// The server lets this account log in by a one-time code when the phone is off line.
    package static let otpOffered: UInt16 = 1
}
