import Authentication
import OstiaryProtocol

/// In the table as one column: { label v16, city v16, announcements list<(key v16, text v16)>, logoHash v8(0|32),
/// notes { info list<(key v16, text v16)>, ip v16, userAgent v16 } }. Rows of before there were notes end after the announcements.
extension BrowserContext: WireStruct {
    package init(from reader: inout ByteReader) throws(WireError) {
        let (label, city) = (try reader.text16(), try reader.text16())
        let announcements = try reader.announcements()
        guard reader.remaining > 0 else {
            self.init(label: label, city: city, announcements: announcements)
            return
        }
        let logoHash = try reader.optional8(32)
        let notes = SessionNotes(info: try reader.announcements(), ip: try reader.text16(), userAgent: try reader.text16())
        self.init(label: label, city: city, announcements: announcements, logoHash: logoHash, notes: notes)
    }

    package func write(to writer: inout ByteWriter) {
        writer.text16(label)
        writer.text16(city)
        writer.write(announcements)
        writer.optional8(logoHash, 32)
        writer.write(notes.info)
        writer.text16(notes.ip)
        writer.text16(notes.userAgent)
    }
}

extension ByteReader {
    fileprivate mutating func announcements() throws(WireError) -> [Announcement] {
        try list(cap: BrowserContext.mostAnnouncements) { reader throws(WireError) in
            Announcement(key: try reader.text16(), text: try reader.text16())
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ announcements: [Announcement]) {
        list(announcements) { writer, item in
            writer.text16(item.key)
            writer.text16(item.text)
        }
    }
}
