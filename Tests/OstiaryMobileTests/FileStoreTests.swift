import Foundation
import OstiaryMobile
import OstiaryProtocol
import Synchronization
import Testing

@Suite("File stores")
struct FileStoreTests {
    private let home = NSTemporaryDirectory() + "/ostiary-mobile-" + UUID().uuidString

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("Key files can be read by their owner only, and hold nothing in the clear")
    func keyFileModes() throws {
        let keys = try FileKeyStore(home: home, keyring: FileKeyring(path: home + "/keyring"))
        let canary = Array("canary-canary-canary-canary-1234".utf8)
        try keys.store(canary, named: "dsec-1")
        let publicKey = try keys.makeDeviceKey(named: "device-1")
        #expect(try mode(home + "/keys") == 0o700)
        #expect(try mode(home + "/keyring") == 0o600)
        for file in try FileManager.default.contentsOfDirectory(atPath: home + "/keys") {
            #expect(try mode(home + "/keys/" + file) == 0o600)
            let bytes = try #require(FileManager.default.contents(atPath: home + "/keys/" + file))
            #expect(bytes.range(of: Data(canary)) == nil)
        }
        #expect(try keys.secret(named: "dsec-1") == canary)
        let signature = try keys.sign([1, 2, 3], withKeyNamed: "device-1")
        #expect(signature.count == 64)
        #expect(try keys.publicKey(named: "device-1") == publicKey && publicKey.count == 65)
    }

    @Test("A key file is worth nothing under another name, another keyring, or with a changed byte")
    func keyFilesAreBound() throws {
        let keys = try FileKeyStore(home: home, keyring: FileKeyring(path: home + "/keyring"))
        try keys.store([1, 2, 3], named: "a")
        try FileManager.default.copyItem(atPath: home + "/keys/a", toPath: home + "/keys/b")
        #expect(throws: KeyStoreError.unreadable) { try keys.secret(named: "b") }
        let other = try FileKeyStore(home: home, keyring: EnvironmentKeyring(value: String(repeating: "07", count: 32)))
        #expect(throws: KeyStoreError.unreadable) { try other.secret(named: "a") }
        #expect(throws: KeyStoreError.unreadable) { try keys.publicKey(named: "a") }
        var bytes = try #require(FileManager.default.contents(atPath: home + "/keys/a"))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: home + "/keys/a"))
        #expect(throws: KeyStoreError.unreadable) { try keys.secret(named: "a") }
        try keys.delete(named: "a")
        #expect(throws: KeyStoreError.unknownName) { try keys.secret(named: "a") }
        #expect(throws: KeyStoreError.badName) { try keys.store([1], named: "../a") }
    }

    @Test("A keyring file that others can read, or that is no key, is refused")
    func keyringIsChecked() throws {
        let ring = FileKeyring(path: home + "/ring")
        #expect(try ring.wrappingKey().count == 32)
        #expect(try ring.wrappingKey() == ring.wrappingKey())
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: home + "/ring")
        #expect(throws: KeyStoreError.tooOpen) { try ring.wrappingKey() }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home + "/ring")
        try Data("12".utf8).write(to: URL(fileURLWithPath: home + "/ring"))
        #expect(throws: KeyStoreError.unreadable) { try ring.wrappingKey() }
        #expect(throws: KeyStoreError.unavailable) { try EnvironmentKeyring(value: nil).wrappingKey() }
        #expect(throws: KeyStoreError.unreadable) { try EnvironmentKeyring(value: "zz").wrappingKey() }
    }

    @Test("Of many who need the keyring at once, one makes it and all have the same")
    func keyringIsMadeOnce() async throws {
        let path = home + "/ring"
        let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<32 { group.addTask { try FileKeyring(path: path).wrappingKey() } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test("Writers that share a home lose none of each other's changes")
    func sharedHome() async throws {
        let home = home
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    // A store of its own for each, as another process would have.
                    try FileAccountStore(home: home).update { old in (old ?? []) + [UInt8(number)] }
                }
            }
            try await group.waitForAll()
        }
        let document = try #require(try FileAccountStore(home: home).read())
        #expect(document.sorted() == Array(0..<64))
        #expect(try mode(home + "/accounts.json") == 0o600)
    }

    @Test("At whatever step a process dies, the old or the new document is there whole", arguments: 0..<12)
    func crashAtEveryStep(_ step: Int) throws {
        try FileAccountStore(home: home).update { _ in Array("old document".utf8) }
        let dying = DyingFileSystem(after: step)
        let isWritten = (try? FileAccountStore(home: home, files: dying).update { _ in Array("new document".utf8) }) != nil
        let found = try FileAccountStore(home: home).read()
        #expect(found == Array("old document".utf8) || found == Array("new document".utf8))
        if isWritten { #expect(found == Array("new document".utf8)) }
        try FileAccountStore(home: home).update { old in (old ?? []) + Array("!".utf8) }
        #expect(try FileAccountStore(home: home).read() == (found ?? []) + Array("!".utf8), "what the crash left behind is in nobody's way")
    }

    @Test("A change that leaves the document as it was writes nothing")
    func unchanged() throws {
        let files = DyingFileSystem(after: .max)
        let store = try FileAccountStore(home: home, files: files)
        try store.update { _ in [1] }
        let before = files.steps.count
        try store.update { $0 }
        #expect(Array(files.steps.dropFirst(before)) == ["lock", "read"])
    }

    @Test("Names of keys have 1 to 64 letters, digits and hyphens, and to destroy what is not there is no error")
    func names() throws {
        let keys = try FileKeyStore(home: home, keyring: FileKeyring(path: home + "/keyring"))
        let longest = String(repeating: "x", count: 64)
        try keys.store([1], named: longest)
        #expect(try keys.secret(named: longest) == [1])
        for name in ["", longest + "x", "a/b", "a.b", "a_b", "ä", "a\0"] {
            #expect(throws: KeyStoreError.badName, "\(name)") { try keys.store([1], named: name) }
            #expect(throws: KeyStoreError.badName, "\(name)") { try keys.delete(named: name) }
        }
        try keys.delete(named: longest)
        try keys.delete(named: longest)
        #expect(throws: KeyStoreError.unknownName) { try keys.secret(named: longest) }
    }

    @Test("What is in the place of a document or of a key and cannot be read is not taken for an empty one")
    func folderInTheWay() throws {
        let store = try FileAccountStore(home: home)
        let keys = try FileKeyStore(home: home, keyring: FileKeyring(path: home + "/keyring"))
        for path in ["/accounts.json", "/keys/a"] {
            try FileManager.default.createDirectory(atPath: home + path, withIntermediateDirectories: false)
        }
        #expect(throws: AccountStoreError.unavailable) { try store.read() }
        #expect(throws: AccountStoreError.unavailable) { try store.update { _ in [1] } }
        #expect(throws: KeyStoreError.unavailable) { try keys.secret(named: "a") }
    }

    @Test("A home that cannot be made is unavailable: a file in the way, a link to nowhere, no name at all")
    func impossibleHomes() throws {
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: home + "/file"))
        try FileManager.default.createSymbolicLink(atPath: home + "/link", withDestinationPath: home + "/nowhere")
        for path in [home + "/file/home", home + "/file/far/home", home + "/link/home", ""] {
            #expect(throws: AccountStoreError.unavailable, "\(path)") { try FileAccountStore(home: path) }
        }
    }

    @Test("A key whose writer was killed is destroyed with what the writer left behind, at whatever step; and no other key's", arguments: 0..<6)
    func leftovers(_ step: Int) throws {
        let ring = FileKeyring(path: home + "/keyring")
        let keys = try FileKeyStore(home: home, keyring: ring)
        try keys.store([1], named: "login-1")
        try keys.store([2], named: "login-12")
        let dying = try FileKeyStore(home: home, keyring: ring, files: DyingFileSystem(after: 1 + step), random: SystemRandomSource())
        for name in ["login-1", "login-12"] { try? dying.store([3], named: name) }
        try keys.delete(named: "login-1")
        let left = try FileManager.default.contentsOfDirectory(atPath: home + "/keys").sorted()
        #expect(left.first == "login-12" && left.allSatisfy { $0 == "login-12" || $0.hasPrefix("login-12.") })
        #expect(throws: KeyStoreError.unknownName) { try keys.secret(named: "login-1") }
        try keys.delete(named: "login-12")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/keys").isEmpty)
    }

    @Test("The account document is on the disk before a change is reported as done")
    func orderOfSteps() throws {
        let files = DyingFileSystem(after: .max)
        try FileAccountStore(home: home, files: files).update { _ in [1] }
        #expect(files.steps == ["folder", "lock", "read", "write", "rename", "sync folder"])
    }
}

/// The system's files until a number of steps was taken; then every step fails, the one that writes after half of it was written.
final class DyingFileSystem: FileSystem {
    private let files = PosixFileSystem()
    private let last: Int
    private let taken = Mutex<[String]>([])

    init(after last: Int) { self.last = last }

    var steps: [String] { taken.withLock { $0 } }

    private func step(_ name: String) throws {
        let count = taken.withLock { taken in
            taken.append(name)
            return taken.count
        }
        guard count <= last else { throw FileSystemError(number: 5) }
    }

    func read(_ path: String) throws -> [UInt8]? {
        try step("read")
        return try files.read(path)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        do { try step("write") } catch {
            try files.write(Array(bytes.prefix(bytes.count / 2)), to: path)
            throw error
        }
        try files.write(bytes, to: path)
    }

    func rename(_ path: String, to newPath: String) throws {
        try step("rename")
        try files.rename(path, to: newPath)
    }

    func link(_ path: String, to newPath: String) throws -> Bool {
        try step("link")
        return try files.link(path, to: newPath)
    }

    /// Whoever is dead clears up nothing.
    func remove(_ path: String) throws { try step("remove") }

    func names(in folder: String) throws -> [String] { try files.names(in: folder) }

    func syncFolder(_ path: String) throws {
        try step("sync folder")
        try files.syncFolder(path)
    }

    func makeFolder(_ path: String) throws {
        try step("folder")
        try files.makeFolder(path)
    }

    func isOpenToOthers(_ path: String) throws -> Bool { try files.isOpenToOthers(path) }

    func withLock<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        try step("lock")
        return try files.withLock(path, body)
    }
}
