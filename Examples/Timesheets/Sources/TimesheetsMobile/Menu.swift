import OstiaryMobile

/// What is shown to whom: it follows from the scopes that were granted. Showing and hiding is a courtesy, and no guard.
enum Menu {
    static let add = "add DATE HOURS PROJECT"
    static let approve = "approve NUMBER"

    static func items(for credentials: TokenCredentials?) -> [String] {
        guard let credentials else { return ["login", "quit"] }
        let byScope = [
            ("read:timesheets", ["list"]), ("create:timesheets", [add]), ("approve:timesheets", ["approvals", approve]),
        ]
        return byScope.flatMap { scope, items in credentials.hasScope(scope) ? items : [] }
            + ["me"] + (credentials.isLasting ? ["renew"] : []) + ["revoke", "logout", "quit"]
    }
}
