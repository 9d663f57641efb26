/// A document as a file that several processes may share: `accounts.json`, `history.json` or `tokens.json` in the home, changed under a lock beside it.
public struct FileAccountStore: AccountStore {
    private let path: String
    private let lock: String
    private let files: any FileSystem

    /// In the folder `home`, which is made when it is not there.
    public init(home: String) throws(AccountStoreError) { try self.init(home: home, files: PosixFileSystem()) }

    /// The store of the history in the same folder.
    public static func history(home: String) throws(AccountStoreError) -> FileAccountStore {
        try FileAccountStore(home: home, files: PosixFileSystem(), name: "history")
    }

    /// The store of what is known of tokens in the same folder. It holds none: they are in the key store.
    public static func tokens(home: String) throws(AccountStoreError) -> FileAccountStore {
        try FileAccountStore(home: home, files: PosixFileSystem(), name: "tokens")
    }

    package init(home: String, files: any FileSystem, name: String = "accounts") throws(AccountStoreError) {
        path = "\(home)/\(name).json"
        lock = "\(home)/\(name).lock"
        self.files = files
        do { try files.makeFolder(home) } catch { throw .unavailable }
    }

    public func read() throws(AccountStoreError) -> [UInt8]? {
        do { return try files.read(path) } catch { throw .unavailable }
    }

    public func update(_ change: ([UInt8]?) -> [UInt8]?) throws(AccountStoreError) {
        do {
            try files.withLock(lock) {
                let old = try files.read(path)
                guard let new = change(old), new != old else { return }
                // One name for all writers: they hold the lock, and what a crash leaves behind is overwritten by the next.
                try files.replace(path, with: new, unique: "new")
            }
        } catch { throw .unavailable }
    }
}
