import GRDBSQLite

/// How far the log goes that counts: what SQLite keeps of it in memory that all its connections share, and so does not read from the disk
/// (sqlite.org/walformat.html, “The WAL-Index File Format”). To be looked at by whoever may write just now, when nobody changes it.
struct LogExtent: Equatable {
    let frames: Int
    /// That of the last frame, which goes on from those of all before it.
    let checksum: LogChecksum
    /// What the head of this log has, and each of its frames.
    let salts: UInt64

    /// Nil of a database in memory, which has no log.
    init?(of sqlite: OpaquePointer?) throws {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &found) { sqlite3_file_control(sqlite, "main", SQLITE_FCNTL_FILE_POINTER, $0) }
        guard code == SQLITE_OK, let file = found, let map = file.pointee.pMethods?.pointee.xShmMap else { return nil }
        var memory: UnsafeMutableRawPointer?
        guard map(file, 0, Self.piece, 0, &memory) == SQLITE_OK, let memory, memory.load(as: UInt32.self) == Self.version
        else { throw SQLError.fault(code: Int(SQLITE_ERROR), message: "the index of the log is of a form that is not known") }
        frames = Int(memory.load(fromByteOffset: 16, as: UInt32.self))
        checksum = LogChecksum(memory.load(fromByteOffset: 24, as: UInt32.self), memory.load(fromByteOffset: 28, as: UInt32.self))
        salts = memory.load(fromByteOffset: 32, as: UInt64.self)
    }

    private static let version: UInt32 = 3_007_000
    /// As SQLite asks for it, always.
    private static let piece: Int32 = 1 << 15
}

/// SQLite's checksum of a log, over head and frames one after the other.
struct LogChecksum: Equatable {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32 = 0, _ second: UInt32 = 0) { (self.first, self.second) = (first, second) }

    /// As it is written behind what it is of.
    init(writtenAt bytes: UnsafeRawPointer) {
        first = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
        second = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }

    /// - Parameters:
    ///   - count: a multiple of eight.
    ///   - isBigEndian: how the log takes four bytes for a number, which its head says.
    mutating func add(_ bytes: UnsafeRawPointer, count: Int, isBigEndian: Bool) {
        for place in stride(from: 0, to: count, by: 8) {
            let (one, two) = (
                bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self), bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            )
            first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
            second &+= (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
        }
    }
}

/// A log as it is read, frame by frame, and held against what it must be.
struct LogFrames {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    private let sqlite: OpaquePointer?
    private let extent: LogExtent

    private static let head = 32
    private static let frameHead = 24
    private static let mostPage = 1 << 16

    /// Nil where no log is, in memory.
    init?(of connection: SQLiteConnection, to extent: LogExtent) {
        guard let file = connection.logFile, let methods = file.pointee.pMethods?.pointee else { return nil }
        self.file = file
        self.methods = methods
        sqlite = connection.sqlite
        self.extent = extent
    }

    /// Reads all that counts.
    /// - Parameter writes: whether each part is written over itself as soon as it is known for what it must be.
    /// - Throws: `SQLITE_CORRUPT` at the first part that is not what was written.
    /// - Returns: where it ends.
    @discardableResult
    func read(writing writes: Bool) throws -> sqlite3_int64 {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.frameHead + Self.mostPage, alignment: 16)
        defer { bytes.deallocate() }
        try fetch(bytes, Self.head, at: 0)
        let magic = UInt32(bigEndian: bytes.load(as: UInt32.self))
        let page = Int(UInt32(bigEndian: bytes.load(fromByteOffset: 8, as: UInt32.self)))
        let isBigEndian = magic & 1 == 1
        var checksum = LogChecksum()
        checksum.add(bytes, count: Self.head - 8, isBigEndian: isBigEndian)
        guard magic & ~1 == 0x377f_0682, (512...Self.mostPage).contains(page), page & (page - 1) == 0,
            bytes.load(fromByteOffset: 16, as: UInt64.self) == extent.salts, checksum == LogChecksum(writtenAt: bytes + (Self.head - 8))
        else { throw Self.isAnother }
        if writes { try put(bytes, Self.head, at: 0) }
        let length = Self.frameHead + page
        for frame in 0..<extent.frames {
            let place = Self.head + frame * length
            try fetch(bytes, length, at: place)
            checksum.add(bytes, count: 8, isBigEndian: isBigEndian)
            checksum.add(bytes + Self.frameHead, count: page, isBigEndian: isBigEndian)
            guard bytes.load(fromByteOffset: 8, as: UInt64.self) == extent.salts, checksum == LogChecksum(writtenAt: bytes + 16)
            else { throw Self.isAnother }
            if writes { try put(bytes, length, at: place) }
        }
        guard checksum == extent.checksum else { throw Self.isAnother }
        return sqlite3_int64(Self.head + extent.frames * length)
    }

    /// Lets go of what is behind that: of a commit that was told to have failed.
    func cut(at end: sqlite3_int64) throws {
        guard let cut = methods.xTruncate else { return }
        try must(cut(file, end))
    }

    private func fetch(_ bytes: UnsafeMutableRawPointer, _ count: Int, at place: Int) throws {
        guard let fetch = methods.xRead else { throw Self.isAnother }
        let code = fetch(file, bytes, Int32(count), sqlite3_int64(place))
        // SQLITE_IOERR_SHORT_READ: it ends before that.
        guard code != SQLITE_IOERR | 2 << 8 else { throw Self.isAnother }
        try must(code)
    }

    private func put(_ bytes: UnsafeRawPointer, _ count: Int, at place: Int) throws {
        guard let put = methods.xWrite else { throw Self.isAnother }
        try must(put(file, bytes, Int32(count), sqlite3_int64(place)))
    }

    private func must(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLError(sqlite: sqlite, code: code) }
    }

    private static var isAnother: SQLError {
        .fault(code: Int(SQLITE_CORRUPT), message: "the system no longer has the log that was written")
    }
}
