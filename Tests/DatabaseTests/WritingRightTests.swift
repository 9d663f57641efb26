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
        #expect(theirs.hasSuffix(", or, if 61234 is the user that the server runs as, run chown -h 61234 \(word) as root"), "\(theirs)")
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
        #expect(theirs.contains("run chown -h 61234 \(closed) as root; or name another folder"), "\(theirs)")
        let missing = try #require(WritingRight(of: "\(none)/new.sqlite", by: Self.stranger).advice)
        #expect(missing.contains("(mkdir -p -m 700 \(none) && chown -h 61234 \(none), as root, "), "\(missing)")
        #expect(!missing.contains("61234 \(folder.path),") && !missing.contains("61234 \(folder.path) "), "\(missing)")
    }

    @Test("All that a server has beside a file of another user is given with it by one command: no link, no second name, nothing of the other server")
    func together() throws {
        let folder = try TemporaryFolder()
        let own = [
            "ostiary.kek", "ostiary.sqlite", "ostiary.sqlite-shm", "ostiary.sqlite-wal", "ostiary.sqlite.first-start.part", "ostiary.sqlite.lock",
            "root-api-key",
        ]
        for name in own + ["second-factor.kek", "it.yaml", "shadow", "ostiary.kek.bak"] { _ = try folder.write("", to: name) }
        try FileManager.default.createSymbolicLink(atPath: folder.file("ostiary.sqlite.moved"), withDestinationPath: folder.file("it.yaml"))
        try #require(link(folder.file("shadow"), folder.file("ostiary.kek.database")) == 0)
        for name in own {
            let advice = try #require(WritingRight(of: folder.file(name), by: Self.stranger, onlyReading: name == "root-api-key").advice)
            let command = advice.split(separator: ", run chown -h 61234 ").last.map(String.init) ?? ""
            #expect(command.hasPrefix("\(folder.file(name)) ") && command.hasSuffix(" as root"), "\(advice)")
            #expect(Set(command.dropLast(8).split(separator: " ").map(String.init)) == Set(own.map(folder.file)), "\(advice)")
        }
        // Named by a setting it is alone, and so is the other server's.
        for name in ["second-factor.kek", "it.yaml"] {
            let advice = try #require(WritingRight(of: folder.file(name), by: Self.stranger).advice)
            #expect(advice.hasSuffix(", run chown -h 61234 \(folder.file(name)) as root"), "\(advice)")
        }
    }

    @Test("A folder is given only where nothing is in it but what this server keeps there: neither one that others have, too, nor the other server's")
    func foreignFolder() throws {
        let folder = try TemporaryFolder()
        func advice(_ name: String = "ostiary.sqlite.lock") throws -> String {
            try #require(WritingRight(of: folder.file(name), by: Self.stranger).advice)
        }
        let given = "run chown -h 61234 \(folder.path) as root"
        let taking = "\(given); or take this server's files to another folder, and name that"
        func expectKept(_ told: String) {
            #expect(told.contains(", and this runs as 61234, and it is not this server's alone: run this as "), "\(told)")
            #expect(!told.contains(" \(folder.path) as root"), "\(told)")
        }
        #expect(try advice().hasSuffix("\(given); or name another folder"))
        // What a killed start leaves is the server's, too, and what a file system has in its own folder nobody's.
        _ = try KeyDraft(of: folder.file("ostiary.kek"))
        for name in ["ostiary.sqlite", "ostiary.sqlite.first-start.part", "ostiary.sqlite.moved.part", "root-api-key.drawn", "lost+found"] {
            _ = try folder.write("", to: name)
        }
        #expect(try advice().hasSuffix(taking))
        for name in ["passwd", "second-factor.sqlite", "second-factor.kek", "it.sqlite", "ostiary.kek.bak", "ostiary.kek.new-it"] {
            let foreign = try folder.write("", to: name)
            expectKept(try advice())
            try FileManager.default.removeItem(atPath: foreign)
        }
        #expect(try advice().hasSuffix(taking))
        for name in ["second-factor.sqlite.lock", "second-factor.kek", "root.key", "app.db"] { expectKept(try advice(name)) }
    }

    @Test(
        "A folder of the system is given to nobody, by whatever name, also while nothing is in it",
        arguments: ["/home", "/media", "/mnt", "/opt", "/srv", "/var/lib", "/var/tmp"].filter(FileManager.default.fileExists(atPath:)))
    func systemFolder(place: String) throws {
        let folder = try TemporaryFolder()
        let way = folder.file("way")
        try FileManager.default.createSymbolicLink(atPath: way, withDestinationPath: place)
        for named in [place, way] {
            let advice = try #require(WritingRight(of: "\(named)/none.sqlite", by: Self.stranger).advice)
            #expect(advice.contains(", and it is not this server's alone: ") && !advice.contains("61234 \(place) as root"), "\(advice)")
        }
    }

    @Test(
        "In a folder that others have, too, one of the server's own name is made, by commands that take none; where something has that name, none is told",
        arguments: [("ostiary.sqlite.lock", "ostiary"), ("root-api-key", "ostiary"), ("second-factor.kek", "second-factor"), ("app.db-wal", "app")])
    func folderInside(file: String, server: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("", to: "passwd")
        let inner = folder.file(server)
        func advice() throws -> String { try #require(WritingRight(of: folder.file(file), by: Self.stranger).advice) }
        let commands = "(mkdir -m 700 \(inner) && chown -h 61234 \(inner), as root); or name another folder"
        #expect(try advice().hasSuffix(", or make one in it for 61234 and name that \(commands)"))
        func expectNone() throws {
            let told = try advice()
            #expect(told.hasSuffix("; or name another folder") && !told.contains("chown") && !told.contains(inner), "\(told)")
        }
        // The other server's, perhaps, on a disk that is not mounted.
        try FileManager.default.createSymbolicLink(atPath: inner, withDestinationPath: folder.file("none"))
        try expectNone()
        try FileManager.default.removeItem(atPath: inner)
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        try expectNone()
    }

    @Test(
        "The server's files in a folder that others have, too, go into its own by the same commands: in one without them it would be a new server",
        .enabled(if: geteuid() == 0), arguments: ["ostiary.sqlite-wal", "ostiary.sqlite.lock"])
    func takenAlong(file: String) throws {
        let folder = try TemporaryFolder()
        for name in ["mail.db", "ostiary.sqlite", "ostiary.kek", "ostiary.kek.database", "root-api-key"] { _ = try folder.write(name, to: name) }
        let (inner, own) = (folder.file("ostiary"), ["ostiary.sqlite", "ostiary.kek", "ostiary.kek.database", "root-api-key"])
        for name in own { try #require(lchown(folder.file(name), Self.stranger, Self.stranger) == 0) }
        func advice() throws -> String { try #require(WritingRight(of: folder.file(file), by: Self.stranger).advice) }
        let elsewhere = "; or take this server's files to another folder, and name that"
        // With a part of its files it is a new server, or a lost one.
        let link = folder.file("ostiary.sqlite.moved")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file("mail.db"))
        func expectNone() throws {
            let told = try advice()
            #expect(told.hasSuffix(elsewhere) && !told.contains("mkdir") && !told.contains("chown") && !told.contains("mv -n"), "\(told)")
        }
        try expectNone()
        try FileManager.default.removeItem(atPath: link)
        try #require(lchown(folder.file("ostiary.kek"), 0, 0) == 0)
        try expectNone()
        try #require(lchown(folder.file("ostiary.kek"), Self.stranger, Self.stranger) == 0)

        let files = own.map(folder.file).joined(separator: " ")
        let commands = "mkdir -m 700 \(inner) && mv -n \(files) \(inner) && chown -h 61234 \(inner)"
        let told = try advice()
        let making = ", or make one in it for 61234, take this server's files along, and name that"
        #expect(told.hasSuffix("\(making) (\(commands), as root)\(elsewhere)"), "\(told)")
        let shell = try Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", commands])
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: inner)) == Set(own))
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["mail.db", "ostiary"])
        for place in [inner] + own.map({ "\(inner)/\($0)" }) {
            var status = stat()
            #expect(lstat(place, &status) == 0 && status.st_uid == Self.stranger, "\(place)")
        }
    }

    @Test("A folder that cannot be looked into is not told as one that others have, too, but where it is the system's")
    func closedFolder() throws {
        let folder = try TemporaryFolder()
        func standing(_ place: String, _ listed: [String]?) -> ServerFiles.Standing {
            ServerFiles.standing(of: place, with: "ostiary.kek", listing: { _ in listed })
        }
        #expect(standing(folder.path, nil) == .closed && standing("/var/lib", nil) == .shared)
        #expect(standing(folder.path, ["ostiary.sqlite"]) == .alone && standing(folder.path, ["mail.db"]) == .shared)
    }

    @Test("Of a file with a second name, and of what is no file, no command gives anything away; nor what a link names by its letters alone")
    func doubtful() throws {
        let folder = try TemporaryFolder()
        func advice(_ name: String) throws -> String { try #require(WritingRight(of: folder.file(name), by: Self.stranger).advice) }
        func expectKept(_ name: String, saying words: String) throws {
            let told = try advice(name)
            #expect(told.contains("; \(words), so it may be anybody's, and no command is told"), "\(told)")
            #expect(!told.contains("chown") && !told.contains(" as root"), "\(told)")
        }
        let (shadow, log) = (try folder.write("", to: "shadow"), folder.file("ostiary.sqlite-wal"))
        try #require(link(shadow, log) == 0)
        try expectKept("ostiary.sqlite-wal", saying: "it has a second name, which find / -samefile \(log) tells")
        try FileManager.default.createSymbolicLink(atPath: folder.file("root-api-key"), withDestinationPath: shadow)
        try expectKept("root-api-key", saying: "it has a second name, which find / -samefile \(shadow) tells")
        try FileManager.default.removeItem(atPath: log)
        #expect(try advice("root-api-key").hasSuffix(", run chown -h 61234 \(shadow) as root"))

        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        try expectKept("pipe", saying: "it is no regular file")

        // By its letters the link leads to the first of the two.
        try FileManager.default.createDirectory(atPath: folder.file("deep/er"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.file("way"), withDestinationPath: folder.file("deep/er"))
        for name in ["it", "deep/it"] { _ = try folder.write("", to: name) }
        try FileManager.default.createSymbolicLink(atPath: folder.file("deep/er/key"), withDestinationPath: "../it")
        let told = try advice("way/key")
        #expect(!told.contains(" \(folder.file("it")) as root"), "\(told)")
    }

    @Test("Of a link it is told where it leads, and that is given; the folder of the link is not given for what is to be made elsewhere")
    func links() throws {
        let folder = try TemporaryFolder()
        for name in ["data", "other"] { try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true) }
        let (target, link) = (try folder.write("", to: "other/it"), folder.file("data/root-api-key"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        _ = try folder.write("", to: "data/ostiary.sqlite")
        let advice = try #require(WritingRight(of: link, by: Self.stranger, onlyReading: true).advice)
        #expect(advice.hasPrefix("\(link) is a link to \(target), which is of "), "\(advice)")
        #expect(advice.hasSuffix(" server runs as, and this its own, run chown -h 61234 \(target) as root"), "\(advice)")
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
        #expect(missing.hasPrefix("\(folder.file("other")) is of ") && !missing.contains(" \(folder.file("other")) as root"), "\(missing)")
    }

    @Test("Of a file that is to be read alone only that right is asked for, and of one that is not there nothing is advised")
    func reading() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "it.kek", mode: 0o200)
        let own = try #require(WritingRight(of: file, onlyReading: true).advice)
        #expect(own.hasPrefix("run chmod u+r \(file) as "), "\(own)")
        let theirs = try #require(WritingRight(of: file, by: Self.stranger, onlyReading: true).advice)
        #expect(theirs.hasPrefix("\(file) is of ") && theirs.hasSuffix(", run chown -h 61234 \(file) as root"), "\(theirs)")
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
        let mount = "read-only file system: mount it for writing (a unit of systemd: ReadWritePaths), or "
        #expect(makingReason(EROFS, of: file) == "\(mount)take this server's files to another folder, and name that")
        for bare in [nil, folder.file("other.sqlite")] { #expect(makingReason(EROFS, of: bare) == "\(mount)name another folder") }
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
