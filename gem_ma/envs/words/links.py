"""A small link graph for the wiki game, written for this project: title | text | links."""

_PAGES = """
Acid | A substance that gives up protons in water. | Chemistry; Water; Metal; Stomach
Africa | The continent where humankind began. | Egypt; Sahara; Nile; Human; Lion; Elephant
Agriculture | The raising of crops and animals. | Wheat; Rice; Cattle; Soil; Plough; Nile
Air | The mixture of gases around the Earth. | Oxygen; Nitrogen; Wind; Atmosphere
Airplane | A flying machine with fixed wings. | Wing; Engine; Air; World War I; Airport
Airport | A place where airplanes land. | Airplane; City; London; Tourism
Alexander the Great | A king who conquered Persia. | Greece; Aristotle; Egypt; Persia; India
Algebra | The part of mathematics that reckons with symbols. | Mathematics; Equation; Persia
Alphabet | A set of letters that stand for sounds. | Writing; Phoenicia; Latin; Greece
Amazon River | The river that carries the most water. | South America; Rainforest; River; Brazil
Andes | The longest range of mountains. | South America; Mountain; Inca Empire; Llama
Animal | A living thing that eats others and can move. | Life; Bird; Fish; Mammal; Insect
Antarctica | The coldest continent, around the South Pole. | Ice; Penguin; Ocean; Continent
Ant | An insect that lives in large colonies. | Insect; Soil; Society
Apple | The fruit of a tree from Central Asia. | Fruit; Tree; Isaac Newton; Sugar
Arabic | A language of the Middle East and North Africa. | Alphabet; Islam; Algebra; Egypt
Archimedes | A Greek who studied levers and floating bodies. | Greece; Lever; Mathematics; Sicily
Aristotle | A Greek philosopher and student of Plato. | Plato; Philosophy; Biology; Logic
Art | Works made for their beauty or meaning. | Painting; Sculpture; Music; Museum
Asia | The largest continent. | China; India; Japan; Persia; Himalayas; Continent
Astronomy | The science of stars and planets. | Star; Planet; Telescope; Moon; Galileo Galilei
Atlantic Ocean | The ocean between the Americas and Europe. | Ocean; Christopher Columbus; Titanic
Atmosphere | The layer of gas around a planet. | Air; Weather; Planet; Greenhouse effect
Atom | The smallest piece of a chemical element. | Electron; Chemistry; Nuclear energy; Physics
Australia | A country that is a continent as well. | Kangaroo; Coral reef; Continent; Gold
Bank | A business that keeps and lends money. | Money; Gold; Florence; Trade
Bat | The only mammal that truly flies. | Mammal; Cave; Insect; Wing; Sonar
Bee | An insect that makes honey. | Insect; Honey; Flower; Pollination
Beer | A drink brewed from malted grain. | Yeast; Wheat; Egypt; Germany
Bicycle | A vehicle moved by pedals. | Wheel; Gear; Netherlands; Transport
Biology | The science of living things. | Life; Cell; Evolution; DNA; Aristotle; Science
Bird | An animal with feathers. | Wing; Penguin; Dinosaur; Egg; Migration
Blood | The fluid that carries oxygen in the body. | Heart; Oxygen; Iron; Human
Book | Written pages that are bound together. | Paper; Printing press; Library; Writing
Brain | The organ of thought. | Human; Neuron; Memory; Sleep; Language
Brazil | The largest country of South America. | South America; Amazon River; Coffee; Football
Bread | Food baked from flour and water. | Wheat; Yeast; Oven; Food
Bridge | A structure that crosses a river or valley. | River; Steel; Roman Empire; Engineering
Bronze | An alloy of copper and tin. | Copper; Metal; Sculpture; Sword
Calendar | A way to count days and years. | Moon; Sun; Julius Caesar; Time
Camel | An animal that can go long without water. | Sahara; Mammal; Silk Road; Trade
Carbon | The element that all life is built of. | Diamond; Coal; Life; Chemistry
Castle | A fortified home of the Middle Ages. | Middle Ages; Knight; Japan; War
Cat | A small hunter that lives with people. | Mammal; Egypt; Mouse; Lion
Cattle | Large farm animals kept for milk and meat. | Milk; Mammal; Agriculture; Leather
Cave | A natural hollow in rock. | Bat; Rock; Painting; Water
Cell | The smallest unit of life. | Life; DNA; Microscope; Bacteria
Bacteria | Living things of a single simple cell. | Cell; Antibiotic; Soil; Disease
Antibiotic | A medicine that kills bacteria. | Bacteria; Medicine; Mould
Mould | A fungus that grows in fine threads. | Fungus; Bread; Cheese; Antibiotic
Fungus | A living thing that feeds on dead matter. | Mushroom; Yeast; Forest; Mould
Mushroom | The part of a fungus that spreads spores. | Fungus; Food; Forest; Poison
Poison | A substance that harms the body. | Snake; Mushroom; Socrates; Medicine
Snake | A reptile without legs. | Reptile; Poison; Egg; India
Reptile | A cold-blooded animal with scales. | Dinosaur; Snake; Turtle; Egg
Turtle | A reptile that carries a shell. | Reptile; Ocean; Galapagos Islands; Egg
Galapagos Islands | Islands with rare animals. | Charles Darwin; Turtle; Volcano; Pacific Ocean
Charles Darwin | He explained how species arise. | Evolution; Galapagos Islands; London; Biology
Evolution | The change of species over generations. | Charles Darwin; DNA; Fossil; Life
Fossil | The trace of ancient life in rock. | Dinosaur; Rock; Evolution; Coal
Dinosaur | A reptile that died out long ago. | Reptile; Fossil; Bird; Asteroid
Asteroid | A small body that circles the Sun. | Sun; Planet; Dinosaur; Gravity
Cheese | Food made from curdled milk. | Milk; France; Mould; Netherlands; Mouse
Chemistry | The science of substances. | Atom; Acid; Water; Metal; Science; Oxygen
Chess | A board game for two players. | India; Persia; Computer; Game theory; Queen
Game theory | The mathematics of choices and rivals. | Mathematics; Chess; Trade; War
China | A country of East Asia with an ancient culture. | Great Wall; Silk; Paper; Tea; Asia; Rice
Great Wall | A line of walls across northern China. | China; War; Tourism; Castle
Chocolate | A sweet food made from cacao beans. | Sugar; Milk; Mexico; Switzerland
Christopher Columbus | He reached the Americas in 1492. | Spain; Atlantic Ocean; Ship; Compass
City | A large place where people live. | London; Paris; Rome; Society; Transport
Clock | A machine that shows the time. | Time; Pendulum; Gear; Switzerland
Cloud | Drops of water that float in the sky. | Water; Rain; Atmosphere; Weather
Coal | A black rock that burns. | Carbon; Steam engine; Fossil; Mining
Coffee | A drink made from roasted beans. | Brazil; Ethiopia; Sugar; Trade
Compass | A needle that points north. | Magnet; Ship; China; Map
Computer | A machine that follows a program. | Electricity; Mathematics; Internet; Alan Turing
Continent | One of the great masses of land. | Africa; Asia; Europe; Australia; Earth
Copper | A reddish metal that carries current well. | Metal; Bronze; Electricity; Mining
Coral reef | An underwater ridge built by small animals. | Ocean; Fish; Australia; Animal
Desert | Land where little rain falls. | Sahara; Sand; Rain; Camel
Diamond | The hardest natural substance. | Carbon; Mining; Rock; Queen
Disease | A state in which a body does not work well. | Medicine; Bacteria; Virus; Vaccine
DNA | The molecule that holds the plan of a body. | Cell; Virus; Evolution; Chemistry
Dog | The first animal that people tamed. | Wolf; Mammal; Human; Sheep
Earth | The planet that we live on. | Planet; Moon; Continent; Ocean; Atmosphere; Volcano
Egg | The start of a bird, reptile or fish. | Bird; Reptile; Fish; Food
Egypt | A country on the Nile with ancient tombs. | Nile; Pyramid; Africa; Cleopatra; Sahara
Cleopatra | The last queen of ancient Egypt. | Egypt; Julius Caesar; Queen; Snake
Electricity | Effects of charge at rest and in motion. | Electron; Lightning; Copper; Engine; Light
Electron | A light particle with negative charge. | Atom; Electricity; Physics
Elephant | The largest animal on land. | Africa; India; Mammal; Ivory
Ivory | The hard white material of tusks. | Elephant; Piano; Sculpture; Trade
Engine | A machine that turns fuel into motion. | Steam engine; Oil; Airplane; Electricity
Engineering | The craft of building machines. | Bridge; Engine; Physics; Leonardo da Vinci
Equation | A statement that two values are equal. | Algebra; Mathematics; Physics
Ethiopia | A country in the highlands of East Africa. | Africa; Coffee; Nile; Human
Europe | A continent between Asia and the Atlantic. | France; Germany; Italy; Spain; Middle Ages
Fire | The light and heat of burning. | Oxygen; Wood; Light; Human; Volcano
Fish | An animal that breathes through gills. | Ocean; River; Egg; Coral reef; Food
Florence | An Italian city of the Renaissance. | Italy; Renaissance; Leonardo da Vinci; Bank
Flower | The part of a plant that makes seeds. | Plant; Bee; Pollination; Netherlands
Food | What living things eat. | Bread; Rice; Fish; Fruit; Agriculture; Stomach
Football | A game in which a ball is kicked at a goal. | Brazil; Sport; London; Leather
Forest | Land covered with trees. | Tree; Wood; Wolf; Rainforest; Mushroom
France | A country of western Europe. | Paris; Napoleon; Cheese; Wine; Europe
Fruit | The part of a plant around its seeds. | Apple; Plant; Sugar; Wine; Food
Galileo Galilei | An Italian who saw moons around Jupiter. | Telescope; Italy; Jupiter; Pendulum
Gear | A wheel with teeth. | Wheel; Clock; Bicycle; Engine
Germany | A country in the middle of Europe. | Europe; Printing press; Beer; Ludwig van Beethoven
Glass | A clear solid made from melted sand. | Sand; Venice; Telescope; Microscope; Light
Gold | A heavy yellow metal that does not rust. | Metal; Money; Inca Empire; Mining
Gravity | The force that pulls bodies together. | Isaac Newton; Moon; Planet; Physics
Greece | A country where democracy began. | Athens; Alexander the Great; Philosophy; Olympic Games
Athens | The capital of Greece. | Greece; Socrates; Plato; Democracy; City
Democracy | Rule by the people. | Athens; Society; Law; French Revolution
French Revolution | The fall of the French king in 1789. | France; Paris; Napoleon; Democracy
Greenhouse effect | The warming of a planet by its air. | Atmosphere; Carbon; Sun; Ice
Heart | The muscle that pumps blood. | Blood; Human; Mammal; Medicine
Himalayas | The highest range of mountains. | Mountain; India; Asia; Ice
Honey | Sweet food that bees make. | Bee; Sugar; Food; Flower
Horse | A large animal that people ride. | Mammal; Knight; Chess; Leather; Transport
Human | The species that speaks and makes fire. | Brain; Mammal; Language; Society; Africa
Ice | Frozen water. | Water; Antarctica; Titanic; Winter
Inca Empire | A realm in the Andes until 1533. | Andes; Gold; Spain; Llama; Potato
India | A large country of South Asia. | Asia; Himalayas; Elephant; Tea; Chess; Cotton
Insect | A small animal with six legs. | Ant; Bee; Animal; Silk; Pollination
Internet | A network of networks of computers. | Computer; Language; Library; Society
Iron | A strong metal drawn by magnets. | Metal; Steel; Magnet; Blood; Earth
Isaac Newton | An Englishman who explained gravity. | Gravity; Light; Apple; Mathematics; Telescope
Islam | A religion that began in Arabia. | Arabic; Religion; Persia; Spain
Italy | A country shaped like a boot. | Rome; Venice; Florence; Sicily; Europe; Pizza
Japan | An island country of East Asia. | Asia; Samurai; Volcano; Rice; Tea; Pacific Ocean
Julius Caesar | A Roman general and dictator. | Rome; Cleopatra; Roman Empire; Calendar
Jupiter | The largest planet. | Planet; Galileo Galilei; Moon; Gravity
Kangaroo | An animal that hops and has a pouch. | Australia; Mammal; Animal
Knight | A mounted warrior of the Middle Ages. | Horse; Sword; Castle; Middle Ages
Language | A system of words and rules. | Alphabet; Latin; Arabic; Brain; Writing
Latin | The language of ancient Rome. | Rome; Alphabet; Language; Science
Law | Rules that a society enforces. | Society; Democracy; Roman Empire; Queen
Leather | Animal skin made durable. | Cattle; Football; Horse; Book
Leonardo da Vinci | A painter and inventor. | Florence; Painting; Renaissance; Engineering; Airplane
Lever | A bar that turns about a point. | Archimedes; Engineering; Physics
Library | A place that keeps books. | Book; Egypt; Internet; City
Life | What living things have in common. | Cell; Water; Biology; Animal; Plant; Earth
Light | What makes things visible. | Sun; Physics; Glass; Photosynthesis; Rainbow
Lightning | A giant spark in a storm. | Electricity; Cloud; Fire; Weather
Lion | A big cat that lives in prides. | Africa; Cat; Mammal; Circus
Circus | A travelling show with acrobats. | Lion; Elephant; Horse; Rome; Theatre
Llama | A woolly animal that carries loads. | Andes; Mammal; Wool; Inca Empire
Logic | The study of sound reasoning. | Aristotle; Mathematics; Computer; Philosophy
Alan Turing | A founder of computer science. | Computer; Logic; World War II; London
London | The capital of the United Kingdom. | City; William Shakespeare; Thames; Queen; Museum
Thames | The river of London. | London; River; Bridge
Ludwig van Beethoven | A composer of nine symphonies. | Music; Piano; Vienna; Germany
Magnet | A body that draws iron. | Iron; Compass; Electricity; Earth
Mammal | An animal that feeds its young with milk. | Milk; Whale; Human; Bat; Animal; Horse
Map | A drawing of a place from above. | Compass; Earth; City; Ship
Mathematics | The science of number and shape. | Algebra; Logic; Science; Archimedes; Game theory
Medicine | The art of healing. | Disease; Antibiotic; Vaccine; Heart; Plant
Memory | The keeping of what was learned. | Brain; Computer; Sleep
Metal | A shiny material that carries current. | Iron; Gold; Copper; Bronze; Mining; Atom
Mexico | A country south of the United States. | Chocolate; Maize; Volcano; Pyramid; Spain
Maize | A tall grain from Mexico. | Mexico; Agriculture; Food; Inca Empire
Microscope | A tool that makes small things visible. | Cell; Glass; Bacteria; Netherlands
Middle Ages | The years from about 500 to 1500 in Europe. | Knight; Castle; Europe; Plague; Religion
Plague | A disease that rats and fleas spread. | Disease; Middle Ages; Bacteria; Rat
Rat | A rodent that lives near people. | Mouse; Plague; Mammal; Ship
Migration | The seasonal travel of animals. | Bird; Whale; Butterfly; Winter
Butterfly | An insect with large bright wings. | Insect; Wing; Flower; Migration
Milk | The white food of young mammals. | Mammal; Cattle; Cheese; Chocolate
Mining | The digging of minerals from the ground. | Coal; Gold; Diamond; Salt; Rock
Money | What is accepted in payment. | Gold; Bank; Trade; Paper; Society
Moon | The body that circles the Earth. | Earth; Tide; Apollo 11; Gravity; Calendar
Apollo 11 | The first flight that landed people on the Moon. | Moon; Rocket; Computer; United States
Rocket | A vehicle pushed by its own exhaust. | Apollo 11; Oxygen; Engine; Satellite
Satellite | A body that circles a planet. | Moon; Rocket; Map; Weather; Gravity
Mountain | Land that rises high above the rest. | Himalayas; Andes; Rock; Volcano; Ice
Mouse | A small rodent with a long tail. | Cat; Rat; Mammal; Cheese
Museum | A place that shows collections. | Art; Fossil; London; Paris; Sculpture
Music | Sound in order. | Piano; Ludwig van Beethoven; Wolfgang Amadeus Mozart; Opera; Art
Napoleon | A French emperor. | France; French Revolution; War; Egypt
Netherlands | A low, flat country. | Flower; Bicycle; Cheese; Microscope; Vincent van Gogh
Vincent van Gogh | A painter of sunflowers and starry skies. | Painting; Netherlands; France; Museum
Neuron | A cell that carries signals. | Brain; Cell; Electricity
Nile | The great river of Egypt. | Egypt; River; Ethiopia; Africa; Crocodile
Crocodile | A large reptile of tropical rivers. | Reptile; Nile; River; Egg
Nitrogen | The gas that makes up most of the air. | Air; Chemistry; Soil; Plant
Nuclear energy | Energy from the core of atoms. | Atom; Sun; Electricity; World War II
Ocean | The great body of salt water. | Atlantic Ocean; Pacific Ocean; Salt; Whale; Tide; Water
Oil | A liquid fuel from the ground. | Engine; Mining; Fossil; Trade
Olympic Games | A festival of sport every four years. | Greece; Sport; Athens; Paris
Opera | A play that is sung. | Music; Theatre; Italy; Vienna
Oven | A closed space to bake in. | Bread; Pizza; Fire; Iron
Oxygen | The gas that animals breathe. | Air; Fire; Blood; Photosynthesis; Water
Pacific Ocean | The largest ocean. | Ocean; Japan; Australia; Galapagos Islands
Painting | Pictures made with colours. | Art; Leonardo da Vinci; Vincent van Gogh; Cave
Paper | Thin sheets made from plant fibres. | China; Book; Wood; Printing press
Paris | The capital of France. | France; City; Museum; French Revolution
Pendulum | A weight that swings. | Clock; Galileo Galilei; Gravity
Penguin | A bird that swims but does not fly. | Bird; Antarctica; Fish
Persia | An empire of the ancient Middle East. | Alexander the Great; Asia; Silk Road; Islam
Philosophy | The search for wisdom. | Plato; Aristotle; Socrates; Logic; Religion; Science
Phoenicia | A land of ancient sea traders. | Alphabet; Ship; Trade; Glass
Photosynthesis | The way in which plants use light. | Plant; Light; Oxygen; Sugar
Physics | The science of matter and forces. | Gravity; Atom; Light; Science; Isaac Newton
Piano | An instrument with keys and strings. | Music; Ivory; Wolfgang Amadeus Mozart; Steel
Pizza | A flat round bread with toppings. | Italy; Cheese; Tomato; Oven
Tomato | A red fruit from the Americas. | Fruit; Pizza; Mexico; Plant
Planet | A large body that circles a star. | Earth; Jupiter; Sun; Gravity; Astronomy
Plant | A living thing that grows by light. | Flower; Tree; Photosynthesis; Soil; Fruit; Life
Plato | A Greek philosopher who wrote dialogues. | Socrates; Aristotle; Athens; Philosophy
Plough | A tool that turns the soil. | Agriculture; Soil; Iron; Cattle
Pollination | The carrying of pollen to a flower. | Bee; Flower; Wind; Butterfly; Fruit
Potato | A tuber from the Andes. | Andes; Food; Inca Empire; Plant
Printing press | A machine that prints pages. | Book; Paper; Germany; Renaissance
Pyramid | A monument with four sloping sides. | Egypt; Mexico; Mathematics; Tourism
Queen | A woman who rules, or a chess piece. | Chess; Cleopatra; London; Law; Bee
Rain | Water that falls from clouds. | Cloud; Water; Rainbow; River; Weather
Rainbow | A bow of colours in the sky. | Light; Rain; Sun
Rainforest | A warm forest with much rain. | Forest; Amazon River; Rain; Insect; Chocolate
Religion | Beliefs about gods and the meaning of life. | Islam; Philosophy; Society; Middle Ages
Renaissance | The rebirth of art in Europe. | Florence; Leonardo da Vinci; Printing press; Art
Rice | A grain that grows in wet fields. | China; Japan; Food; Water
River | Water that flows to the sea. | Nile; Amazon River; Thames; Fish; Bridge; Ocean
Rock | The solid stuff of the Earth's crust. | Volcano; Mountain; Fossil; Sand; Cave
Roman Empire | The realm of Rome around the Mediterranean. | Rome; Latin; Julius Caesar; Law; Bridge
Rome | The capital of Italy. | Italy; Roman Empire; Latin; City; Circus
Sahara | The largest hot desert. | Desert; Africa; Camel; Sand
Salt | A mineral that seas and kitchens hold. | Ocean; Mining; Food; Chemistry
Samurai | A warrior of old Japan. | Japan; Sword; War; Castle
Sand | Loose grains of rock. | Glass; Desert; Rock; Ocean
Science | The search for laws of nature. | Physics; Chemistry; Biology; Mathematics; Astronomy
Sculpture | Art in three dimensions. | Art; Bronze; Greece; Museum
Sheep | A farm animal kept for its fleece. | Wool; Mammal; Dog; Cheese
Ship | A large vessel that crosses seas. | Ocean; Titanic; Trade; Wind; Christopher Columbus
Sicily | An island south of Italy. | Italy; Volcano; Archimedes; Greece
Silk | A thread that caterpillars spin. | China; Silk Road; Insect; Butterfly
Silk Road | The old trade route across Asia. | Silk; China; Persia; Venice; Camel; Trade
Sleep | The nightly rest of body and brain. | Brain; Memory; Coffee; Moon
Society | People who live together by rules. | Law; City; Money; Human; Religion
Socrates | A philosopher who asked questions. | Athens; Plato; Poison; Philosophy
Soil | The layer of earth that plants grow in. | Plant; Agriculture; Bacteria; Rock
Sonar | The finding of things by echoes. | Bat; Whale; Ship; World War II
South America | The continent of the Andes and the Amazon. | Brazil; Andes; Amazon River; Continent
Spain | A country of southwestern Europe. | Europe; Christopher Columbus; Inca Empire; Football
Sport | Games of skill and strength. | Football; Olympic Games; Bicycle; Human
Star | A ball of hot gas that shines. | Sun; Astronomy; Nuclear energy; Gravity
Steam engine | An engine driven by boiling water. | Engine; Coal; Train; Water; Mining
Steel | A strong alloy of iron. | Iron; Carbon; Bridge; Train; Sword
Stomach | The organ that digests food. | Acid; Food; Human; Cattle
Sugar | A sweet substance from plants. | Plant; Chocolate; Energy; Tea; Honey
Energy | The power to do work. | Sun; Sugar; Nuclear energy; Physics; Oil
Sun | The star of our planets. | Star; Light; Planet; Calendar; Energy
Switzerland | A country in the Alps. | Clock; Chocolate; Bank; Mountain; Europe
Sword | A weapon with a long blade. | Knight; Samurai; Steel; War
Tea | A drink made from leaves. | China; India; Japan; Sugar; London
Telescope | A tool that makes far things visible. | Astronomy; Galileo Galilei; Glass; Star
Theatre | A place where plays are shown. | William Shakespeare; Greece; Opera; Art
Tide | The rise and fall of the sea. | Moon; Ocean; Gravity; Thames
Time | What clocks measure. | Clock; Calendar; Physics; Memory
Titanic | A ship that struck an iceberg in 1912. | Ship; Ice; Atlantic Ocean; Steel
Tourism | Travel for pleasure. | Paris; Venice; Airport; Museum; Pyramid
Trade | The exchange of goods. | Money; Ship; Silk Road; Bank; Coffee
Train | Cars that run on rails. | Steam engine; Steel; Transport; London
Transport | The carrying of people and goods. | Train; Ship; Bicycle; Airplane; Horse
Tree | A plant with a trunk of wood. | Wood; Forest; Fruit; Plant; Apple
United States | A country of fifty states. | Apollo 11; World War II; Maize; Democracy
Vaccine | A medicine that prepares the body for a disease. | Disease; Virus; Medicine; Cattle
Venice | An Italian city built on water. | Italy; Glass; Silk Road; Tourism; Ship
Vienna | The capital of Austria. | Wolfgang Amadeus Mozart; Music; City; Coffee; Europe
Virus | A tiny thing that multiplies inside cells. | Cell; DNA; Disease; Vaccine
Volcano | A mountain from which lava flows. | Mountain; Rock; Fire; Japan; Sicily
War | Fighting between peoples. | World War I; World War II; Sword; Napoleon; Society
Water | The liquid that life needs. | Ocean; Ice; Rain; Life; River; Oxygen
Weather | The state of the air from day to day. | Rain; Wind; Cloud; Lightning; Winter
Whale | The largest animal of the sea. | Mammal; Ocean; Sonar; Migration
Wheat | The grain that most bread is made of. | Bread; Agriculture; Egypt; Beer
Wheel | A disc that turns on an axle. | Gear; Bicycle; Transport; Train
William Shakespeare | The author of Hamlet and Macbeth. | Theatre; London; Language; Julius Caesar
Wind | Air that moves. | Air; Ship; Weather; Pollination
Wine | A drink made from grapes. | Fruit; France; Italy; Yeast
Wing | The limb or plane that carries a flyer. | Bird; Airplane; Bat; Butterfly
Winter | The cold season. | Ice; Weather; Migration; Wool
Wolf | A wild hunter that lives in packs. | Dog; Forest; Mammal; Sheep
Wolfgang Amadeus Mozart | A composer who wrote The Magic Flute. | Music; Vienna; Opera; Piano
Wood | The hard stuff of trees. | Tree; Paper; Ship; Fire; Piano
Wool | The fleece of sheep made into yarn. | Sheep; Winter; Llama; Cotton
Cotton | A plant whose fibres make cloth. | Plant; India; Wool; Egypt; United States
World War I | The war of 1914 to 1918. | War; Germany; France; Airplane
World War II | The war of 1939 to 1945. | War; Germany; Japan; Nuclear energy; Alan Turing
Writing | The keeping of words in signs. | Alphabet; Book; Language; Egypt; Paper
Yeast | A fungus that makes dough rise. | Fungus; Bread; Beer; Wine; Sugar
"""


def _read(pages):
    split = (page.split(" | ") for page in pages.strip().splitlines())
    return {title: (text, tuple(links.split("; "))) for title, text, links in split}


PAGES = _read(_PAGES)
