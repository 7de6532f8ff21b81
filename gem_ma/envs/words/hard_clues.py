"""Hard words and clues for crosswords, written for this project: one line each."""

HARD_CLUES = """
ACE One, or a master pilot
AGO In the past
ALE Drink at an English inn
ASH What is left after the blaze
AWE Wonder mixed with fear
AXE Tool for felling
BAY Bite that the sea takes out of a coast
DEN Lair
DEW Drops on the morning lawn
DUE Owed
EBB Going out, of the tide
EEL Slippery long fish
ELK Moose, in Europe
ELM Tree that a beetle-borne disease killed
EMU Tall runner of Australia
ERA Long stretch of history
GEM Ruby or emerald
HUE Shade
ION Atom with a charge
IRE Anger
IVY Climber on old universities
KIN Family
LYE Caustic stuff for making soap
OAR It moves a galley
ORB Sphere
ORE Rock that holds metal
PEW Bench for the faithful
RYE Grain for dark bread and whiskey
SAP It runs in maples
URN Vase for ashes
VAT Large tub for wine
VOW Solemn promise
WIT Clever humour
YEW Churchyard tree
ACID It turns litmus red
ALTO Voice below soprano
ATOM Nucleus and electrons
AXIS Line about which a globe turns
BARD Shakespeare, for short
BAIL Money to get out of jail
BARK What a tree and a hound have
BREW Make beer
CALF Young whale, or part of a leg
CLEF Sign at the start of a stave
COMA Deep, long unconsciousness
DAWN Break of day
DUNE Hill that the wind moves
EPIC Long poem about heroes
FLUX State of constant change
FUSE It blows to save the circuit
GALE Very strong wind
GLEN Narrow Scottish valley
HARP Instrument of angels
HERB Basil or thyme
HULL Body of a vessel
IDOL False god
IRIS Ring around the pupil
JADE Green stone loved in China
KELP Seaweed that forms forests
LAVA Molten rock above ground
LOOM Weaver's machine
LUTE Pear-shaped old stringed instrument
LYNX Wild cat with tufted ears
MAZE Minotaur's home, in a way
MOAT Water around a fortress
MYTH Tale of gods
NEON Gas in glowing signs
NODE Point in a network
OATH Words sworn in court
AROMA Pleasant smell
OMEN Sign of things to come
ONYX Banded black gem
OPAL Milky gem that plays with colours
OPUS Numbered work of a composer
ORCA Killer of the seas, black and white
OVAL Egg-shaped
PACT Agreement
PAWN Smallest on the chessboard
PEAT Fuel cut from a bog
PLEA Guilty, perhaps
POET Homer or Sappho
PUMA Cat of many names in the Americas
QUAY Where ships tie up
REEF Coral ridge
RUNE Letter of the Vikings
SAGA Long Icelandic tale
SILK Thread from a cocoon
SLUG Gardener's slimy foe
STEW Cook slowly
SURF Ride the waves
TIDE The moon's pull makes it
TOFU Curd of soy
TUNA Big fish, often tinned
VEIL It hides a bride's face
VETO I forbid, in Latin
VOLT Unit of tension
YETI Snowman that nobody has caught
YOLK Yellow centre
ZEAL Eager passion
ZINC Metal that joins copper in brass
ABBEY Home of monks
ABYSS Bottomless depth
ALGAE Simple green life in ponds
ALIBI Proof of having been elsewhere
ALLOY Bronze, but not copper
AMBER Resin that traps ancient insects
ANVIL Smith's block
AORTA Main artery
ARENA Place for gladiators
ATLAS Titan, or a book of maps
AUDIT Inspection of the books
BARGE Flat boat for canals
BATON Conductor's stick
BISON Shaggy beast of the prairie
BRINE Pickling liquid
CACAO Bean behind a bar
CANOE Light boat that you paddle
CARGO What a freighter carries
CEDAR Tree on a Levantine flag
CHESS Game of mates
CHOIR Many voices
CLIFF Dover has white ones
COBRA Hooded killer
COMET Visitor with a tail
CORAL Tiny animals that build islands
CREEK Small stream
CYNIC Diogenes was the first
DELTA Greek letter where a river ends
DENIM Jeans material
DIARY Samuel Pepys kept one
DIGIT Finger or figure
DODGE Avoid by a quick step
EASEL It holds up a canvas
EBONY Black wood
ELEGY Poem for the dead
EMBER Glowing coal
EPOCH Division of geological time
FABLE Aesop's kind of story
FEAST Banquet
FERRY It goes from bank to bank
FJORD Norwegian inlet
FLINT Stone that strikes sparks
FLORA Plants of a region
FLUTE Woodwind without a reed
FORGE Shape metal, or a signature
FUGUE Bach's specialty
GENRE Western or romance
GEYSER Hot spring that spouts
GHOST Spirit that haunts the attic
GLOBE World on a stand
HAIKU Poem of seventeen syllables
HERON Grey wader
HYENA It is said to laugh
IGLOO Dome of snow blocks
IRONY Saying the opposite of what is meant
IVORY Tusk material
JOKER Wild one in the pack
JUDGE Wielder of a gavel
KAYAK Palindrome on the water
KNEEL Get ready to be knighted
LLAMA Woolly carrier of the Andes
LOTUS Flower that rises from the mud
LUNAR Of the moon
MAGMA Molten rock below ground
MANOR Lord's estate
MEDAL Olympic prize
METEOR Shooting star
MOTIF Theme that recurs
NICHE Hollow for a statue
NOMAD One who never settles
NOVEL Long fiction, or new
OASIS Green spot in the Sahara
OLIVE Branch of peace
OPERA Where the fat lady sings
ORBIT Path around a sun
OTTER Playful river hunter
OXIDE Rust is one
PANDA Eater of bamboo
PEARL Oyster's treasure
PIVOT Turn on a point
PLAZA Spanish square
PRISM It splits light
PROSE Not verse
QUILL Pen from a goose
QUOTA Fixed share
RADAR Echoes that find planes
RAVEN Poe's bird
RELIC Saint's bone, perhaps
RHYME June and moon do it
RIVAL Competitor
SALVE Ointment
SATIN Glossy cloth
SCALE Do re mi, or weigher
SIEGE Troy's was ten years long
SOLAR Kind of eclipse
SONAR Underwater echo finder
SPICE Cargo that made Venice rich
SQUID Ten-armed swimmer
STAGE All the world is one
STEAM Power of the first railways
STORK Bringer of babies
SWORD Blade of honour
TALON Claw of a hawk
TEMPO Allegro or largo
THIGH Where the femur is
TOTEM Carved pole
TREATY It ends a war on paper
TUNDRA Treeless frozen plain
VAPOUR Gas from a boiling pot
VAULT Bank's strong room
VENOM Snake's weapon
VERSE Lines of a poem
VIOLA It is larger than a violin
VIRUS It cannot multiply alone
WAGER Bet
WALTZ Dance in three-four time
WHARF Landing place for freight
YACHT Rich sailor's pride
YEAST It makes dough rise
ANCHOR It keeps a ship in place
ARCHER William Tell, or Sagittarius
ATRIUM Chamber of the heart
BARLEY Grain for malt
BEACON Fire on a hilltop, once
BISHOP Piece that keeps to its colour
BRONZE Third place
CACTUS Prickly survivor of the desert
CANYON Grand sight in Arizona
CELLAR Where wine is laid down
CIPHER Secret writing
COBALT Metal that makes glass blue
COMPASS It points north
CRATER Hole that an impact leaves
DAGGER Macbeth saw one before him
ECLIPSE The moon gets in the way
EMBLEM Badge
ENZYME Protein that speeds things up
FALCON Fastest diver in the air
FATHOM Six feet under water
FOSSIL Life turned to stone
GALAXY The Milky Way, for one
GLACIER River of ice
GRAVITY Newton's fall
HAVEN Safe port
HERMIT Crab or recluse
INSULIN Hormone that diabetics inject
JAGUAR Spotted cat, or car
JUNGLE Kipling's book place
LAGOON Venice stands in one
LANTERN Diogenes carried one by day
LICHEN Fungus and alga as partners
MAGNET It has two poles
MARBLE Stone of Carrara
MONSOON Rainy wind of India
MOSAIC Picture in small stones
NEBULA Cloud where stars are born
NECTAR Drink of gods and bees
NEURON Cell that fires
ORACLE Delphi's adviser
ORCHID Vanilla is one
OXYGEN A fifth of the air
PARADOX This statement is false, say
PENDULUM Swinger in a grandfather's case
PHARAOH Ruler on the Nile
PIGMENT Colour of paint or skin
PIRATE Jolly Roger's man
PLASMA Fourth state of matter
QUARTZ Crystal that keeps time
QUIVER Case for arrows
SATURN Planet with rings
SCARAB Sacred beetle
SENATE Body in which Caesar died
SEXTANT Sailor's angle finder
SPHINX Riddler with a lion's body
STATUE Liberty is one
STUCCO Plaster on a facade
SULFUR Brimstone
TAPESTRY Woven picture on a wall
TORNADO Twister
TROPHY Winner's cup
TSUNAMI Wave raised by a quake
VELVET Cloth with a soft pile
VOLCANO Etna or Fuji
WALRUS Tusked companion of the Carpenter
ZENITH Point straight overhead
ALCHEMY Quest to make gold from lead
ALGEBRA Arabic word for sums with x
AMNESIA Loss of memory
ANTENNA Insect's feeler
ARCHIVE Where old papers are kept
BALLAST Weight that steadies a ship
CARAVEL Small ship of Columbus
CITADEL Stronghold above a city
CRYSTAL Salt or snowflake
DECIMAL Based on ten
EMERALD Green stone, or the Irish isle
EQUINOX Day as long as its night
FORTUNE It favours the bold
GONDOLA Boat with a singing oarsman
HARVEST Reaping time
LEOPARD It cannot change its spots
OBELISK Cleopatra's Needle
OCTOPUS It has three hearts and eight arms
ORIGAMI Art of folded paper
PELICAN Its bill holds more than its belly
PLATEAU High flat land
SAFFRON Costliest spice, from a crocus
SONNET Fourteen lines
TERMITE Wood eater that builds mounds
TRIDENT Neptune's fork
VACCINE Jenner's gift
ASTEROID Ceres was the first one found
AVALANCHE Snow on its way down
BAROMETER It feels the pressure of the air
CATHEDRAL Chartres is famous for one
CHAMELEON It changes colour
CLARINET Woodwind that opens a Gershwin rhapsody
DEMOCRACY Rule by the people
DIPLOMAT One who lies abroad for his country
EPILOGUE Last words of a book
EQUATION It has two equal sides
GLADIATOR Spartacus was one
HURRICANE Its eye is calm
HYDROGEN Lightest of all
LABYRINTH Work of Daedalus
LAVENDER Purple field of Provence
MERIDIAN Line through Greenwich
METAPHOR Love is a rose, say
MIGRATION Swallows' yearly trip
MONARCHY Rule by one
NOCTURNE Chopin's night piece
PARACHUTE It opens on the way down
PARALLEL Never meeting
PENINSULA Italy is one, nearly an island
PORCELAIN White ware that China kept secret
SAMURAI Warrior of old Japan
SATELLITE Sputnik, or the moon
SOLSTICE Longest day, or shortest
SYMPHONY Beethoven wrote nine
TELESCOPE Galileo's spyglass
TRAPEZOID Four sides, two parallel
"""
