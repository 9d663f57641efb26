/// How the browser that asks is tied to the phone that answers (protocol §6).
package enum Binding: UInt8, Sendable, CaseIterable {
    case returnCode = 1
    case qrDynamic = 2
    case qrStatic = 3
    case push = 4
    case app = 5
    case unboundLink = 6
}
