/// Something the person should know of another of their devices, told in each L6 and PingAnswer until the phone says, by its id and in a later signed
/// message of the account, that it was shown (protocol §8).
package struct DeviceNotice: Equatable, Sendable {
    /// What happened; the number is that of the extension in which such notices travel.
    package enum Subject: UInt8, CaseIterable, Sendable {
        /// The device was enrolled (protocol §5).
        case enrolled = 1
        /// A biometric alone set a new PIN on the device (protocol §7).
        case pinByBiometric = 3
    }

    /// How many of a subject travel in one answer, or are acknowledged by one message.
    package static let mostAtOnce = 16

    package let subject: Subject
    package let id: NoticeID
    /// The name of the device where it happened, at most 255 bytes.
    package let device: String
    package let time: Instant

    package init(_ subject: Subject, id: NoticeID, device: String, time: Instant) {
        self.subject = subject
        self.id = id
        self.device = device
        self.time = time
    }

    init(_ subject: Subject, from reader: inout ByteReader) throws(WireError) {
        self.subject = subject
        id = try NoticeID(from: &reader)
        device = try reader.text8()
        time = try reader.instant()
    }

    func write(to writer: inout ByteWriter) {
        id.write(to: &writer)
        writer.text8(device)
        writer.instant(time)
    }
}

extension Extensions {
    /// Extension 2 of L5, Ping and Stop: the notices that the person was shown.
    package static let shownNoticesType: UInt16 = 2

    /// The notices, an extension for each subject; none when the list is empty. At most 16 of a subject, the oldest: the others follow when these were
    /// acknowledged.
    package init(notices: [DeviceNotice]) {
        let items = DeviceNotice.Subject.allCases.compactMap { subject -> Item? in
            let told = notices.filter { $0.subject == subject }.prefix(DeviceNotice.mostAtOnce)
            guard !told.isEmpty else { return nil }
            var writer = ByteWriter()
            writer.list(Array(told)) { writer, notice in notice.write(to: &writer) }
            return Item(type: UInt16(subject.rawValue), value: writer.bytes)
        }
        self.init(items: items)
    }

    /// The notices that came along, subject by subject; none of one that did not come or cannot be read.
    package var notices: [DeviceNotice] { DeviceNotice.Subject.allCases.flatMap { notices(of: $0) } }

    private func notices(of subject: DeviceNotice.Subject) -> [DeviceNotice] {
        guard let item = items.first(where: { $0.type == UInt16(subject.rawValue) }) else { return [] }
        var reader = ByteReader(item.value)
        let notices = try? reader.list(cap: DeviceNotice.mostAtOnce) { reader throws(WireError) in try DeviceNotice(subject, from: &reader) }
        return notices ?? []
    }

    /// What a phone acknowledges, as one extension; none when the list is empty. At most 16: the rest goes with the next message.
    package init(shownNotices: [NoticeID]) {
        guard !shownNotices.isEmpty else {
            self = .none
            return
        }
        var writer = ByteWriter()
        writer.list(Array(shownNotices.prefix(DeviceNotice.mostAtOnce))) { writer, id in id.write(to: &writer) }
        self.init(items: [Item(type: Self.shownNoticesType, value: writer.bytes)])
    }

    /// The notices that a phone acknowledges.
    /// - Throws: `WireError` when the list cannot be read, or goes on after its end.
    package func shownNotices() throws(WireError) -> [NoticeID] {
        guard let item = items.first(where: { $0.type == Self.shownNoticesType }) else { return [] }
        var reader = ByteReader(item.value)
        let ids = try reader.list(cap: DeviceNotice.mostAtOnce) { reader throws(WireError) in try NoticeID(from: &reader) }
        try reader.finish()
        return ids
    }
}
