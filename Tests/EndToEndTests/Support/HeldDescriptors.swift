import Foundation

/// What a process holds open, by descriptor, as the system names it: `socket:[4711]`, `pipe:[815]`, or a path.
func heldDescriptors(of process: Int32) throws -> [Int32: String] {
    let folder = "/proc/\(process)/fd"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return names.reduce(into: [:]) { held, name in
        // One that was closed since the folder was read leads nowhere.
        guard let number = Int32(name), let what = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else { return }
        held[number] = what
    }
}

/// The sockets among them.
func heldSockets(of process: Int32) throws -> Set<String> { Set(try heldDescriptors(of: process).values.filter { $0.hasPrefix("socket:") }) }
