"""Words and clues for crosswords, written for this project: one line each, two levels."""


def _read(lines):
    return tuple(tuple(line.split(" ", 1)) for line in lines.strip().splitlines())


EASY = _read("""
ANT Tiny insect that lives in a colony
APE Large monkey without a tail
ARM It ends in a hand
ART What hangs in a gallery
BAG You carry shopping in it
BAT It flies at night and hangs by day
BED You sleep in it
BEE Maker of honey
BOX Square thing to pack things in
BUS It takes many people along a route
CAT Pet that purrs
COW Farm animal that gives milk
CUP You drink tea from it
DAY Twenty-four hours
DOG Pet that barks
EAR Sounds enter your head by it
EGG A hen lays it
EYE You see with it
FLY Small insect that buzzes
FOG Cloud that lies on the ground
FOX Red animal with a bushy tail
GAS Neither solid nor liquid
HAT It is worn on the head
HEN Female chicken
ICE Frozen water
INK It comes out of a pen
JAM Sweet spread made of fruit
JAR Glass pot with a lid
KEY It opens a lock
LEG It ends in a foot
LIP Edge of the mouth
MAP Drawing that shows the way
NET Fish are caught in it
NUT Fruit with a hard shell
OAK Tree that grows from an acorn
OIL Liquid that floats on water
OWL Bird that hoots at night
PEN You write with it
PIE Dish with a crust
PIG Farm animal with a curly tail
RAT Large cousin of the mouse
RED Colour of a ripe tomato
SEA Wide salt water
SKY It is blue on a clear day
SUN The star nearest to us
TEA Hot drink made from leaves
TOE One of ten on your feet
TOY Thing that a child plays with
VAN Small lorry with a roof
WAX Candles are made of it
ZOO Place to look at animals
BABY Very young child
BALL Round thing to kick or throw
BANK Place to keep your money
BEAR Heavy animal that loves honey
BELL It rings
BIRD Animal with feathers
BOAT It floats and has a sail or oars
BONE Dogs like to bury it
BOOK It has pages and a cover
CAKE It has candles on a birthday
CAVE Hole in a mountain
COAT Keep warm in it outdoors
COIN Piece of metal money
CORN Yellow grain that can be popped
CRAB Animal that walks sideways
DEER Forest animal with antlers
DESK Table to work at
DOOR Way into a room
DRUM You beat it to make music
DUCK Bird that quacks
FARM Place with fields and cows
FIRE It burns
FISH It swims and has fins
FLAG Cloth that stands for a country
FOOT It wears a shoe
FORK Tool with prongs to eat with
FROG Green animal that croaks
GATE Door in a fence
GOAT Horned animal with a beard
GOLD Yellow metal in a ring
HAND It has five fingers
HILL Small mountain
KING Man with a crown
KITE It flies on a string in the wind
KNEE Joint in the middle of the leg
LAKE Water with land all around it
LAMP It gives light at the desk
LEAF It falls from a tree in autumn
LION Big cat with a mane
MILK White drink from cows
MOON It shines at night and has phases
MOTH It flies to the lamp at night
NEST Home that a bird builds
NOSE You smell with it
PARK Green place in a town
PEAR Fruit that is narrow at the top
RAIN Water that falls from clouds
RICE White grain, eaten all over Asia
ROAD Cars drive on it
ROOF Top of a house
ROSE Flower with thorns
SALT White stuff in the sea and on fries
SAND Beaches are made of it
SHIP Large vessel at sea
SHOE It has laces and a sole
SNOW White stuff that falls in winter
SOAP You wash your hands with it
SOUP You eat it with a spoon
STAR Bright point in the night sky
SWAN White bird with a long neck
TAIL A happy dog wags it
TENT Campers sleep in it
TREE It has a trunk and branches
WALL Bricks are laid to build it
WIND Air that moves
WOLF Wild animal that howls at the moon
WOOL It comes from sheep
APPLE Fruit that keeps the doctor away
BEACH Sandy edge of the sea
BREAD Baked loaf
BRICK Block to build a house with
BRUSH Painter's tool
CHAIR Seat with a back
CHALK White stick for a blackboard
CLOCK It ticks and tells the time
CLOUD White thing in the sky
CROWN It sits on a queen's head
DREAM Story that you see in your sleep
EAGLE Large bird of prey
EARTH Planet that we live on
FENCE It runs around a garden
GLASS Windows are made of it
GRAPE Wine is made from this fruit
GRASS It is green and is mown
HEART It beats in your chest
HONEY Sweet stuff from a hive
HORSE Animal that wears a saddle
HOUSE Building to live in
JUICE Drink pressed from fruit
KNIFE Tool that cuts bread
LEMON Sour yellow fruit
LIGHT Lamps give it
MONEY Coins and notes
MOUSE Small animal that likes cheese
MOUTH You speak and eat with it
MUSIC Songs and symphonies
NIGHT Dark time between two days
NURSE Helper in a hospital
OCEAN The Pacific, for one
ONION It makes the cook cry
PAINT Colour in a pot
PAPER You write on it
PIANO It has black and white keys
PILOT Person who flies a plane
PIZZA Round Italian dish with cheese
PLANE It flies with two wings
PLANT It grows in soil
PLATE You eat your dinner from it
QUEEN Most powerful chess piece
RADIO You listen to the news on it
RIVER Water that flows to the sea
ROBOT Machine that works like a person
SHEEP Woolly farm animal
SHIRT It has a collar and buttons
SLEEP What you do at night
SMOKE It rises from a chimney
SNAKE Animal without legs
SPOON You eat soup with it
STONE Piece of rock
STORM Thunder, wind and rain
SUGAR It makes tea sweet
TABLE You sit around it to eat
TIGER Big cat with stripes
TOOTH The dentist may pull it
TRAIN It runs on rails
TRUCK It carries loads on the road
WATCH Small clock on the wrist
WATER You drink it when thirsty
WHALE Largest animal of the sea
WHEEL A bicycle has two of them
ZEBRA Striped cousin of the horse
ANIMAL Dog, cat or cow
BANANA Long yellow fruit
BASKET Woven thing to carry eggs in
BOTTLE Wine is sold in it
BRIDGE It crosses a river
BUTTER It is spread on bread
BUTTON It closes a shirt
CAMERA It takes photos
CANDLE Wax stick with a wick
CARROT Orange root that rabbits like
CASTLE Knights lived in it
CHEESE It is made from milk, often with holes
CHURCH Building with a steeple
COFFEE Dark drink that wakes you up
DOCTOR You see one when you are ill
DRAGON Monster that breathes fire
FINGER A ring goes on it
FLOWER Rose or tulip
FOREST Land full of trees
GARDEN Flowers and vegetables grow in it
GUITAR Instrument with six strings
HAMMER It drives nails
ISLAND Land with water all around it
JACKET Short coat
KITTEN Young cat
LADDER You climb up its rungs
MARKET Place with stalls to buy food
MIRROR You see yourself in it
MONKEY It swings through the trees
ORANGE A fruit and a colour
PARROT Bird that learns to talk
PENCIL It writes and has a point of graphite
PILLOW Your head rests on it in bed
PLANET Mars or Venus
POCKET Trousers have one for the keys
POTATO Fries are made from it
RABBIT It has long ears and hops
ROCKET It flies to the moon
SCHOOL Children learn there
SHADOW Dark shape that follows you
SPIDER It spins a web
SPRING Season after winter
SUMMER Warmest season
TEMPLE Place to worship the gods
TICKET You need it to ride the train
TOMATO Red thing in ketchup
TUNNEL Way through a mountain
TURTLE Slow animal with a shell
WINDOW You look out of it
WINTER Coldest season
BALLOON It rises when filled with hot air
BICYCLE It has pedals and two wheels
BLANKET It keeps you warm in bed
CHICKEN Bird kept for its eggs
DOLPHIN Clever swimmer that leaps and clicks
ELEMENT Gold, iron or oxygen, say
FEATHER A bird has many of them
GIRAFFE Animal with the longest neck
HOLIDAY Time without work or school
KITCHEN Room to cook in
LIBRARY Place that lends books
MORNING Time before noon
PENGUIN Bird that swims but cannot fly
PICTURE It hangs in a frame
PYRAMID Tomb of a pharaoh
RAINBOW Seven colours after the rain
SOLDIER Person in an army
STATION Trains stop there
TEACHER Person in front of the class
THUNDER It follows lightning
UNICORN Horse of legend with one horn
VILLAGE Smaller than a town
WEATHER Sun, rain or snow
AIRPLANE It has wings and carries passengers
BIRTHDAY It comes once a year, with presents
COMPUTER Machine with a keyboard and a screen
DINOSAUR Giant reptile of long ago
ELEPHANT Animal with a trunk
HOSPITAL Place where the sick are treated
KANGAROO It hops and has a pouch
MOUNTAIN Everest, for one
NOTEBOOK Blank pages to write in
SANDWICH Filling between slices of bread
SNOWBALL Cold thing to throw in winter
SUNSHINE It makes a day bright
UMBRELLA You open it in the rain
ADVENTURE Exciting journey
BLUEBERRY Small round fruit for muffins
BUTTERFLY It was once a caterpillar
CHOCOLATE Sweet made from cocoa
CROCODILE Reptile with strong jaws
TELEPHONE It rings and you answer it
""")

HARD = _read("""
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
""")
