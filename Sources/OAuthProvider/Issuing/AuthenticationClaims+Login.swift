import Authentication
import OstiaryTokens

extension AuthenticationClaims {
    /// What happened and no more: a factor that was remembered is as old as its proof.
    package init(of login: Login) {
        let facts = AuthenticationFacts(of: login)
        self.init(time: facts.time ?? login.at, acr: LoginStrength(of: login).rawValue, amr: facts.amr)
    }
}
