/// The account document as a file that several processes may share: `accounts.json` in the home, changed under the lock `accounts.lock`.
public struct FileAccountStore: AccountStore {
    private let path: String
    private let lock: String
    private let files: any FileSystem

    /// In the folder `home`, which is made when it is not there.
    public init(home: String) throws(AccountStoreError) { try self.init(home: home, files: PosixFileSystem()) }

    package init(home: String, files: any FileSystem) throws(AccountStoreError) {
        path = home + "/accounts.json"
        lock = home + "/accounts.lock"
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
