import Database
import HTTPService
import Logging

/// Whoever starts a program is told what it waits for while it waits: nothing of it runs yet that could say so.
extension StepPatience {
    /// Of a server, which has a log.
    static func told(in logger: Logger) -> StepPatience {
        telling { logger.line(.warning, "the start waits for others", [.reason: "\($0)"]) }
    }

    /// Of a command, which has a line on standard error.
    static func told(by command: String) -> StepPatience {
        telling { LogOutput.standardError.write("\(command): \($0)\n") }
    }

    private static func telling(_ tell: @Sendable @escaping (StepWait) -> Void) -> StepPatience {
        var patience = StepPatience()
        patience.tell = tell
        return patience
    }
}
