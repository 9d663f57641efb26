import OstiaryMobile

/// Who is logged in, out of the ID token that the SDK has verified.
enum Profile {
    static func name(_ credentials: TokenCredentials) -> String {
        credentials.profile.map { $0.name ?? $0.subject } ?? "Somebody"
    }

    static func show(_ credentials: TokenCredentials) {
        let profile = credentials.profile
        let email = profile?.email.map { "\($0)\(profile?.isEmailVerified == true ? "" : " (not verified)")" }
        Screen.show("name     \(profile?.name ?? "-")")
        Screen.show("email    \(email ?? "-")")
        Screen.show("picture  \(profile?.picture?.absoluteString ?? "-")")
        Screen.show("subject  \(profile?.subject ?? "-")")
        Screen.show("may      \(credentials.scopes.filter { $0.contains(":") }.sorted().joined(separator: " "))")
        Screen.show("stays    \(credentials.isLasting ? "until it is ended" : "as long as the login on the phone")")
        Screen.show("bound    \(credentials.isBound ? "to this device" : "to nothing")")
    }
}
