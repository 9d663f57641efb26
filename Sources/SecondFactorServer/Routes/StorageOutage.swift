import Database
import HTTPService

/// What the world hears when the disk takes nothing: that it passes, and nothing of where it is.
func storageOutage(_ error: any Error) -> ErrorResponse? {
    switch error {
    case SQLError.diskFull, SQLError.cannotWrite: .storageUnavailable
    default: nil
    }
}
