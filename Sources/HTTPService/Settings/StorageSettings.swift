import OstiaryProtocol

/// Where a server keeps its data unless it is told otherwise: gives defaults for database and key file, nothing else.
package struct DataFolder: Sendable {
    /// From the root on.
    package let path: String

    /// - Parameter path: of `--data`; by default `./ostiary-data`, in the folder of the process.
    package init(_ path: String = "./ostiary-data") {
        self.path = wholePath(path)
    }
}

/// Database and key-encryption key: all that printing an identity needs.
package struct StorageSettings: Sendable, Equatable {
    /// Of the form that the Database target parses.
    package let databaseURL: String
    package let keyFile: String

    package init(databaseURL: String, keyFile: String) {
        self.databaseURL = databaseURL
        self.keyFile = keyFile
    }

    /// - Parameter name: of both files in the folder, where the settings name no other.
    /// - Throws: ``SettingsError``.
    package init(
        _ settings: Settings, _ database: SettingKey, _ key: SettingKey, named name: String, in folder: DataFolder
    ) throws(SettingsError) {
        databaseURL = try settings.text(database) ?? "sqlite:\(folder.path)/\(name).sqlite"
        keyFile = try settings.text(key) ?? "\(folder.path)/\(name).kek"
    }
}
