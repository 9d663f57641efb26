import Database
import HTTPService

/// What the world hears when the disk takes nothing, or another process holds the database: that it passes, and nothing of where it is.
func storageOutage(_ error: any Error) -> ErrorResponse? {
    switch error {
    case SQLError.diskFull, SQLError.cannotWrite, SQLError.busy: .storageUnavailable
    default: nil
    }
}
