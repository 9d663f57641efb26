import Foundation
import OstiaryMobile
import OstiaryProgram

extension PhoneOutput {
    /// That it is not known yet whether a login counts: to a script as `undecidedLogin`, to a person as a line.
    func tell(_ login: UndecidedLogin) {
        let line: TerminalLine =
            login.isGivenUp
            ? "a login was given up, and whether it counts is not known yet: ostiary phone sessions tells its server again (\(others: login.name))"
            : "whether a login counts is not known yet: ostiary phone sessions asks again, and with --end all ends it (\(others: login.name))"
        list("undecidedLogin", "login", login.json, line: line)
    }
}

extension UndecidedLogin {
    fileprivate var json: JSONText {
        [
            ("id", .string(id.uuidString.lowercased())), ("service", .string(name)), ("username", .optional(username)),
            ("isAppLogin", .bool(isAppLogin)), ("isGivenUp", .bool(isGivenUp)),
        ].asObject
    }
}
