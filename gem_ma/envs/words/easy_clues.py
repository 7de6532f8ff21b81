"""Easy words and clues for crosswords, written for this project: one line each."""

EASY_CLUES = """
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
"""
