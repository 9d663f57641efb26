import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("What to do about a file that may not be written")
struct WritingRightTests {
    /// Of whom the system has no name.
    private static let stranger: uid_t = 61_234

    @Test("Of a file of the same user the mode is told, and of another's whose it is and who is to have it: a path as a shell reads it")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "it's.sqlite", mode: 0o400)
        let word = "'\(folder.file("it"))'\\''s.sqlite'"
        let own = try #require(WritingRight(of: file).advice)
        #expect(own.hasPrefix("run chmod u+rw \(word) as ") && !own.contains("chown"), "\(own)")
        let theirs = try #require(WritingRight(of: file, by: Self.stranger).advice)
        #expect(theirs.contains(", and this runs as 61234: run this as "), "\(theirs)")
        #expect(theirs.hasSuffix(", or, if 61234 is the user that the server runs as, run chown 61234 \(word) as root"), "\(theirs)")
        try #require(chmod(file, 0o600) == 0)
        #expect(WritingRight(of: file).advice == nil)
    }

    @Test("Of a file that is not there it is the folder; of a folder that is not there how it is made for the server's user; none above changes")
    func folder() throws {
        let folder = try TemporaryFolder()
        let (closed, none) = (folder.file("closed"), folder.file("none"))
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        let own = try #require(WritingRight(of: "\(closed)/new.sqlite").advice)
        #expect(own.hasPrefix("run chmod u+wx \(closed) as ") && own.hasSuffix("; or name another folder"), "\(own)")
        let theirs = try #require(WritingRight(of: "\(closed)/new.sqlite", by: Self.stranger).advice)
        #expect(theirs.contains("run chown 61234 \(closed) as root; or name another folder"), "\(theirs)")
        let missing = try #require(WritingRight(of: "\(none)/new.sqlite", by: Self.stranger).advice)
        #expect(missing.contains("(mkdir -p -m 700 \(none) && chown 61234 \(none), as root, "), "\(missing)")
        #expect(!missing.contains("chown 61234 \(folder.path),") && !missing.contains("chown 61234 \(folder.path) "), "\(missing)")
    }

    @Test("All that a server has beside a file of another user is given with it by one command: no link, no second name, nothing of the other server")
    func together() throws {
        let folder = try TemporaryFolder()
        let own = ["ostiary.kek", "ostiary.sqlite", "ostiary.sqlite-shm", "ostiary.sqlite-wal", "ostiary.sqlite.lock", "root-api-key"]
        for name in own + ["second-factor.kek", "it.yaml", "ostiary.kek.bak"] { _ = try folder.write("", to: name) }
        try FileManager.default.createSymbolicLink(atPath: folder.file("ostiary.sqlite.moved"), withDestinationPath: folder.file("it.yaml"))
        try #require(link(folder.file("it.yaml"), folder.file("ostiary.kek.database")) == 0)
        for name in own {
            let advice = try #require(WritingRight(of: folder.file(name), by: Self.stranger, onlyReading: name == "root-api-key").advice)
            let command = advice.split(separator: ", run chown 61234 ").last.map(String.init) ?? ""
            #expect(command.hasPrefix("\(folder.file(name)) ") && command.hasSuffix(" as root"), "\(advice)")
            #expect(Set(command.dropLast(8).split(separator: " ").map(String.init)) == Set(own.map(folder.file)), "\(advice)")
        }
        // Named by a setting it is alone, and so is the other server's.
        for name in ["second-factor.kek", "it.yaml"] {
            let advice = try #require(WritingRight(of: folder.file(name), by: Self.stranger).advice)
            #expect(advice.hasSuffix(", run chown 61234 \(folder.file(name)) as root"), "\(advice)")
        }
    }

    @Test("A folder in which others have files, too, is given to nobody: one in it is; that of a server is given, and one with nothing in it")
    func foreignFolder() throws {
        let folder = try TemporaryFolder()
        func advice() throws -> String { try #require(WritingRight(of: folder.file("root.key"), by: Self.stranger).advice) }
        let given = "run chown 61234 \(folder.path) as root; or name another folder"
        #expect(try advice().hasSuffix(given))
        let more = try folder.write("", to: "passwd")
        let kept = try advice()
        #expect(!kept.contains("chown") && kept.contains("(install -d -m 700 -o 61234 \(folder.path)/ostiary, as root)"), "\(kept)")
        // Of a server's folder it is told as ever, whatever else is in it.
        _ = try folder.write("", to: "second-factor.sqlite")
        #expect(try advice().hasSuffix(given))
        for name in ["passwd", "second-factor.sqlite"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
        _ = try folder.write("", to: "ostiary.kek")
        #expect(try advice().hasSuffix(given) && !FileManager.default.fileExists(atPath: more))
    }

    @Test("Of a link it is told where it leads, since chown follows it; the folder of the link is not given for what is to be made elsewhere")
    func links() throws {
        let folder = try TemporaryFolder()
        for name in ["data", "other"] { try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true) }
        let (target, link) = (try folder.write("", to: "other/it"), folder.file("data/root-api-key"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        _ = try folder.write("", to: "data/ostiary.sqlite")
        let advice = try #require(WritingRight(of: link, by: Self.stranger, onlyReading: true).advice)
        #expect(advice.hasPrefix("\(link) is a link to \(target), which is of "), "\(advice)")
        #expect(advice.hasSuffix(" server runs as, and this its own, run chown 61234 \(target) as root"), "\(advice)")
        // What is to be read, too, is no folder.
        for place in [folder.file("other"), folder.file("way")] {
            if place.hasSuffix("way") { try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: folder.file("other")) }
            let words = "\(place) is a folder, and a file is to be there: move the folder elsewhere, or name another file"
            #expect(WritingRight(of: place, by: Self.stranger, onlyReading: true).advice == words)
        }
        // SQLite would make it where the link leads.
        try FileManager.default.removeItem(atPath: target)
        _ = try folder.write("", to: "other/passwd")
        let missing = try #require(WritingRight(of: link, by: Self.stranger).advice)
        #expect(missing.hasPrefix("\(folder.file("other")) is of ") && !missing.contains("chown"), "\(missing)")
    }

    @Test("Of a file that is to be read alone only that right is asked for, and of one that is not there nothing is advised")
    func reading() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "it.kek", mode: 0o200)
        let own = try #require(WritingRight(of: file, onlyReading: true).advice)
        #expect(own.hasPrefix("run chmod u+r \(file) as "), "\(own)")
        let theirs = try #require(WritingRight(of: file, by: Self.stranger, onlyReading: true).advice)
        #expect(theirs.hasPrefix("\(file) is of ") && theirs.hasSuffix(", run chown 61234 \(file) as root"), "\(theirs)")
        #expect(readingReason(EACCES, of: file) == "permission denied: \(own)" && !readingReason(EIO, of: file).contains("chmod"))
        try #require(chmod(file, 0o400) == 0)
        #expect(WritingRight(of: file, onlyReading: true).advice == nil && readingReason(EACCES, of: file) == "permission denied")
        let missing = WritingRight(of: folder.file("none/it.kek"), by: Self.stranger, onlyReading: true)
        #expect(missing.advice == nil)
    }

    @Test("It is told of what the system does not allow, and of nothing else; of a file system that takes no writes, that")
    func reasons() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "it.sqlite", mode: 0o400)
        let advice = try #require(WritingRight(of: file).advice)
        #expect(makingReason(EACCES, of: file) == "permission denied: \(advice)")
        #expect(!makingReason(EIO, of: file).contains("chmod"))
        #expect(makingReason(EROFS, of: file).hasPrefix("read-only file system: mount it for writing"))
        #expect(folderReason(CocoaError(.fileWriteNoPermission), of: file) == "its folder cannot be made: \(advice)")
        #expect(folderReason(CocoaError(.fileWriteVolumeReadOnly), of: file).contains(": mount it for writing"))
        #expect(folderReason(CocoaError(.fileWriteUnknown), of: file) == "its folder cannot be made")
    }

    @Test(
        "A file that an attribute keeps from all is told as that, to root too, and so is such a folder", .enabled(if: Self.setsAttributes),
        arguments: [("i", ""), ("a", " but by adding to it")])
    func attribute(letter: String, besides: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "it.sqlite", mode: 0o600)
        func expectTold(_ place: String) throws {
            try #require(Self.chattr("+\(letter)", place))
            defer { _ = Self.chattr("-\(letter)", place) }
            let words = "operation not permitted: an attribute lets nobody change \(place)\(besides): look by lsattr -d \(place), and take it away "
            let reason = makingReason(EPERM, of: place == file ? file : "\(place)/new")
            #expect(reason.hasPrefix("\(words)by chattr -\(letter) \(place), as root"), "\(reason)")
        }
        try expectTold(file)
        try expectTold(folder.path)
        #expect(WritingRight(of: file).advice == nil)
    }

    @Test(
        "Of a database the file is told that an attribute keeps from all: the file itself, or its log", .enabled(if: Self.setsAttributes),
        arguments: ["", "-wal"], ["i", "a"])
    func attributeOfDatabase(suffix: String, letter: String) async throws {
        let folder = try TemporaryFolder()
        try await SQLiteDatabase.open(path: folder.databasePath).close()
        let file = folder.databasePath + suffix
        if !suffix.isEmpty { _ = try folder.write("", to: URL(fileURLWithPath: file).lastPathComponent) }
        defer { withExtendedLifetime(folder) { _ = Self.chattr("-\(letter)", file) } }
        // One that others may read cannot be closed to them then.
        for mode in [0o600, 0o644] as [mode_t] {
            try #require(chmod(file, mode) == 0 && Self.chattr("+\(letter)", file))
            let error = #expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: folder.databasePath) }
            #expect(error?.description.contains("chattr -\(letter) \(file), as root") == true, "\(String(describing: error))")
            try #require(Self.chattr("-\(letter)", file))
        }
    }

    @Test(
        "Of what this user alone may not, owner and mode are told, whatever attribute there is; of a folder with nothing wrong in them no attribute",
        .enabled(if: Self.setsAttributes), arguments: ["i", "a"])
    func attributeBeside(letter: String) throws {
        let folder = try TemporaryFolder()
        let (closed, open) = (folder.file("closed"), folder.file("open"))
        for (place, mode) in [(closed, 0o500), (open, 0o700)] {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
        }
        let file = try folder.write("", to: "it.sqlite", mode: 0o400)
        let cases = [
            (file, file, ": run chmod u+rw \(file) as "), (closed, "\(closed)/new", ": run chmod u+wx \(closed) as "), (open, "\(open)/new", ""),
        ]
        for (place, path, change) in cases {
            try #require(Self.chattr("+\(letter)", place))
            defer { withExtendedLifetime(folder) { _ = Self.chattr("-\(letter)", place) } }
            let reason = makingReason(EACCES, of: path)
            #expect(change.isEmpty ? reason == "permission denied" : reason.hasPrefix("permission denied\(change)"), "\(reason)")
            #expect(makingReason(EPERM, of: path).hasPrefix("operation not permitted: an attribute lets nobody change \(place)"))
        }
    }

    @Test(
        "A move tells of a folder that an attribute keeps from all before it begins, as its source and as its target, and makes nothing there",
        .enabled(if: Self.setsAttributes), arguments: ["i", "a"])
    func attributeOfMove(letter: String) async throws {
        let folder = try TemporaryFolder()
        try await SQLiteDatabase.open(path: folder.databasePath).close()
        let (new, before) = (folder.file("new.sqlite"), try FileManager.default.contentsOfDirectory(atPath: folder.path).count)
        try #require(Self.chattr("+\(letter)", folder.path))
        defer { withExtendedLifetime(folder) { _ = Self.chattr("-\(letter)", folder.path) } }
        let advice = "take it away by chattr -\(letter) \(folder.path), as root; nothing was moved"
        let source = #expect(throws: DatabaseOpenError.self) { try MoveEnd.source(.sqlite(path: folder.databasePath), "old") }
        let target = #expect(throws: DatabaseOpenError.self) { try MoveEnd.target(.sqlite(path: new), "new") }
        for told in [source, target] { #expect(told?.description.hasSuffix(advice) == true, "\(String(describing: told))") }
        // Put there while the move ran.
        let word = "chattr -\(letter) \(folder.path), as root"
        let late = #expect(throws: SQLError.self) { try MovedFile.leave(beside: folder.databasePath, target: "postgresql:new") }
        #expect(late?.description.contains(word) == true, "\(String(describing: late))")
        try #require(Self.chattr("-\(letter)", folder.path))
        // From a folder that only grows nothing goes, not even the file that the word was written into.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { letter == "i" || !$0.hasSuffix(".moved.part") }
        #expect(left.count == before)
    }

    @Test("A journal without a byte, of which SQLite takes no notice, is in nobody's way", .enabled(if: Self.setsAttributes))
    func emptyJournal() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "it.sqlite")
        for text in ["", "left"] {
            let journal = try folder.write(text, to: "it.sqlite-journal")
            try #require(Self.chattr("+i", journal))
            defer { withExtendedLifetime(folder) { _ = Self.chattr("-i", journal) } }
            let told: String? = text.isEmpty ? nil : journal
            #expect(WritingRight(ofDatabaseAt: file)?.path == told)
        }
    }

    /// A right of root's, and of some file systems.
    private static let setsAttributes: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder(), let file = try? folder.write("", to: "it", mode: 0o600) else { return false }
        return chattr("+i", file) && chattr("-i", file)
    }()

    private static func chattr(_ change: String, _ path: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/chattr")
        process.arguments = [change, path]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
