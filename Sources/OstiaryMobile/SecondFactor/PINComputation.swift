import Crypto
import Foundation
import OstiaryProtocol

/// The computations of a PIN, away from the engine because they take tens of milliseconds.
enum PINComputation {
    @concurrent
    static func prepare(
        _ pin: LockedBytes, deviceSecret: SecretBytes, scope: BoxScope, parameters: Argon2id.Parameters, by stretching: PINStretching
    ) async throws(OstiaryError) -> StretchedPIN {
        do throws(Argon2idError) {
            return try StretchedPIN(pin: pin, deviceSecret: deviceSecret, scope: scope, parameters: parameters, by: stretching)
        } catch {
            throw .lockedMemory
        }
    }

    static func blind(_ pin: StretchedPIN) throws(OstiaryError) -> PINBlinding {
        do throws(PINBlindingError) { return try PINBlinding(pin) } catch { throw .lockedMemory }
    }

    /// The second-factor master in the box; nil for a wrong PIN.
    static func open(_ box: PINBox, _ pin: StretchedPIN, _ evaluation: Evaluation) throws(OstiaryError) -> SecretBytes? {
        guard let share = evaluation.serverShare else { throw .serverAnswer }
        do throws(BoxError) {
            return try BoxKey(pin, serverShare: share, evaluation: evaluation.y).open(box)
        } catch {
            switch error {
            case .wrongPIN: return nil
            case .corrupted, .otherParameters: throw .storeUnreadable
            case .badLength: throw .serverAnswer
            }
        }
    }

    static func seal(_ master: SecretBytes, _ pin: StretchedPIN, serverShare: SecretBytes, _ evaluation: Evaluation) throws(OstiaryError) -> PINBox {
        do throws(BoxError) {
            return try BoxKey(pin, serverShare: serverShare, evaluation: evaluation.y).seal(master, pinnedKey: evaluation.evaluationKey)
        } catch {
            throw .serverAnswer
        }
    }

    /// The second-factor key that the master is the seed of.
    static func key(_ master: SecretBytes) throws(OstiaryError) -> Curve25519.Signing.PrivateKey {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: master.exposed) else { throw .storeUnreadable }
        return key
    }
}
