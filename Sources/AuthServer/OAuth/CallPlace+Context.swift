import HTTPService
import OAuthProvider

extension ServiceRequestContext {
    /// Where the request comes from, for limits of the provider.
    var place: CallPlace { CallPlace(peer?.description, in: peer?.network, through: proxy) }
}
