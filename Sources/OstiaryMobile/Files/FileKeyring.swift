import OstiaryProtocol

/// A wrapping key in a file of 64 hexadecimal digits that nobody but its owner may read; made when it is not there.
public struct FileKeyring: Keyring {
    private let path: String
    private let files: any FileSystem
    private let random: any RandomSource

    public init(path: String) { self.init(path: path, files: PosixFileSystem(), random: SystemRandomSource()) }

    package init(path: String, files: any FileSystem, random: any RandomSource) {
        self.path = path
        self.files = files
        self.random = random
    }

    public func wrappingKey() throws(KeyStoreError) -> [UInt8] {
        if let key = try existing() { return key }
        do { try make() } catch { throw .unavailable }
        guard let key = try existing() else { throw .unavailable }
        return key
    }

    private func existing() throws(KeyStoreError) -> [UInt8]? {
        let text: [UInt8]?
        let isOpen: Bool
        do {
            text = try files.read(path)
            isOpen = try text != nil && files.isOpenToOthers(path)
        } catch { throw .unavailable }
        guard let text else { return nil }
        guard !isOpen else { throw .tooOpen }
        guard let key = Hexadecimal.key(text) else { throw .unreadable }
        return key
    }

    /// A whole file gets the name, or none: of two processes that begin at once, one makes the key and both read it.
    private func make() throws {
        let temporary = "\(path).\(Hexadecimal.text(random.bytes(8))).tmp"
        try files.makeFolder(files.folder(of: path))
        try files.write(Array(Hexadecimal.text(random.bytes(32)).utf8) + [UInt8(ascii: "\n")], to: temporary)
        defer { try? files.remove(temporary) }
        _ = try files.link(temporary, to: path)
        try files.syncFolder(files.folder(of: path))
    }
}

/// A wrapping key in an environment variable, 64 hexadecimal digits.
public struct EnvironmentKeyring: Keyring {
    private let value: String?

    /// `value` is what the variable holds; an app reads its own environment.
    public init(value: String?) { self.value = value }

    public func wrappingKey() throws(KeyStoreError) -> [UInt8] {
        guard let value else { throw .unavailable }
        guard let key = Hexadecimal.key(Array(value.utf8)) else { throw .unreadable }
        return key
    }
}

extension Hexadecimal {
    /// A key as people move it about: 32 bytes from 64 digits, with white space around them allowed.
    fileprivate static func key(_ text: [UInt8]) -> [UInt8]? {
        let digits = text.filter { !($0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09) }
        return digits.count == 64 ? bytes(digits) : nil
    }
}
