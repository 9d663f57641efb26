/// The 256 words of the visual hash, word i for byte i (protocol §3). The same list is `Vectors/visual/words.txt`.
///
/// Nouns that a person can read out and tell apart: the first three letters are unique, and any two words differ in at least three
/// letters. A change of this list is a change of the protocol.
package enum VisualHashWords {
    package static let list: [String] = text.split(whereSeparator: \.isWhitespace).map(String.init)

    private static let text = """
        acorn acrobat album almond anchor angle anvil arch aspen atlas attic autumn avenue badge baker ballet bamboo
        banjo barn beach bell berry bicycle bison blanket boat bonnet bottle brick bronze brush bubble bucket buffalo
        butter cabin cactus camel canoe carpet castle cedar chalk chimney circus clock cobalt coffee copper cotton
        cousin cradle cricket crown cube curtain cushion cymbal daisy dancer denim desert diamond diver doctor dolphin
        donkey dragon drum duck dwarf dynamo echo eclipse elbow ember engine evening eyebrow falcon farmer feather fence
        fiddle finger fjord flag flute forest fossil fox freckle fungus galaxy garden gate gem ghost giraffe glacier
        globe gold gondola gravel guitar gymnast harbor helmet holly horizon hotel hurdle hyena ibex iceberg igloo
        iguana indigo insect iris island ivory jaguar jasmine jewel jigsaw journal juice kayak kennel kestrel ketchup
        kimono kingdom kitchen knight koala ladder lagoon lamp lantern laurel lemon lentil library lilac lizard lobster
        lotus lunch lynx magnet maple meadow mirror mitten moose mosaic moth muffin museum myrtle napkin needle nickel
        nomad nugget nutmeg nylon oasis oboe ocean octopus olive omelet onion opal opera orange orbit orchid oxygen
        palace panda parrot pelican piano picnic pigeon pillow pirate polka potato prairie pumpkin puppet puzzle pyramid
        quail rabbit radish raft rainbow razor rhubarb ribbon roof rubber ruffle runway saffron school sesame sheriff
        siren sketch sled soldier sphinx spider squid stable storm sugar summit sunset swan syrup tavern teapot temple
        thistle thumb trumpet tulip tuxedo twig typhoon ukulele unicorn utensil vanilla vinegar violin volcano vortex
        vulture walnut wheat window wrench yacht yogurt zebra zenith zigzag
        """
}
