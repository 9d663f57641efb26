import OstiaryResource
import OstiaryTesting
import Testing

/// Keys, tokens and a proof that joserfc 1.8.0 made, a library of others; good at the fixture's time. Among the keys are two of kinds that are unknown here.
@Suite("Tokens that another library made")
struct ForeignTokenTests {
    private func api() throws -> TestAPI { try TestAPI { $0.provider?.jwt?.keys = .fixed(Array(Self.keys.utf8)) } }

    @Test("ES256, EdDSA and RS256 of joserfc's are taken, and with one character changed they are not", arguments: Self.tokens)
    func taken(text: String) async throws {
        let api = try api()
        let caller = try await api.caller(text)
        #expect(caller.subject == "alice" && caller.clientID == "mobile" && caller.scopes == ["read:timesheets"] && caller.acr == "mfa")
        let parts = text.split(separator: ".").map(String.init)
        let first = parts[2].first == "A" ? "B" : "A"
        #expect(await api.refusal("\(parts[0]).\(parts[1]).\(first)\(parts[2].dropFirst())") == .token(.signatureWrong))
        api.clock.advance(310)
        #expect(await api.refusal(text) == .token(.expired))
    }

    @Test("A proof of joserfc's opens with the token that is bound to its key, and once")
    func proof() async throws {
        let api = try api()
        let request = TestAPI.request("DPoP \(Self.bound)", proofs: [Self.proof])
        #expect(try await api.verifier.caller(of: request).keyThumbprint == Self.thumbprint)
        #expect(await api.refusal(of: request) == .proof(.replayed))
        #expect(await api.refusal(Self.bound) == .token(.proofMissing))
    }

    @Test("Its ID token opens nothing")
    func idToken() async throws {
        #expect(try await api().refusal(Self.idToken) == .token(.typeWrong))
        let plain = try TestAPI { settings in
            settings.provider?.jwt?.keys = .fixed(Array(Self.keys.utf8))
            settings.provider?.jwt?.profile = .plain
        }
        #expect(await plain.refusal(Self.idToken) == .token(.notAnAccessToken))
    }

    private static let keys =
        #"{"keys":[{"crv":"P-256","x":"pHX-eqvE-OL5wF-RaVq4AgASokr_LNeNW0tkuRZXDbI","y":"44pZXs09VU2iqRxu28PSE_g9f_ziugMRb6CmpJ2ZE_o","k"#
        + #"id":"ec","use":"sig","alg":"ES256","kty":"EC"},{"crv":"Ed25519","x":"5KE-N4mEuDATlTklcR8rJOoO8Xn3zKClXoIeeMbs3Ow","kid":"ed",""#
        + #"use":"sig","kty":"OKP"},{"n":"tjsrn-e3uFX-O_boWkAy0eyIHNPzGWEouroLuoIBhqyF9_u5h6W2BPfn-6R94FjTEKZE4lIY-CKdnu3acbX1Y8FVC254OYa-"#
        + #"jpVbtKxiGagX22rjz8EzRD2uJr8GVAlB19mS16XzvAhXwUdYxc7lyZGc9iJ07uM-yxDtkdPPtcXTlI7YCOGbSGYSCfaK4kSEkxkhuSUo-duKAdg8HRlxJRriePWObU"#
        + #"4Xyqb5sekAS1bZsBydQlZ3q09sumJBiYZnviKljhl-1rWJyXLYii1Hc-C8TBrP668_33DeinqVORy9PKg64KttCycxJ9EwsEINT22gSIcKwLe4-L-AAVY9DQ","e":"#
        + #""AQAB","kid":"rsa","use":"sig","alg":"RS256","kty":"RSA"},{"kty":"oct","k":"AAAA","kid":"oct"},{"kty":"EC","crv":"P-384","kid""#
        + #":"x","x":"AA","y":"AA"}]}"#
    static let tokens = [es256, edDSA, rs256]

    private static let es256 =
        "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiIsImtpZCI6ImVjIn0.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiJhbGljZSIsImF1ZCI6Wy"
        + "JodHRwczovL2FwaS5leGFtcGxlLmNvbS90aW1lc2hlZXRzIl0sImNsaWVudF9pZCI6Im1vYmlsZSIsImlhdCI6MTgwMDAwMDAwMCwibmJmIjoxODAwMDAwMDAwLCJl"
        + "eHAiOjE4MDAwMDAzMDAsImp0aSI6Im9uZSIsInNjb3BlIjoicmVhZDp0aW1lc2hlZXRzIiwiYWNyIjoibWZhIiwiYXV0aF90aW1lIjoxNzk5OTk5OTgwfQ.vUHbKtq"
        + "vLA_GSpWFypnVeWWkF3MqYIhSklXMhM9augtTrPgsdXXoRizZgQpyI0f4YfpF0EQR8Zp7m0K1ZHNSWw"
    private static let edDSA =
        "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFZERTQSIsImtpZCI6ImVkIn0.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiJhbGljZSIsImF1ZCI6Wy"
        + "JodHRwczovL2FwaS5leGFtcGxlLmNvbS90aW1lc2hlZXRzIl0sImNsaWVudF9pZCI6Im1vYmlsZSIsImlhdCI6MTgwMDAwMDAwMCwibmJmIjoxODAwMDAwMDAwLCJl"
        + "eHAiOjE4MDAwMDAzMDAsImp0aSI6Im9uZSIsInNjb3BlIjoicmVhZDp0aW1lc2hlZXRzIiwiYWNyIjoibWZhIiwiYXV0aF90aW1lIjoxNzk5OTk5OTgwfQ._Q6atKT"
        + "6QVsi8K0Kani3YgWp5Yz5_fK9dIUOHeK2aCiZfK-C0VVWxtyuLcjxYDEDRPP7oJDgNNPFJSQ7NcMLCg"
    private static let rs256 =
        "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiJhbGljZSIsImF1ZCI6W"
        + "yJodHRwczovL2FwaS5leGFtcGxlLmNvbS90aW1lc2hlZXRzIl0sImNsaWVudF9pZCI6Im1vYmlsZSIsImlhdCI6MTgwMDAwMDAwMCwibmJmIjoxODAwMDAwMDAwLCJ"
        + "leHAiOjE4MDAwMDAzMDAsImp0aSI6Im9uZSIsInNjb3BlIjoicmVhZDp0aW1lc2hlZXRzIiwiYWNyIjoibWZhIiwiYXV0aF90aW1lIjoxNzk5OTk5OTgwfQ.favgny"
        + "QhCWHQ0dj4GXWhcNaQbJw1RLaIXqMVC5ubdjs4-X4vpjD39FXfSZVqFTN_pcGgBHVAL6teWGD4iK7dHQyBT7a9ALFWxQwC-xurkBKdrKvono5nQO2CGe5G5xIKGV9A"
        + "3c6_ceaqhdbeXuSQWeAnyTfZYFcZTHiAV2cu0JeidzqVfZQkFJtyMiOb_O5CCGXY2vRvAq0SWxFe7gjKaePGZuqgPm8hezog0b7SOwZMAF4J95FzxF-Ef_qRjokzSF"
        + "7ZugPT_wrgUo_dDq5LphAQxp5b6KUOhVBYbbyD1CI_a8uUKXdS3BX3YZzrw_TJu8rvSC8WUTz0pkcuonsibw"
    private static let bound =
        "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiIsImtpZCI6ImVjIn0.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiJhbGljZSIsImF1ZCI6Wy"
        + "JodHRwczovL2FwaS5leGFtcGxlLmNvbS90aW1lc2hlZXRzIl0sImNsaWVudF9pZCI6Im1vYmlsZSIsImlhdCI6MTgwMDAwMDAwMCwibmJmIjoxODAwMDAwMDAwLCJl"
        + "eHAiOjE4MDAwMDAzMDAsImp0aSI6Im9uZSIsInNjb3BlIjoicmVhZDp0aW1lc2hlZXRzIiwiYWNyIjoibWZhIiwiYXV0aF90aW1lIjoxNzk5OTk5OTgwLCJjbmYiOn"
        + "siamt0IjoiMmk2N3M1QVVOeHhTSW5fa0lYQ2MtODJCU0ZWSTVnaUJCV1o1eng4YUQtdyJ9fQ.mcEFleWzRPJj7PHH2P7XLsZirV1vxQzNLk-LqLwyTQKRNYGste3b3"
        + "-ViinEpVNRuRvSHx01hst8Q1aboFZMKgw"
    private static let proof =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7ImNydiI6IlAtMjU2IiwieCI6ImY3bmNZaG1yX0hSTjhpSm14aFlycXVLaGQtZ0lnOFl2N3lrVl"
        + "RYdXZpOTQiLCJ5IjoiOW53bS1KNzFwSHBPQ1pEY1ZHMHJ5QVdqbUN1dVBRaG15NHE3LThkNmg0MCIsImt0eSI6IkVDIn19.eyJqdGkiOiJwcm9vZi0xIiwiaHRtIjo"
        + "iR0VUIiwiaHR1IjoiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20vdGltZXNoZWV0cyIsImlhdCI6MTgwMDAwMDAwMCwiYXRoIjoiXzJaSUdMMHZrZU0zUE1ReUFXV1hUe"
        + "jJ6RUl5a1RNMUxkQ203UXRZV0J0YyJ9.L9fz9uOJvOcLUMuzkx5WUGIj9mzqcGem-JVh97wUxQ6oPvXhcAUkkP8Fm6tP0zJb5vzfsRYRd80DkOOxezteUw"
    private static let thumbprint = "2i67s5AUNxxSIn_kIXCc-82BSFVI5giBBWZ5zx8aD-w"
    private static let idToken =
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiIsImtpZCI6ImVjIn0.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiJhbGljZSIsImF1ZCI6WyJodH"
        + "RwczovL2FwaS5leGFtcGxlLmNvbS90aW1lc2hlZXRzIl0sImNsaWVudF9pZCI6Im1vYmlsZSIsImlhdCI6MTgwMDAwMDAwMCwibmJmIjoxODAwMDAwMDAwLCJleHAi"
        + "OjE4MDAwMDAzMDAsImp0aSI6Im9uZSIsInNjb3BlIjoicmVhZDp0aW1lc2hlZXRzIiwiYWNyIjoibWZhIiwiYXV0aF90aW1lIjoxNzk5OTk5OTgwLCJub25jZSI6Im"
        + "4ifQ.C3znDnfw5Ev97ZEDkvaG-kECPn9fi7Kn9f-kh975tNCSa7JMUvVMqvLjfAs0eNnVEuKHjvVCDoKrwggL7Sq81w"
}
