import Authentication
import HTTPService
import OstiaryProtocol

extension LoginStatus {
    /// The LoginStatus object of the REST API. Of nobody it says `loggedin` and nothing else, whatever the nonce was.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("loggedin", loggedIn)
            guard state != .none else { return }
            writer.member("state", state.rawValue)
            guard state != .returning else { return writer.member("hsid", base64url: hsid?.bytes) }
            writer.member("userid", userID)
            writer.member("accountid", base64url: accountID?.bytes)
            writer.member("pk", base64url: publicKey)
            writer.member("deviceid", base64url: deviceID?.bytes)
            writer.member("hsid", base64url: hsid?.bytes)
            writer.member("canprovoke", canProvoke)
            writer.member("otplogin", otpLogin)
            writer.member("loginqrdata", base64url: loginQRData)
            writer.member("userinput", userInput.isEmpty ? nil : userInput)
            if !announced.isEmpty {
                writer.name("announceinfo")
                announced.write(to: &writer)
            }
            if !notes.isEmpty {
                writer.name("sessioninfo")
                notes.write(to: &writer)
            }
            writer.member("logintime", number: loginTime?.seconds)
            writer.member("lastping", number: lastPing?.seconds)
            writer.member("expiresat", number: expiresAt?.seconds)
            guard let authentication else { return }
            writer.member("authtime", number: authentication.time?.seconds)
            writer.member("amr", authentication.amr)
            writer.member("acr", authentication.acr)
            writer.member("binding", authentication.binding)
            if returned { writer.member("returned", returned) }
            writer.member("secondfactor", authentication.factors)
            writer.member("pinattemptsfailed", number: UInt64(authentication.failedTries))
        }
    }
}
