extension ConfigurationKey {
    /// Every setting, in the order of the reference page.
    static let all: [ConfigurationKey] = appLogin + questions + secondFactor + device + unlike

    private static let appLogin = [
        ConfigurationKey(
            name: "appLoginInactivityTimeout", formerName: "timeoutInactivityAppLogin", kind: .duration(\.appLoginInactivityTimeout),
            summary: "After how long without a call that implies a person the AppLogin is logged out."),
        ConfigurationKey(
            name: "timeoutAppLogin", kind: .duration(\.timeoutAppLogin),
            summary: "After how long the AppLogin is logged out whatever the person does."),
        ConfigurationKey(
            name: "appLoginRequired", kind: .withoutEffect(isFlag: true),
            summary: "Changes nothing: an app has an AppLogin by starting it."),
        ConfigurationKey(name: "singleAccount", kind: .flag(\.singleAccount), summary: "At most one account in this app."),
        ConfigurationKey(
            name: "bindsTokens", kind: .flag(\.bindsTokens),
            summary: "Each AppLogin names a key of this device, to which the server's OAuth provider binds tokens."),
    ]

    private static let questions = [
        ConfigurationKey(
            name: "manuallyStartUserInteraction", kind: .flag(\.manuallyStartUserInteraction),
            summary: "The app calls `startUserInteraction` itself."),
        ConfigurationKey(
            name: "automaticallySelectSingleAccountWhenSecondFactorNeeded",
            kind: .flag(\.automaticallySelectSingleAccountWhenSecondFactorNeeded),
            summary: "A login for which only one account can answer, and which asks for a second factor, is not confirmed separately. Unlike the "
                + "reference: one that came by a link or a still code, or that announces texts or an image, is confirmed all the same."),
        ConfigurationKey(
            name: "hideVash", kind: .flag(\.hidesVisualHash),
            summary: "The visual hash of the server is neither computed nor handed to the app, which saves 70 to 300 ms at an enrolment."),
        ConfigurationKey(
            name: "universalLinkPathPrefix", kind: .pathPrefix(\.universalLinkPathPrefix),
            summary: "What the path of a link to the app begins with; other links are refused."),
        ConfigurationKey(
            name: "expiryHistoryItems", kind: .duration(\.expiryHistoryItems),
            summary: "How long an entry of the history is kept; 0 keeps none."),
    ]

    private static let secondFactor = [
        ConfigurationKey(name: "biometricsDisabled", kind: .flag(\.biometricsDisabled), summary: "Never ask for a biometric feature."),
        ConfigurationKey(
            name: "maxNumberSecondFactorWithoutPIN", kind: .count(\.maxNumberSecondFactorWithoutPIN, 0...100),
            summary: "After how many logins in a row by a biometric feature alone the PIN is asked; 0 for no limit of the app's. We advise 30."),
        ConfigurationKey(
            name: "maxTimeSecondFactorWithoutPIN", kind: .duration(\.maxTimeSecondFactorWithoutPIN),
            summary: "How long after the last right PIN a biometric feature alone is enough. We advise 720h, 30 days."),
        ConfigurationKey(
            name: "blockSecondFactorOnPINBlocked", kind: .flag(\.blockSecondFactorOnPINBlocked),
            summary: "A blocked PIN blocks the biometric feature as well."),
        ConfigurationKey(
            name: "disallowPinChangeWithBiometric", kind: .flag(\.disallowPinChangeWithBiometric),
            summary: "A new PIN needs the old one; a biometric feature does not vouch for it."),
        ConfigurationKey(
            name: "secondFactorUserInputTimeout", kind: .duration(\.secondFactorUserInputTimeout),
            summary: "How long the SDK waits for each input of a second factor before it gives up."),
        ConfigurationKey(
            name: "alwaysRequireSecondFactorIfInactiveAppLogin", kind: .flag(\.alwaysRequireSecondFactorIfInactiveAppLogin),
            summary: "A login of a browser never goes by a remembered second factor unless the person is logged in to the app."),
    ]

    private static let device = [
        ConfigurationKey(
            name: "connectionPatience", kind: .duration(\.connectionPatience),
            summary: "How long the SDK goes on trying to reach a server before a login or an enrolment fails; 0 tries once."),
        ConfigurationKey(name: "appInfo", kind: .label(\.appInfo), summary: "Name and version of the app; the server keeps it with the account."),
        ConfigurationKey(
            name: "deviceName", kind: .label(\.deviceName),
            summary: "Name of the device and its system; the page of an enrolment and older devices show it."),
        ConfigurationKey(
            name: "watchesSessions", kind: .flag(\.watchesSessions),
            summary: "Keep a question open at the server while something is logged in, to hear of a stop at once."),
    ]

    /// What the reference has and Ostiary does otherwise.
    private static let unlike = [
        ConfigurationKey(
            name: "legacyBioAddFlow", kind: .only(true), summary: "Adding biometrics asks for the feature first and then for the PIN."),
        ConfigurationKey(name: "legacyUserInteraction", kind: .only(true), summary: "There is one way to ask the person: the calls and events here."),
        ConfigurationKey(
            name: "defaultNSURI", kind: .withoutEffect(isFlag: false),
            summary: "Changes nothing: a code of an unknown server is error 34, and no other server is told."),
        ConfigurationKey(
            name: "config", kind: .refused,
            summary: "there is no signed string: the signed bundle of each server names its second-factor server; leave it out"),
        ConfigurationKey(
            name: "allowedProtocolVersions", kind: .refused, summary: "there is one version of the protocol; leave it out"),
    ]
}
