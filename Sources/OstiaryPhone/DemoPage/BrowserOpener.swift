import Foundation

/// Opens a page in the person's browser, where there is one.
///
/// The address has a secret in it, and the arguments of a program are read by everybody on a machine. So the browser is given a file that only
/// its owner reads, which leads on to the address.
struct BrowserOpener: Sendable {
    /// Of this process.
    let environment: [String: String]

    /// - Parameter folder: of the demonstration; nobody else may read it.
    /// - Returns: whether a browser was asked to open it.
    func open(_ address: String, by folder: URL) -> Bool {
        guard let opener else { return false }
        let file = folder.appendingPathComponent("open.html")
        let page = Data(Self.page(to: address).utf8)
        let isMade = FileManager.default.createFile(atPath: file.path, contents: page, attributes: [.posixPermissions: 0o600])
        guard isMade, let nothing = try? FileHandle(forUpdating: URL(fileURLWithPath: "/dev/null")) else { return false }
        let asked = try? SpawnedProcess(
            opener, [file.path], environment: environment, input: nothing.fileDescriptor, output: nothing.fileDescriptor,
            errors: nothing.fileDescriptor)
        guard let asked else { return false }
        // It hands the file to a browser and ends; one that is let go of before is ended.
        Task.detached { _ = await asked.wait(for: .seconds(60)) }
        return true
    }

    /// The program that opens files as the person's desktop does; nil without a desktop.
    var opener: String? {
        #if canImport(Darwin)
        return "/usr/bin/open"
        #else
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { !(environment[$0] ?? "").isEmpty }) else { return nil }
        let folders = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/xdg-open" }
        return folders.first { FileManager.default.isExecutableFile(atPath: $0) }
        #endif
    }

    static func page(to address: String) -> String {
        let place = DemoSitePages.escaped(address)
        return """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=\(place)">
            <title>Hallway</title></head><body><p><a href="\(place)">Open the demonstration</a></p></body></html>
            """
    }
}
