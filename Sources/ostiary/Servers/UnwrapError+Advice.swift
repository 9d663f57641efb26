import Database
import OstiaryProgram

extension UnwrapError: StartAdvice {
    package var startAdvice: String {
        "the keys in the database cannot be read with this key file: name the key file that belongs to the database"
    }
}
