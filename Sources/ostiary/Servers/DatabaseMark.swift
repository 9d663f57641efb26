import Database
import Foundation
import OstiaryProtocol

/// That a server has run with a key file, and on which database: a file beside the key file, which names that. An empty database is a lost one then, or a URL
/// that leads elsewhere or was lost itself, and not a new server.
///
/// It comes with the first table, so a first start that was interrupted before goes on. Where the folder of the key file takes no files, as that of a
/// mounted secret, there is none.
struct DatabaseMark {
    /// What a URL names, in words that do not change with the folder of the process.
    let database: String
    /// The file.
    let path: String
    private let url: DatabaseURL

    init(of url: DatabaseURL, keyFile: String) {
        self.url = url
        switch url {
        // A link is not followed: it may lead to a disk that is not there.
        case .sqlite(let path): database = wholePath(path)
        case .postgresql(let address): database = address.description
        }
        path = keyFile + ".database"
    }

    /// A link that leads nowhere just now is one, too.
    var isThere: Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }
    /// The file, where it is there.
    var traces: [String] { isThere ? [path] : [] }

    /// The database that it names; nil where there is none, or a file that names nothing.
    var former: String? {
        guard let content, let text = String(bytes: content.prefix(4096), encoding: .utf8) else { return nil }
        let name = String(text.prefix { !$0.isNewline })
        // Programs of before wrote it as it was given.
        return name.isEmpty ? nil : name.hasPrefix("/") ? wholePath(name) : name
    }

    /// The same where it may be another database: not where hosts were added to a URL, or taken away, and one stayed.
    var replaced: String? {
        guard let former, former != database else { return nil }
        if case .postgresql(let address) = url, address.sharesHost(with: former) { return nil }
        return former
    }

    /// Leaves it, of a database that holds tables.
    func leave() {
        let content = Data("\(database)\n".utf8)
        guard !isSomethingElse, self.content != content else { return }
        _ = FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: 0o600])
    }

    private var content: Data? { isSomethingElse ? nil : FileManager.default.contents(atPath: path) }

    /// Whether something else has its place: whoever opened a pipe would wait for its other end.
    private var isSomethingElse: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
}
