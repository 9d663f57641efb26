import Hummingbird
import OstiaryResource

/// A context that knows who calls: what an API's own context conforms to.
public protocol CallerRequestContext: RequestContext {
    /// Set by ``ResourceMiddleware``; nil on routes that it does not stand before.
    var caller: VerifiedCaller? { get set }
}

/// The context for an API that needs nothing else in it.
public struct CallerContext: CallerRequestContext {
    public var coreContext: CoreRequestContextStorage
    public var caller: VerifiedCaller?

    public init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}

extension CallerRequestContext {
    /// Who calls, on a route that ``ResourceMiddleware`` stands before.
    /// - Throws: a 500 where none does: a route that forgot its guard lets nobody in.
    public func verifiedCaller() throws -> VerifiedCaller {
        guard let caller else { throw HTTPError(.internalServerError, message: "this route has no ResourceMiddleware before it") }
        return caller
    }
}
