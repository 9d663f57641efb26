import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("Key-encryption key")
struct KeyEncryptionKeyTests {
    private let key = KeyEncryptionKey.random()
    private let secret: [UInt8] = [1, 2, 3]

    @Test("What is wrapped comes back in its place only")
    func context() throws {
        let wrapped = try key.wrap(secret, context: "instance/7")
        #expect(try key.unwrap(wrapped, context: "instance/7") == secret)
        #expect(throws: UnwrapError.notAuthentic) { try key.unwrap(wrapped, context: "instance/8") }
        #expect(try key.wrap(secret, context: "instance/7") != wrapped)
        #expect(try key.unwrap(try key.wrap([UInt8](), context: ""), context: "") == [])
    }

    @Test("Under one salt the same bytes come out again; another secret, or another place, shares no nonce with it")
    func salted() throws {
        let salt = WrapSalt()
        func wrapped(_ secret: [UInt8], _ context: String, _ salt: WrapSalt) throws -> [UInt8] { try key.wrap(secret, context: context, salt: salt) }
        let first = try wrapped(secret, "x", salt)
        #expect(try wrapped(secret, "x", salt) == first)
        let others = [try wrapped([1, 2, 4], "x", salt), try wrapped(secret, "y", salt), try wrapped([0x78] + secret, "", salt)]
        let nonces = try (others + [first, wrapped(secret, "x", WrapSalt())]).map { Array($0[5..<17]) }
        #expect(Set(nonces).count == 5)
        #expect(try key.unwrap(first, context: "x") == secret)
    }

    @Test("A flip of any bit and every prefix is refused")
    func tampering() throws {
        let wrapped = try key.wrap(secret, context: "x")
        for position in wrapped.indices {
            for bit in 0..<8 {
                var changed = wrapped
                changed[position] ^= 1 << bit
                #expect(throws: UnwrapError.self) { try key.unwrap(changed, context: "x") }
            }
            #expect(throws: UnwrapError.self) { try key.unwrap(Array(wrapped[..<position]), context: "x") }
        }
        #expect(throws: UnwrapError.notAuthentic) { try key.unwrap(wrapped + [0], context: "x") }
    }

    @Test("Another key is told from a damaged secret, and an unknown format from both")
    func kindsOfFailure() throws {
        let other = KeyEncryptionKey.random()
        var wrapped = try key.wrap(secret, context: "x")
        #expect(throws: UnwrapError.otherKey(id: key.id)) { try other.unwrap(wrapped, context: "x") }
        wrapped[0] = 2
        #expect(throws: UnwrapError.unknownVersion(2)) { try key.unwrap(wrapped, context: "x") }
        #expect(throws: UnwrapError.malformed) { try key.unwrap([], context: "x") }
    }

    @Test("The key never prints")
    func printing() throws {
        let key = try #require(KeyEncryptionKey(bytes: Array("0123456789abcdef0123456789abcdef".utf8)))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "‹key›")
        #expect(!dumped.contains("48") && !dumped.contains("0123"))
        #expect(String(reflecting: key) == "‹key›")
    }

    @Test("A missing file is made with 64 digits and mode 0600, and read back as the same key")
    func make() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/sub/key"
        let made = try KeyEncryptionKey.load(orMakeAt: path)
        #expect(try folder.mode(of: "sub/key") == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.count == 65 && text.dropLast().allSatisfy(\.isHexDigit) && text.hasSuffix("\n"))
        #expect(try KeyEncryptionKey.load(orMakeAt: path).id == made.id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/sub") == ["key"])
    }

    @Test(
        "No key is drawn where a link leads nowhere, the file itself or a folder above it: it is told as that, and nothing is made",
        arguments: [false, true])
    func notThere(isFolder: Bool) throws {
        let folder = try TemporaryFolder()
        let (link, none) = (folder.file("link"), folder.file("none"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: none)
        let path = isFolder ? "\(link)/key" : link
        #expect(!KeyFile.isMissing(path) && KeyFile.isMissing("\(none)/key") && KeyFile.isMissing(none))
        let words = isFolder ? "folder: mount the disk that it is on, or make it" : "file: mount the disk that it is on, or put it back"
        let reason = "no such file or directory: \(link) is a link to \(none), and there is no such \(words)"
        #expect(throws: KeyFileError.unreadable(path: path, reason: reason)) {
            try KeyFile.read(orMakeAt: path) {
                Issue.record("a key was drawn")
                return [UInt8](repeating: 7, count: 32)
            }
        }
        #expect(throws: KeyFileError.unreadable(path: path, reason: reason)) { try KeyFile.checkReadable(path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["link"])
    }

    @Test("Many who make the file at once end with one key")
    func race() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/key"
        let ids = try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask { try KeyEncryptionKey.load(orMakeAt: path).id }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test("What a start leaves that is killed while it makes the file goes at the next one: before the key had its name, and after")
    func left() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/key"
        // Killed before the draft had its name: no key wraps anything yet.
        let draft = try folder.write(String(repeating: "0f", count: 32), to: "key.new-\(UUID().uuidString)")
        let made = try KeyEncryptionKey.load(orMakeAt: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
        // Killed after that: the draft is a second name of the key.
        try #require(link(path, draft) == 0)
        #expect(try KeyEncryptionKey.load(from: path).id == made.id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test("What another start works on stays, and so does what is not ours, or of another key")
    func notLeft() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "0f", count: 32), to: "key")
        let underWay = try KeyDraft(of: path)
        for name in ["key.new-", "key.new-draft", "other.new-\(UUID().uuidString)", "key-\(UUID().uuidString)"] { _ = try folder.write("", to: name) }
        try FileManager.default.createDirectory(atPath: folder.path + "/key.new-\(UUID().uuidString)", withIntermediateDirectories: false)
        let before = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
        _ = try KeyEncryptionKey.load(from: path)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == before)
        try underWay.file.close()
        _ = try KeyEncryptionKey.load(from: path)
        let draft = URL(fileURLWithPath: underWay.path).lastPathComponent
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == before.subtracting([draft]))
    }

    @Test("A draft gets its name unless another key has it: that is told, and both stay")
    func renamed() throws {
        let folder = try TemporaryFolder()
        let (ours, path) = (String(repeating: "0f", count: 32), folder.file("key"))
        let draft = try folder.write(ours + "\n", to: "key.drawn")
        for content in [String(repeating: "a0", count: 32), "no key"] {
            _ = try folder.write(content, to: "key")
            #expect(throws: KeyFileError.taken(path: path, draft: draft)) { try KeyFile.rename(draft, holding: ours, to: path) }
            #expect(try String(contentsOfFile: draft, encoding: .utf8) == ours + "\n")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
        }
        // Another start in the folder was first, also where it has taken the draft away by then.
        for _ in 0..<2 {
            _ = try folder.write(ours.uppercased(), to: "key")
            try KeyFile.rename(draft, holding: ours, to: path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
        }
        _ = try folder.write(ours, to: "key.drawn")
        try FileManager.default.removeItem(atPath: path)
        try KeyFile.rename(draft, holding: ours, to: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test("Where the key cannot be read, what was left beside it stays: it may be all that there is of it")
    func leftWithoutKey() throws {
        let folder = try TemporaryFolder()
        let draft = try folder.write(String(repeating: "0f", count: 32), to: "key.new-\(UUID().uuidString)")
        #expect(throws: KeyFileError.self) { try KeyEncryptionKey.load(from: folder.path + "/key") }
        #expect(FileManager.default.fileExists(atPath: draft))
    }

    @Test("A file that others can read is refused", arguments: [0o640, 0o604, 0o660, 0o601, 0o620])
    func readableByOthers(mode: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "0f", count: 32), to: "key", mode: mode)
        let error = KeyFileError.readableByOthers(path: path)
        #expect(throws: error) { try KeyEncryptionKey.load(orMakeAt: path) }
        // Whoever did as the words say had no key of the database any more.
        #expect(error.description.contains("run chmod 600 \(path). Never write another key into it") && !error.description.contains("change the key"))
    }

    @Test(
        "A file without exactly 64 hexadecimal digits is refused and left alone",
        arguments: [
            "", String(repeating: "0", count: 63), String(repeating: "0", count: 65), String(repeating: "g", count: 64),
            String(repeating: "0", count: 400),
        ])
    func malformed(content: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(content, to: "key")
        let error = KeyFileError.malformed(path: path)
        #expect(throws: error) { try KeyEncryptionKey.load(orMakeAt: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
        let words = error.description
        #expect(words.contains(": put back the copy that was kept of it") && words.contains("; never make a new one for a database"), "\(words)")
        #expect(content.isEmpty || !words.contains(content))
    }

    @Test("Digits of either case and white space around them are read")
    func spelling() throws {
        let folder = try TemporaryFolder()
        let lower = try KeyEncryptionKey.load(from: folder.write(String(repeating: "ab", count: 32), to: "a"))
        let upper = try KeyEncryptionKey.load(from: folder.write(" " + String(repeating: "AB", count: 32) + "\r\n", to: "b"))
        #expect(lower.id == upper.id)
    }

    @Test("A folder, or a path below a file, is refused in words")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "file")
        #expect(throws: KeyFileError.unreadable(path: folder.path, reason: "no regular file")) { try KeyEncryptionKey.load(orMakeAt: folder.path) }
        #expect(throws: KeyFileError.self) { try KeyEncryptionKey.load(orMakeAt: file + "/key") }
    }
}
