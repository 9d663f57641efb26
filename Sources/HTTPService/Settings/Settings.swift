import Configuration
import Foundation
import Synchronization

// Settings: what an operator may set, and how it is told what is wrong with it.
//
// Each server declares its settings as values of SettingKey beside the type that they are parsed into; here is the mechanism: three sources over
// one another, typed access (Settings+Types), the nearest name for one that nobody knows, secrets that do not print, and errors of one line.
// Why a file that is named cannot be read is in WhyUnreadable.
// Start reading here, then SettingKey.swift and Settings+Types.swift.

/// The settings of a process: command line over environment over YAML file. Values are text here; typed access is in `Settings+Types.swift`.
package struct Settings: Sendable {
    private let providers: [any ConfigProvider]

    /// - Parameters:
    ///   - keys: every setting that file and environment may have: those of all servers that share them.
    ///   - configFile: path of a YAML file; if nil, the one that `OSTIARY_CONFIG` names, if any.
    ///   - environment: the variables of the process.
    ///   - overrides: what the command line says.
    /// - Throws: ``SettingsError`` for a file that cannot be read, is no flat mapping, or has a key that is not among `keys`; and for a variable
    ///   that begins with `OSTIARY_` and that no program of ours knows, unless Kubernetes wrote it.
    package static func load(
        _ keys: [SettingKey], configFile: String? = nil, environment: [String: String], overrides: [SettingKey: String] = [:]
    ) async throws(SettingsError) -> Settings {
        let given = overrides.map { key, value in (AbsoluteConfigKey([key.name]), ConfigValue(.string(value), isSecret: true)) }
        // An empty variable counts as not set, as in a compose file that passes a variable on.
        let set = environment.filter { !$0.value.isEmpty }
        let variables = keys.map(\.variable) + otherVariables
        let ours = Set(set.keys.filter { $0.hasPrefix(prefix) }).subtracting(serviceLinks(among: Array(set.keys)))
        if let unknown = ours.sorted().first(where: { !variables.contains($0) }) {
            throw .unknownVariable(unknown, meant: nearest(to: unknown, among: variables))
        }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "command line", values: Dictionary(uniqueKeysWithValues: given)),
            EnvironmentVariablesProvider(environmentVariables: set, secretsSpecifier: .all).prefixKeys(with: "ostiary"),
        ]
        if let path = configFile ?? set["OSTIARY_CONFIG"], let file = try await readYAML(path, keys) { providers.append(file) }
        return Settings(providers: providers)
    }

    private static let prefix = "OSTIARY_"
    /// The file of settings, and what `ostiary phone` asks for.
    private static let otherVariables = ["OSTIARY_CONFIG", "OSTIARY_PHONE_KEYRING"]

    /// What Kubernetes writes into every pod for each Service of the namespace, also for one that is called like us: `OSTIARY_SERVICE_HOST`,
    /// `OSTIARY_PORT`, `OSTIARY_PORT_8080_TCP`. No setting is called so.
    private static func serviceLinks(among names: [String]) -> [String] {
        let host = "_SERVICE_HOST"
        let services = names.filter { $0.hasSuffix(host) }.map { String($0.dropLast(host.count)) }
        return names.filter { name in
            services.contains { name.hasPrefix($0 + "_SERVICE_") || name == $0 + "_PORT" || name.hasPrefix($0 + "_PORT_") }
        }
    }

    private static func nearest(to name: String, among variables: [String]) -> String? {
        nearestName(to: String(name.dropFirst(prefix.count)), among: variables.sorted().map { String($0.dropFirst(prefix.count)) })
            .map { prefix + $0 }
    }

    /// The text of a setting, or nil if it is not set. A YAML list is its items joined by commas.
    /// - Throws: ``SettingsError/invalid(_:reason:)`` for a YAML mapping where text is wanted.
    package func text(_ key: SettingKey) throws(SettingsError) -> String? {
        let name = AbsoluteConfigKey([key.name])
        for provider in providers {
            do {
                if case .string(let text)? = try provider.value(forKey: name, type: .string).value?.content { return text }
            } catch {
                guard case .stringArray(let items)? = try? provider.value(forKey: name, type: .stringArray).value?.content else {
                    throw .invalid(key, reason: "text is wanted here")
                }
                return items.joined(separator: ",")
            }
        }
        return nil
    }

    /// Reads a YAML file; nil if there is nothing in it but comments.
    private static func readYAML(_ path: String, _ keys: [SettingKey]) async throws(SettingsError) -> (any ConfigProvider)? {
        let content: String
        do {
            content = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
            throw .unreadableFile(path: path, reason: whyUnreadable(path) ?? "no readable UTF-8 text")
        }
        let isEmpty = content.split(whereSeparator: \.isNewline).allSatisfy { line in
            line.allSatisfy(\.isWhitespace) || line.drop(while: \.isWhitespace).hasPrefix("#")
        }
        if isEmpty { return nil }
        // The reader calls this for each key it meets, which is the only way to learn of keys that nobody asks for.
        let met = KeyCollector()
        let options = YAMLSnapshot.ParsingOptions(secretsSpecifier: .dynamic { key, _ in met.insert(key) })
        let location = ConfigReader(provider: InMemoryProvider(values: ["filePath": ConfigValue(.string(path), isSecret: false)]))
        let file: FileProvider<YAMLSnapshot>
        do {
            file = try await FileProvider(parsingOptions: options, config: location)
        } catch {
            throw .malformedFile(path: path, reason: YAMLMistake(content: content, keys: keys).sentence(for: error))
        }
        if let unknown = met.keys.sorted().first(where: { keys.named($0) == nil }) {
            throw YAMLMistake(content: content, keys: keys).error(for: unknown, path: path)
        }
        if let secret = keys.first(where: { $0.isSecret && met.keys.contains($0.name) }), SecretFile.isOpenToOthers(path) {
            throw .readableByOthers(secret, path: path)
        }
        return file
    }
}

/// The keys of a file.
private final class KeyCollector: Sendable {
    private let collected = Mutex<Set<String>>([])

    var keys: Set<String> { collected.withLock(\.self) }

    /// Notes a key; true, because every setting is treated as a secret when settings are printed.
    func insert(_ key: String) -> Bool {
        _ = collected.withLock { $0.insert(key) }
        return true
    }
}

/// A message of another library on one line.
package func oneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
}
