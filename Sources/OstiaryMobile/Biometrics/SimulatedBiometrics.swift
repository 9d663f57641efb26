import Synchronization

/// A biometric sensor that is none, for tests and demonstrations: it protects nothing, and an app that people use must not have it.
///
/// It knows a set of features by name and answers prompts by a script. As with the real thing, a key that was made before the set changed is
/// dead. With a home it keeps the set in the file `simulated-biometrics` there, one feature a line, so that several processes share it.
public final class SimulatedBiometrics: BiometricPrompt {
    /// What the person does at a prompt.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        case confirm, cancel
        /// Shows a feature that the sensor does not know.
        case fail
    }

    /// The kind of sensor.
    public enum Sensor: Sendable, Hashable {
        case strong
        case weak
        case none
    }

    private struct State {
        var features: Set<String> = ["right thumb"]
        var answer: Answer
        var sensor = Sensor.strong
        var prompts = 0
    }

    private let state: Mutex<State>
    private let path: String?
    private let files: any FileSystem

    /// In memory only.
    public init(answer: Answer = .confirm) {
        state = Mutex(State(answer: answer))
        path = nil
        files = PosixFileSystem()
    }

    /// Shared by all that use the folder `home`.
    public init(home: String, answer: Answer = .confirm) {
        state = Mutex(State(answer: answer))
        path = home + "/simulated-biometrics"
        files = PosixFileSystem()
    }

    /// What a prompt is answered with unless its `BiometricInfo` says otherwise.
    public var answer: Answer {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }

    public var sensor: Sensor {
        get { state.withLock { $0.sensor } }
        set { state.withLock { $0.sensor = newValue } }
    }

    /// How many prompts came up.
    public var prompts: Int { state.withLock { $0.prompts } }

    /// The features that the sensor knows; a change kills the keys made before. Not kept when the home cannot be written.
    public var features: Set<String> {
        get {
            guard let path, let text = try? files.read(path) else { return state.withLock { $0.features } }
            return Set(String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
        }
        set {
            state.withLock { $0.features = newValue }
            guard let path else { return }
            let text = newValue.sorted().map { $0 + "\n" }.joined()
            try? files.makeFolder(files.folder(of: path))
            try? files.replace(path, with: Array(text.utf8), unique: "new")
        }
    }

    public var availability: BiometricAvailability {
        switch sensor {
        case .none: .none
        case .weak: .tooWeak
        case .strong: features.isEmpty ? .notEnrolled : .available
        }
    }

    /// What stands for the set of features, to be kept with a key.
    package var fingerprint: [UInt8] { Array(features.sorted().joined(separator: "\n").utf8) }

    /// One prompt, for a key that was made when the set was `fingerprint`.
    package func confirm(_ info: BiometricInfo, since fingerprint: [UInt8]) throws(BiometricError) {
        guard availability == .available else { throw .unavailable }
        guard fingerprint == self.fingerprint else { throw .changed }
        state.withLock { $0.prompts += 1 }
        switch info.simulatedAnswer ?? answer {
        case .confirm: return
        case .cancel: throw .cancelled
        case .fail: throw .notConfirmed
        }
    }
}
