import OstiaryProtocol

/// That a biometric alone set a new PIN, for the other devices of each person who has an account on the device where that happened: whoever did it has
/// chosen the account that signed (protocol §8).
struct BiometricPINNotice: Sendable {
    /// How many wait for an account. Phones that do not know them acknowledge none, and a sensor that is fooled once is fooled again.
    static let kept = 16

    /// Names the notice to each account that is told.
    let id: NoticeID

    func tell(ofChangeOn instance: InstanceID, in rows: any AuthenticationRows, at now: Instant) throws {
        var users: Set<String> = []
        for account in try rows.accounts(ofInstance: instance) where account.state == .active {
            guard let user = account.userID, users.insert(user).inserted else { continue }
            let notice = DeviceNotice(.pinByBiometric, id: id, device: account.device, time: now)
            for other in try rows.accounts(ofUser: user, at: account.server) where other.instance != instance && other.state == .active {
                try rows.add(StoredNotice(account: other.id, notice: notice))
                try rows.keepNewestNotices(Self.kept, of: .pinByBiometric, for: other.id)
            }
        }
    }
}
