"""The games of OpenSpiel 2.0 with short rules, so that listing them imports nothing."""

# What a player of each game has to know in addition to the game's own texts.
RULES = {
    "2048": "Tiles slide as far as they can; equal ones that meet add up and pay their sum. Reach "
    "2048.",
    "amazons": "Move an amazon like a queen of chess, then let it shoot an arrow, likewise, at a "
    "square that stays blocked. A move is said in three parts: from where, to where, and the "
    "arrow's square. Who cannot move loses.",
    "antichess": "Chess (player 1 has white) in which captures are forced; the king is a piece "
    "like any other, and who has no pieces or no move left wins.",
    "backgammon": "Two dice are thrown for you; move your checkers home and bear all of them off "
    "first. A move such as 13/7 says from which point to which; Bar is where hit ones come in.",
    "banqi": "Chinese dark chess: pieces lie face down on half a board. Turn one over, move one of "
    "your colour by a square, or take what is of the same or a lower rank; cannons jump. Who "
    "cannot move loses.",
    "bargaining": "A pool of things is to be divided; each of you values them otherwise, and knows "
    "its own values alone. Offer a division, or agree to the last offer. Without agreement nobody "
    "gets anything.",
    "battleship": "Place your ships, then shoot at the other's sea in turn. What is sunk pays its "
    "value; the rules of the episode say which ships there are.",
    "blackjack": "Hit or stand against a dealer who draws up to 17. Above 21 you have lost.",
    "blotto": "Each divides its coins among the fields, both at the same time; who has more on a "
    "field wins it, and most fields win.",
    "breakthrough": "Pawns step ahead, straight or diagonally, and take diagonally. First to the "
    "far row wins.",
    "bridge": "Contract bridge, North and South against East and West: bid, then play the tricks.",
    "bridge_uncontested_bidding": "Partners at bridge bid without opponents; what counts is how "
    "good their contract is for the two hands.",
    "capture_the_flag": "Both move at once on a grid: carry the other's flag to your own base.",
    "catch": "A ball falls, a column of the grid a step; stand below it at the end.",
    "checkers": "Draughts on 8 x 8: captures are forced; a man that reaches the far row is "
    "crowned. Who cannot move loses.",
    "chess": "Chess; player 1 has white. Moves are said in standard notation, such as Nf3.",
    "chinese_checkers": "Move your pegs across the star into the opposite corner, by a step or by "
    "jumps over single pegs. A move says from which number to which.",
    "cliff_walking": "Walk from the lower left corner to the lower right one; each step costs 1, "
    "and stepping off the cliff between them costs 100.",
    "clobber": "Move one of your stones onto a stone of the other beside it, which is taken. Who "
    "cannot move loses.",
    "coin_game": "Two walk on a grid and pick up coins. Each has a colour that it prefers and the "
    "other cannot see; coins of both preferred colours pay, others cost.",
    "colored_trails": "Two proposers each offer the responder an exchange of chips, with which all "
    "move on a board of colours; the responder takes one offer, or none.",
    "connect_four": "Drop a disc into a column; four in a line win.",
    "coop_box_pushing": "Two robots turn and step at once; the large box moves only if both push "
    "it, and pays most.",
    "coop_to_1p": "Two players with private states share one payoff; their prescriptions are "
    "chosen by one player for both.",
    "coordinated_mp": "Matching pennies for one player and one that may choose with or without "
    "knowing which side chance has shown.",
    "crazy_eights": "Play a card of the suit or rank of the last one, or an eight, which names a "
    "suit; else draw. What is left in your hand costs you.",
    "crazyhouse": "Chess (player 1 has white) in which captured pieces change sides and may be "
    "dropped, as in N@f3.",
    "cribbage": "Choose cards for the crib, play to fifteen and thirty-one, then count your hand.",
    "cursor_go": "Go in which the point is chosen by moving a cursor, then placing the stone.",
    "dark_chess": "Chess (player 1 has white) in which each sees only its own pieces and where "
    "they may go; who takes the king wins. A question mark stands for a square that cannot be "
    "seen.",
    "dark_hex": "Hex in which the other's stones are not seen; who tries a point that is taken "
    "learns of it and tries again. Connect your two sides.",
    "dark_hex_ir": "Dark Hex in which nobody is told what was tried before. Connect your sides.",
    "deep_sea": "Go down a grid, left or right by a step a row; only the far right corner pays, "
    "and each step to the right costs a little.",
    "dots_and_boxes": "Draw a line between two dots; who closes a box has it, and draws again. "
    "(h,R,C) is a line across, (v,R,C) one down. Most boxes win.",
    "dou_dizhu": "Three at cards: one, who has bid, against two. Play a higher combination of the "
    "same kind, or pass; the first without cards wins for its side.",
    "einstein_wurfelt_nicht": "A die says which of your numbered cubes moves, or the nearest if it "
    "is gone; step towards the far corner, or take all of the other's cubes.",
    "euchre": "Four in two partnerships with 24 cards: order the trump, then win three of five "
    "tricks, or more.",
    "first_sealed_auction": "Each has a value of its own and bids once, unseen; the highest bid "
    "wins, and pays itself.",
    "gin_rummy": "Draw and discard; sets and runs are melds, and what is in none is deadwood. "
    "Knock with little of it.",
    "go": "Go: surround more points than the other. A move is a colour and a point, or PASS.",
    "go_fish": "Ask another for the cards of a rank of which you have one; who has none says so, "
    "and you draw. Four of a rank make a book, and most books win.",
    "gomoku": "Five stones in a line win.",
    "goofspiel": "A point card is shown; all bid a card of their hand for it at the same time, and "
    "the highest takes it. Most points win.",
    "hanabi": "All win together: play cards of each colour in order from 1 to 5. You see the hands "
    "of others and not your own; a hint costs a token, a wrong card a life.",
    "havannah": "On a hexagonal board, win by a ring, by a bridge between two corners, or by a "
    "fork between three sides.",
    "hearts": "Four at tricks: each heart costs 1 and the queen of spades 13; who takes all of "
    "them has all others pay.",
    "hex": "Connect your two sides of the board: x from top to bottom, o from left to right.",
    "hive": "Place and move insects, each in its own way, so that all stay connected. Whose queen "
    "bee is surrounded loses.",
    "kriegspiel": "Chess (player 1 has white) in which the other's pieces are not seen; an umpire "
    "says what is illegal, taken, or check.",
    "kuhn_poker": "Each antes 1 and holds one card. Pass or bet 1; who bets or calls last shows, "
    "and the higher card takes the pot.",
    "laser_tag": "Both move, turn and shoot at once on a grid; who is hit pays a point.",
    "latent_ttt": "Tic-tac-toe in which a mark lands beside where it was meant, or not at all; see "
    "your own marks only.",
    "leduc_poker": "Each has a card, and one more is shown between two rounds of betting. A pair "
    "with it wins, else the higher card.",
    "lewis_signaling": "One sees a state and sends a message; the other picks an action by the "
    "message alone. Both are paid if it fits the state.",
    "liars_dice": "Bid how many dice of all show a face; the next one raises or calls you a liar. "
    "Sixes count as any face.",
    "liars_dice_ir": "Liar's dice in which only the last bids are remembered.",
    "lines_of_action": "A piece moves as many squares as there are pieces on its line. Who brings "
    "all of its own together wins.",
    "maedn": "Ludo: a die is thrown for you, a six brings a piece in; bring all of yours home.",
    "mancala": "Sow the seeds of one of your pits; one that ends in your store lets you go again, "
    "one in an empty pit of yours takes what is opposite. Most seeds win.",
    "markov_soccer": "Both step at once on a small field; who has the ball (a capital letter) "
    "scores by leaving it through the other's goal.",
    "matching_pennies_3p": "Three choose heads or tails at once: the first wants to match the "
    "second, the second the third, and the third to differ from the first.",
    "matrix_bos": "Battle of the sexes: both prefer to be together, each somewhere else.",
    "matrix_brps": "Rock, paper, scissors with payoffs that are not all the same.",
    "matrix_cd": "Chicken: swerve or dare; if both dare, both lose most.",
    "matrix_coordination": "Both are paid if they choose the same.",
    "matrix_mp": "Matching pennies: the first wins if both show the same side.",
    "matrix_pd": "Prisoner's dilemma: cooperate or defect.",
    "matrix_rps": "Rock, paper, scissors.",
    "matrix_rpsw": "Rock, paper, scissors, water.",
    "matrix_sh": "Stag hunt: the stag needs both, a hare nobody else.",
    "matrix_shapleys_game": "Shapley's game: three choices, in which best answers go round.",
    "mnk": "So many in a line win on a board of so many columns and rows.",
    "negotiation": "Divide a pool of things that each values otherwise: propose, say something "
    "without binding force, in turn; accept, or run out of time with nothing.",
    "nim": "Take as many as you like from one pile. Who takes the last one loses.",
    "nine_mens_morris": "Place nine men, then slide them; three in a row take one of the other's. "
    "Who has two left, or cannot move, loses.",
    "oh_hell": "Say how many tricks you will take, then take exactly so many.",
    "oshi_zumo": "Both bid coins at once; who bids more pushes the wrestler a step. Off the "
    "other's end wins.",
    "othello": "Place a disc that encloses the other's in a line, which turn to your colour. Most "
    "discs win.",
    "oware": "Sow the seeds of one of your houses; where the last ones make two or three in the "
    "other's house they are taken. Most seeds win.",
    "pathfinding": "Reach your goal on the grid, without running into others.",
    "pentago": "Place a marble, then turn a quarter of the board: s turns one of them one way, t "
    "the other. Five in a line win.",
    "phantom_go": "Go in which the other's stones are not seen; an illegal try is told.",
    "phantom_ttt": "Tic-tac-toe in which the other's marks are not seen; who tries a cell that is "
    "taken tries again.",
    "phantom_ttt_ir": "Phantom tic-tac-toe in which the own tries before are not told.",
    "pig": "Roll a die as often as you dare; a 1 loses what the turn has brought, stopping keeps "
    "it. First to 100 wins.",
    "quoridor": "Step, or place a wall that no one can pass but that leaves a way. First to the "
    "far side wins. A wall is its square and h or v.",
    "rbc": "Reconnaissance blind chess (player 1 has white): sense three by three squares, then "
    "move. Who takes the king wins.",
    "repeated_leduc_poker": "Leduc poker over several hands, with stacks that go on.",
    "sheriff": "A smuggler packs a number of forbidden things and offers bribes; the sheriff says "
    "whether it would inspect. The last answer counts.",
    "shogi": "Japanese chess: what is taken may be dropped as one's own, as in P*5e; pieces are "
    "promoted (+) in the far three rows.",
    "skat": "Three at tricks with 32 cards: one alone against two, for 61 of the 120 points.",
    "snake": "All snakes move at once and grow by what they eat; who runs into something is out.",
    "social_deduction": "One of you is an impostor. In each round signals are seen, words are "
    "said, and all vote whom to eject.",
    "solitaire": "Klondike: build the four suits from the ace up; move runs of alternating "
    "colours.",
    "spades": "Four in two partnerships: say how many tricks you will take; spades are trump.",
    "stones_and_gems": "Dig through a cave: collect gems, and do not let stones fall on you; reach "
    "the exit in time.",
    "tarok": "Slovenian tarok: bid, then take tricks with tarocks and suits.",
    "tic_tac_toe": "Three in a line win. A cell is its row and its column from 0.",
    "tiny_bridge_2p": "Two partners bid with two cards each of a deck of eight; the contract pays "
    "as it would be made.",
    "tiny_bridge_4p": "Bidding for four with two cards each of a deck of eight, in two sides.",
    "tiny_hanabi": "Each knows its own card; the first acts, the second sees that and acts. Both "
    "are paid by cards and actions.",
    "trade_comm": "Each holds an item that the other does not know; say a word each, then propose "
    "an exchange. Both are paid if the trades fit.",
    "twixt": "Place pegs; two of yours a knight's move apart are linked, unless a link crosses. "
    "Connect your two sides.",
    "ultimate_tic_tac_toe": "Nine boards of tic-tac-toe: where you mark in a small board says in "
    "which one the other plays. Three won boards in a line win.",
    "universal_poker": "Poker with rounds of betting: fold, call, bet, or put in everything.",
    "xiangqi": "Chinese chess; moves are said by squares, as in b0c2.",
    "y": "Place stones on a triangle; connect all three sides.",
    "yacht": "Keep some of five dice and throw the others, twice; then fill one of twelve "
    "categories. Most points win.",
}  # fmt: skip
CHESSLIKE = frozenset(
    {"antichess", "chess", "crazyhouse", "dark_chess", "kriegspiel", "rbc", "shogi", "xiangqi"}
)
# Games of the package that seats cannot play, by the beginning of their names.
WITHOUT = {
    "mfg_": "a mean-field game has no seats: its players are a distribution",
    "morpion_solitaire": "OpenSpiel 2.0.2 reads the names of its moves from uninitialized memory",
    "crossword": "its moves are structures, which cannot be listed",
}
