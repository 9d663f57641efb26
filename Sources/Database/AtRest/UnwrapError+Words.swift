extension UnwrapError {
    /// What whoever starts a server does whose key file is not the one that its database was begun with: one line, with no part of a key.
    /// - Parameters:
    ///   - keySetting: which names the key file.
    ///   - urlSetting: which names the database.
    package static func otherKeyFile(_ keySetting: String, _ urlSetting: String) -> String {
        "the keys in the database cannot be read with this key file (\(keySetting), by default in the data folder): it is not the one that the database was begun "
            + "with. Put that one in its place, from its copy; of several nodes on one database all have the same file: copy that of the first node here. Never "
            + "make a new one, which opens no database that is there. Or name the database that belongs to this file (\(urlSetting))"
    }
}
