// OstiaryProtocol owns AP1: every byte that two parties must agree on.
//
// What is here: the encodings (Encoding/), the labels and hashes (Labels.swift, Hashes.swift), keys and identities (Keys/),
// the sealed exchange (Exchange/), the messages (Messages/), links (Links/), the VOPRF (OPRF/), the PIN box (SecondFactorBox/),
// locked memory (Memory/) and the visual hash (VisualHash/). Of files only what a path is from the root on (WholePath.swift).
// What is not: input and output, clocks, storage, rules. Time and randomness come in as parameters.
// Start reading at Encoding/WireStruct.swift, then Messages/, with docs/protocol beside you.
