import OstiaryProtocol
import OstiaryTokens
import Testing

/// An RSA key that is for tests and for nothing else, with what another library signed by it.
enum RSAFixture {
    static func signer() throws -> LocalSigner { try LocalSigner(.rs256, stored: try #require(Base64URL.decode(der))) }

    static let thumbprint = "B80TlEb0DRK_yC2zDg5g4nM02YWHYSI1fAGDkfhXb-o"

    /// `{"sub":"alice"}` as an access token.
    static let token =
        "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJSUzI1NiIsImtpZCI6IkI4MFRsRWIwRFJLX3lDMnpEZzVnNG5NMDJZV0hZU0kxZkFHRGtmaFhiLW8ifQ"
        + ".eyJzdWIiOiJhbGljZSJ9.CAc35QChXmPes8KH_J7QRnWXp9LTerCQrWuCVEW5PqneG30EbCVWTjnv-"
        + "1tnwfwmjBFDPOpue7AUoOJwA0IB7j3RKieOm8O63UwSHgVrFQv52JDcDp9BoamjI8VHadXpelDV-R5viCjM07qoAkcvUn4T_E_hou4ylzZtap-"
        + "I63JxrbDIRlO4dyfv69MHnkAwyZAMEdtmJMpy4L4HUHrlFMweK4fwgLtEQUHw8mEazrxxvZYjGladF9cXITbwZ6WcCUBKghDNPP4vm_pbqr7Ig"
        + "5GARl7xLt283Tx3Ekca7MUv7MmfCxnXTTBsC1CI2l2VR5wW8X4vrYxAmcpURP2OhQ"

    /// PKCS #1.
    private static let der =
        "MIIEpAIBAAKCAQEAn8GxU-HjRKpa0zRj9cGUxmFSvvC6VUlqApHpaJ3KgpnGu5sjhMObWfpbT66svbFCGMeDlSaUvApiBZLVsPaj45oQpNyWid"
        + "6oMraajgkCYaGxItr5c5uNi40f5vTnPwMJz0EGLjwcg6OuoVvoLddgUJ1NGswSeQtrU7eSTUeRBSDBpqRj60QnkdW2gP4uN_xzENEL_sHe5tmJ"
        + "vN4dbvyBtFZEMdfNyhl3NeXfGCB1Lz9sfPhU9fyIqxTYQXddTGgDX2HAsk0xKC94pvhAq4QYoJJ4vux7H2joubq2gtUU-"
        + "_DZ91zuyqBdZsowVy_XPLEUdajfb_4j3KmMBNlBvkoXuQIDAQABAoIBAAiESnWsLrIGmkX1M-OyThdPW-_FpKFkWGGfsWpRiINy5ZczJkRvKyq"
        + "JABzc3-T9p1uWfgDRvY8oHIwAhSI5293dOkhCYZzNq84xpvFYhfHPgsKBcFgF8cNVTYnsrMv9V6S0FOYab_Nioq4ug0-3p4ZUryYfvVe0-"
        + "06gvuIeJRs5S10cG6Ymsn_gxowNpM5wtjhSW0dQ4Dw5c9HGefIqs3pfRindSPivDXQRigWIreZoiZeCG3H6ECCEmYqY2C8BeerXqtGnTJcvlYb"
        + "ThKIBBath92Ap0Tc5cUGD1E6PdZ26mTNAxOtX7H5RAuDTVpQFRm2p7_gwYlEI8Iu_5bUyfDsCgYEA2yOxvqRVxqKdJGOIJJWotRWonAqB4CkXL"
        + "0kzAOEDW-aunwVGOL4bFCCpsgCWvMliEAD-6xMRHCIwkwM9FRCmRW1-"
        + "_McZKiWdHJQT5m_eHaJ_boaWKWkL4ee51zVE7EAa_01Vf6GddbunivNmeMagMK7GGjS8L5MMbd_7MdP-azcCgYEAuqDuK1Vjo64AQSmAFg9LG9" + "PqS5xcdR3wdmzO2h-"
        + "BRr71I9CEuQmyMtYygoWNpSt4tcNHGPatkyfD6qPdPitkqvTPe6MLzsAgLJaCc7GB1RsLIc3b4N7Yxa9HSZePfJqm4TufZlv7xdw9SmLB1DtWS"
        + "DNZsXm1Ug6irjUNb4QXbI8CgYEAr-J5UjNiKTjxeXhtmDeKnjVRDFUeosU4N5q_1g_D-2ouc7HvB7IF1-"
        + "TTbuwsEEBudbvm3tSB4hvK8uQhjZu8aHMW_lnq57oi3QI46raVByIat6JMOdZ3VA0CSyoVNK3LPWhbnEIiOJGySsNLVtrNTeWpWPVEqcaTrkic"
        + "vAST6ocCgYEAgeoHAWlWjBlTGgk-nZyVx1BUd7_n6KsnufhyYgquXkYNtZmw2nIydwr-bDd167WAON8v_eOx3o8-"
        + "5XaeS2m_kPYL_N_6FzlM7Fz1gH3fiC5kKGr6FeZq9enW8RatDqtFYeK0Snfbotd2XvKyRP_tRyNf25iCrRV9D1HlAWztNWcCgYAG9PbErhUjLV"
        + "jvBQuhw0pkP1YfpRqU4FwxsYmzi42cAHJrdSm4QuZyzrGoA52h8gWMXbc1b-NjZc5usZW-"
        + "nJ2RZ9PFVJ6qrVW_XnyDIaJOqfBNH7TMBYYZfQ8a8U3XON1VmzCsB0y6cPYT9Cdw1x3-Pvl-hGhEBpPz5MtgLXwCnw"
}
