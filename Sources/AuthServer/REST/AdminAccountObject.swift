import Authentication
import HTTPService
import OstiaryProtocol

extension Account {
    /// The Account object of the REST API. Keys and what belongs to one-time codes stay here.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id.text)
            writer.member("description", device)
            writer.member("name", displayName)
            writer.member("userid", userID)
            writer.member("blocked", isBlocked)
            writer.member("state", state == .pending ? "pending" : "active")
            writer.member("clientVersion", app)
            writer.member("headless", isHeadless)
            writer.member("deviceid", isHeadless ? nil : instance?.text)
            writer.member("created", number: createdAt.seconds)
            writer.member("lastlogin", number: lastLogin?.seconds)
        }
    }
}

/// The body of updateAccount: nothing but `blocked` can be changed.
struct AdminAccountUpdate: JSONFields {
    let blocked: Bool

    enum Field: String, CodingKey, CaseIterable { case blocked }
}
