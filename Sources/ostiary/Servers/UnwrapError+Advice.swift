import Database
import OstiaryProgram

/// Met by `ostiary serve`; the other server has `IdentityError.unreadableKey` for it.
extension UnwrapError: StartAdvice {
    package var startAdvice: String {
        switch self {
        case .otherKey:
            UnwrapError.otherKeyFile(ServerKind.authentication.keySetting, ServerKind.authentication.urlSetting)
        case .malformed, .unknownVersion, .notAuthentic:
            "a key in the database cannot be read, and not for want of its key file as far as can be seen: it is damaged, or a newer program's; restore a backup "
                + "of the database, or start the newer program. The key file stays as it is"
        }
    }
}
