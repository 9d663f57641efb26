import Foundation

/// Our programs lie in one folder: `ostiary`, which is the servers and what operators do, and `ostiary-phone`, which it becomes for whoever wants the phone or
/// the demonstration. Each finds the other beside itself and nowhere else.
package enum ProgramPlace {
    package enum Name: String, Sendable {
        case servers = "ostiary"
        case phone = "ostiary-phone"
    }

    /// The file of this program, wherever it was started from.
    package static let own: URL = {
        #if os(Linux)
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        #endif
    }()

    /// Where a program is, if it is there.
    package static func place(of name: Name, beside program: URL) -> URL {
        program.deletingLastPathComponent().appendingPathComponent(name.rawValue)
    }

    /// - Throws: ``ProgramMissing``. In a folder where everybody may write, a file of that name can be anybody's, who would have a PIN typed into it: it is
    ///   started only if it is of the same user as this program, or of root.
    package static func find(_ name: Name, beside program: URL = own) throws(ProgramMissing) -> URL {
        let place = place(of: name, beside: program)
        guard let theirs = owners(of: place.path), access(place.path, X_OK) == 0 else { throw .notThere(name, path: place.path) }
        guard let ours = owners(of: program.path)?.file, [theirs.name, theirs.file].allSatisfy({ $0 == 0 || $0 == ours }) else {
            throw .ofSomebodyElse(path: place.path)
        }
        return place
    }

    /// Goes on as that program, with the words and the environment of this one. Terminal, standard streams and process id stay.
    /// - Throws: ``ProgramMissing``, and only then it returns.
    package static func become(_ name: Name) throws(ProgramMissing) -> Never {
        let place = try find(name)
        execv(place.path, CommandLine.unsafeArgv)
        throw .notStarted(path: place.path, reason: String(cString: strerror(errno)))
    }

    /// Whose a file is, and whose the link to it, where its name is one.
    private static func owners(of path: String) -> (name: uid_t, file: uid_t)? {
        var (name, file) = (stat(), stat())
        guard lstat(path, &name) == 0, stat(path, &file) == 0 else { return nil }
        return (name.st_uid, file.st_uid)
    }
}

/// Why a program of ours is not started by the other.
package enum ProgramMissing: Error, Equatable, CustomStringConvertible {
    case notThere(ProgramPlace.Name, path: String)
    case ofSomebodyElse(path: String)
    case notStarted(path: String, reason: String)

    package var description: String {
        switch self {
        case .notThere(.phone, let path):
            "the phone and the demonstration are a program of their own, ostiary-phone, which is not at \(path): put the one of the same build there "
                + "(swift build --product ostiary-phone)"
        case .notThere(.servers, let path):
            "there is no ostiary at \(path): put the one of the same build there (swift build --product ostiary)"
        case .ofSomebodyElse(let path): "\(path) is of another user than this program, and is not started"
        case .notStarted(let path, let reason): "cannot start \(path): \(reason)"
        }
    }
}
