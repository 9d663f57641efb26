/// How many connections the open listener of a server takes at a time.
package struct ConnectionSettings: Sendable, Equatable {
    /// In all; nil for what there is room for.
    package let total: Int?
    /// From one address; nil for half of all.
    package let perPeer: Int?

    /// - Throws: ``SettingsError``.
    package init(_ settings: Settings, _ total: SettingKey, _ perPeer: SettingKey) throws(SettingsError) {
        self.total = try settings.integer(total, in: ConnectionShares.settingRange)
        self.perPeer = try settings.integer(perPeer, in: ConnectionShares.settingRange)
    }
}
