/// An enrolment code that several phones have read, and what is known of what came of it.
struct Invitation: Sendable {
    /// One account at the server, which is one device.
    struct Device: Sendable, Equatable {
        let account: String
        /// Whether its code was typed.
        let isActive: Bool
    }

    /// Whom it is for: nobody else enrols by that name, so that whatever that user has afterwards has come from this code.
    let user: String
    /// The account whose code a phone has shown; nil where none did.
    var shown: String?
    /// The account of which its phone was told that it counts.
    var heard: String?

    /// What is wrong with the devices that the user has afterwards. One whose phone heard nothing may be there or not: it was given up there, and nobody typed
    /// its code.
    func problems(with devices: [Device]) -> [String] {
        var problems: [String] = []
        if devices.count > 1 { problems.append("\(user): \(devices.count) devices have come from one code") }
        if let heard, !devices.contains(Device(account: heard, isActive: true)) {
            problems.append("\(user): a phone was told that it is enrolled, and is not")
        }
        if devices.contains(where: { $0.isActive && $0.account != shown }) {
            problems.append("\(user): a device counts whose code no phone has shown")
        }
        return problems
    }
}
