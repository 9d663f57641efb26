import OstiaryProtocol

/// An answer that tells the phone of more than it was asked about.
protocol TellingAnswer {
    var extensions: Extensions { get }
    var offlineCodes: OfflineCodeLength? { get }
}

extension L6: TellingAnswer {}
extension PingAnswer: TellingAnswer {}

/// News of other devices: told to the app, written down, and acknowledged with the next signed message of the account (protocol §8). A process that dies
/// between telling and writing tells once more; a notice is never acknowledged before somebody listened.
extension Engine {
    /// What a message of this account acknowledges.
    func shownNotices(of account: AccountID) -> [NoticeID] {
        Array((stored?.account(account)?.shownNotices ?? []).prefix(DeviceNotice.mostAtOnce))
    }

    /// Takes what an answer told beside what it was asked.
    /// - Parameter acknowledged: what the message before it said was shown; that message was answered, so the server knows.
    func hear(_ answer: some TellingAnswer, by id: AccountID, after acknowledged: [NoticeID]) {
        note(offlineCodes: answer.offlineCodes, by: id)
        hear(answer.extensions.notices, by: id, after: acknowledged)
    }

    private func hear(_ notices: [DeviceNotice], by id: AccountID, after acknowledged: [NoticeID]) {
        guard let account = stored?.account(id) else { return }
        let known = account.shownNotices ?? []
        for notice in notices where !known.contains(notice.id) {
            emit(event(of: notice, for: shown(account)))
        }
        // With nobody to hear it nothing was shown: the server goes on telling.
        let told = notices.map(\.id).filter { known.contains($0) || isHeard }
        let left = known.filter { !acknowledged.contains($0) && !told.contains($0) } + told
        guard left != known else { return }
        _ = try? write { (state) throws(OstiaryError) in state.setAccount(id) { $0.shownNotices = left.isEmpty ? nil : left } }
    }

    private func event(of notice: DeviceNotice, for account: Account) -> OstiaryEvent {
        switch notice.subject {
        case .enrolled: .newDevice(NewDevice(name: notice.device, enrolledAt: notice.time.seconds), account: account)
        case .pinByBiometric:
            .pinReplacedByBiometric(ReplacedPIN(deviceName: notice.device, replacedAt: notice.time.seconds), account: account)
        }
    }
}
