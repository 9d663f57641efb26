import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("What is in the way to a file, other than a right")
struct FileWayTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func link(_ name: String, to target: String) throws -> String {
        let link = folder.file(name)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        return link
    }

    @Test(
        "A link that leads nowhere is told with where it leads, be it the file or a folder above it; of what is missing without a link no more is told"
    )
    func nowhere() throws {
        let none = folder.file("none")
        let (file, data) = (try link("file", to: "\(none)/it"), try link("data", to: none))
        let words = "\(file) is a link to \(none)/it, and there is no such file: mount the disk that it is on, or put it back"
        #expect(readingReason(ENOENT, of: file) == "no such file or directory: \(words)" && readingAdvice(of: file) == words)
        let database = "\(data)/it.sqlite"
        let folderWords = "\(data) is a link to \(none), and there is no such folder: mount the disk that it is on, or make it"
        #expect(folderReason(CocoaError(.fileWriteUnknown), of: database) == "its folder cannot be made: \(folderWords)")
        #expect(readingAdvice(of: database) == folderWords)
        #expect(throws: DatabaseOpenError.cannotOpen(path: database, reason: "\(folderWords); nothing was made")) {
            try DatabaseFile.checkLink(database)
        }
        #expect(readingAdvice(of: "\(none)/it") == nil && readingReason(ENOENT, of: "\(none)/it") == "no such file or directory")
        try DatabaseFile.checkLink("\(none)/it")
    }

    @Test("Links in a circle are told as that, on the way too; a link that is not followed on purpose is none of them")
    func circle() throws {
        let (one, other) = (try link("one", to: folder.file("other")), try link("other", to: folder.file("one")))
        let words = "too many levels of symbolic links: the links behind \(one) lead in a circle (namei \(one) shows them): "
        #expect(readingReason(ELOOP, of: one).hasPrefix(words))
        let error = #expect(throws: DatabaseOpenError.self) { try DatabaseFile.status(at: "\(one)/it.sqlite") }
        #expect(error?.description.contains(": \(words)") == true, "\(String(describing: error))")
        #expect(readingAdvice(of: other)?.contains(" behind \(other) lead in a circle") == true)
        let good = try link("good", to: try folder.write("", to: "it"))
        #expect(makingReason(ELOOP, of: good) == "too many levels of symbolic links")
    }

    @Test("A file in the place of a folder is told by its name, and so is a folder in the place of a file")
    func kinds() throws {
        let file = try folder.write("", to: "it")
        let words = "not a directory: \(file) is a file, and a folder is to be there: mend the path"
        #expect(readingReason(ENOTDIR, of: "\(file)/deep/it.kek") == words && makingReason(ENOTDIR, of: "\(file)/it.kek") == words)
        #expect(makingReason(EISDIR, of: folder.path).hasPrefix("is a directory: \(folder.path) is a folder, and a file is to be there: "))
        #expect(makingReason(ENAMETOOLONG, of: file) == "file name too long")
    }

    @Test("Of a path that goes up behind a link nothing is told: by its letters it would lead somewhere else than it does")
    func upwards() throws {
        try FileManager.default.createDirectory(atPath: folder.file("deep/it"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder.file("deep/er"), withIntermediateDirectories: true)
        let way = try link("way", to: folder.file("deep/er"))
        // By its letters it leads into this file.
        let file = try folder.write("", to: "it")
        #expect(readingReason(ENOENT, of: "\(way)/../it/none") == "no such file or directory")
        try DatabaseFile.checkLink("\(way)/../it/none")
        #expect(readingReason(ENOTDIR, of: "\(file)/none").contains("\(file) is a file, and a folder is to be there"))
    }

    @Test("A folder in the place of a file that SQLite makes is told by its name, and keeps its mode", arguments: ["-wal", "-shm", "-journal"])
    func side(suffix: String) async throws {
        let file = folder.databasePath
        try await SQLiteDatabase.open(path: file).close()
        #expect(WritingRight(ofDatabaseAt: file)?.advice == nil)
        let side = file + suffix
        try FileManager.default.createDirectory(atPath: side, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let error = #expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: file) }
        let words = ": \(side) is a folder, and a file is to be there: move the folder elsewhere, or name another file"
        // To SQLite that of a journal is an error of the disk, which may be the cause all the same.
        let disk = ". If this is not why (disk I/O error), look whether the disk or a quota is full, or the disk fails; then try again"
        let isTold =
            suffix == "-journal"
            ? error?.description == "cannot open the database \(file)\(words)\(disk)" : error?.description.hasSuffix(words) == true
        #expect(isTold, "\(String(describing: error))")
        #expect(try FileManager.default.attributesOfItem(atPath: side)[.posixPermissions] as? Int == 0o755)
        try FileManager.default.removeItem(atPath: side)
        try await SQLiteDatabase.open(path: file).close()
    }

    /// What is said of what is no file.
    private static func words(_ place: String, _ kind: String) -> String { "\(place) is a \(kind), and a file is to be there: move it away" }

    @Test(
        "A pipe in the place of the database, or of what lies beside it, is told as that before anything is opened, and nobody waits for it",
        arguments: ["", "-wal", "-shm", "-journal", ".moved", ".first-start", ".first-start.part"])
    func pipe(suffix: String) async throws {
        let file = folder.databasePath
        if !suffix.isEmpty {
            try await SQLiteDatabase.open(path: file).close()
            // Which is made first.
            try FileManager.default.removeItem(atPath: "\(file).lock")
        }
        let place = file + suffix
        try #require(mkfifo(place, 0o600) == 0)
        let listed = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let error = DatabaseOpenError.cannotOpen(path: file, reason: Self.words(place, "pipe"))
        #expect(throws: error) { try DatabaseFile.checkLink(file) }
        #expect(throws: error) { try checkContent(.ours, of: .sqlite(path: file)) }
        #expect(try schemaSign(of: .sqlite(path: file)) == nil)
        for ownership in [DatabaseOwnership.exclusive, .shared] {
            #expect(throws: error) { try SQLiteDatabase.open(path: file, ownership: ownership) }
        }
        if suffix == ".moved" {
            #expect(throws: error) { try checkNotMoved(.sqlite(path: file)) }
            let word = MovedWord(target: nil, mark: .unreadFile(place, reason: Self.words(place, "pipe")))
            #expect(MovedFile.word(beside: file) == word)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == listed)
        try FileManager.default.removeItem(atPath: place)
        try await SQLiteDatabase.open(path: file).close()
    }

    @Test("A device and a socket are told as what they are, also behind a link; of what is missing, a file, a folder or a link to one nothing is")
    func otherKinds() throws {
        let device = try link("device", to: "/dev/null")
        let error = DatabaseOpenError.cannotOpen(path: device, reason: Self.words(device, "device"))
        #expect(throws: error) { try DatabaseFile.checkKinds(of: device) }
        // By a link SQLite opens nothing beside a database: that is told as a link.
        let file = try folder.write("", to: "it.sqlite")
        _ = try link("it.sqlite-wal", to: "/dev/null")
        try DatabaseFile.checkKinds(of: file)
        // Not where a system makes none so.
        let socket = folder.file("socket")
        if mknod(socket, S_IFSOCK | 0o600, 0) == 0 { #expect(FileWay.stranger(at: socket) == Self.words(socket, "socket")) }
        for place in [folder.file("none"), file, folder.path, try link("way", to: file)] { #expect(FileWay.stranger(at: place) == nil, "\(place)") }
    }

    @Test(
        "A link in the place of a file that SQLite makes is told as that, with where it leads, before anything is made",
        arguments: ["-wal", "-shm", "-journal"], [false, true])
    func sideLink(suffix: String, isGone: Bool) async throws {
        let (file, target) = (folder.databasePath, folder.file("it's"))
        try await SQLiteDatabase.open(path: file).close()
        let kept = try Data(contentsOf: URL(fileURLWithPath: file))
        // Which is made first, of what lies beside a database.
        try FileManager.default.removeItem(atPath: "\(file).lock")
        let name = URL(fileURLWithPath: file).lastPathComponent + suffix
        let side = try link(name, to: "it's")
        if !isGone { _ = try folder.write("left", to: "it's") }
        let listed = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let (move, gone) = ("run mv '\(folder.file("it"))'\\''s' \(side)", isGone ? ", which is not there" : "")
        let back = isGone ? "mount the disk that it is on, and start again; or restore a backup" : move
        let remedy = suffix == "-shm" ? "run rm \(side), and it is made anew" : back
        let error = DatabaseOpenError.cannotOpen(path: file, reason: "\(side) is a link to \(target)\(gone), and SQLite follows none: \(remedy)")
        for ownership in [DatabaseOwnership.exclusive, .shared] {
            #expect(throws: error) { try SQLiteDatabase.open(path: file, ownership: ownership) }
        }
        #expect(throws: error) { try DatabaseFile.checkLink(file) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == listed)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == kept)
        try FileManager.default.removeItem(atPath: side)
        try await SQLiteDatabase.open(path: file).close()
    }

    /// What is said of a link in the place of a log.
    private func told(_ file: String) -> String {
        let error = #expect(throws: DatabaseOpenError.self) { try DatabaseFile.checkSides(of: file) }
        return error?.description ?? ""
    }

    private static let doubt = ", which need not be of this database, and SQLite follows none: look who has put the link there, and what it leads to"

    @Test(
        "Of a link in the place of a log the file is moved to which the last one leads, and nothing that may be anybody's: no file, or one of two names",
        arguments: ["-wal", "-journal"])
    func sideChain(suffix: String) throws {
        let file = try folder.write("", to: "it.sqlite")
        try FileManager.default.createDirectory(atPath: folder.file("deep"), withIntermediateDirectories: true)
        _ = try link("deep/way", to: "it")
        let (side, target) = (try link("it.sqlite\(suffix)", to: "deep/way"), try folder.write("left", to: "deep/it"))
        #expect(told(file).hasSuffix("\(side) is a link to \(target), and SQLite follows none: run mv \(target) \(side)"), "\(told(file))")
        let doubt = "\(side) is a link to \(target)\(Self.doubt)"
        try FileManager.default.linkItem(atPath: target, toPath: folder.file("second"))
        #expect(told(file).hasSuffix(doubt), "\(told(file))")
        try FileManager.default.removeItem(atPath: target)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        #expect(told(file).hasSuffix(doubt), "\(told(file))")
    }

    @Test(
        "Of a link in the place of a log nothing is moved but what the database's owner has, and has linked: others put a link there to any file",
        .enabled(if: geteuid() == 0), arguments: ["-wal", "-journal"])
    func foreignSide(suffix: String) throws {
        let (file, target, stranger) = (try folder.write("", to: "it.sqlite"), try folder.write("left", to: "shadow"), uid_t(61_234))
        let way = try link("way", to: "shadow")
        let side = try link("it.sqlite\(suffix)", to: "way")
        // Owners of the target, of both links, and of the database.
        let owners: [(target: uid_t, way: uid_t, side: uid_t, database: uid_t)] = [
            (0, 0, 0, 0), (stranger, stranger, stranger, stranger), (0, stranger, stranger, stranger), (0, 0, 0, stranger), (0, stranger, 0, 0),
            (0, 0, stranger, 0), (stranger, stranger, stranger, 0),
        ]
        for (number, owner) in owners.enumerated() {
            try #require(lchown(way, owner.way, 0) == 0 && lchown(side, owner.side, 0) == 0)
            try #require(chown(target, owner.target, 0) == 0 && chown(file, owner.database, 0) == 0)
            let words = number < 2 ? ", and SQLite follows none: run mv \(target) \(side)" : Self.doubt
            #expect(told(file).hasSuffix("\(side) is a link to \(target)\(words)"), "\(owner): \(told(file))")
        }
    }
}
