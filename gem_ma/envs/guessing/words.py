"""English words for games: common words as answers, and more words as guesses."""

import functools

COMMON, KNOWN = 8_000, 60_000  # how many of the most frequent words are read
LEAST = 500  # has a dozen words of each length
LENGTHS = range(3, 9)  # lengths whose lists were checked

# Names, abbreviations and slang among frequent words; the package has no capital letters.
NOT_COMMON = """
    bio bro com cox mac max min goddamn sanders phi mar
    aaron abc abraham abs abu adam adams adelaide adrian ads africa african aka alabama alan alaska
    albert alex alfred ali alice allen alot amanda america american amongst amy anderson andrew
    andrews andy angela angeles ann anna anne annie anthony anti antonio apr april arab arabia
    arabic arizona arkansas arnold arthur ashley asia asian atlanta atlantic aug austin austria auto
    ave barack barbara barnes barry bbc beijing belgium ben benjamin bennett berkeley berlin bernard
    bernie beta billy blair blake bob bobby boston brad bradley brady brandon brazil brian brisbane
    bristol britain british broadway brooklyn bruce brussels bryan btw cal cameron campbell canada
    canadian carl carlos carol carolina caroline carter casey cbs celtic ceo chad chan charles
    chelsea chen chester chicago chile china chinese chris christ cia claire clark clarke clinton
    cnn cohen col cole colin collins colombia colorado columbia columbus cos costa craig cruz cuba
    cuban curtis cyber czech dakota dallas dan daniel danny dave david davies davis dean dec
    december del delhi demo denmark dennis denver der derek des detroit diana dick didnt diego
    disney dna doc doesnt don donald dont doug douglas dubai dublin duncan dutch dvd dylan easter
    ebay eddie edward edwards egypt egyptian ellen ellis emily emma england english eric espn est
    etc euro europe european evans facebook fbi feb february fifa finland florence florida ford
    france francis franklin fred friday fuckin gameplay gary gdp gen geneva george georgia german
    germans germany glasgow glenn goin gonna gop gordon gotta gov gps grande greece greek greg haha
    hamilton han hannah harold harper harris harrison harry hart harvard harvey hawaii helen henry
    hes hillary hindu hispanic hitler hiv hmm holland holmes hon hong houston howard http https
    hudson hugh hughes huh ian ibm idk iii illinois inc india indian indiana indians info ing int
    inter ios iowa ipad iphone iran iranian iraq iraqi ireland irish isaac isis islam islamic israel
    israeli italian italy itunes ive jackie jackson jacob jake james jamie jan jane janet january
    japan japanese jason java jeff jennifer jeremy jerry jesse jessica jesus jewish jews jim jimmy
    jin joan joe joel joes john johnson jon jonathan jones jordan jose joseph josh juan julia julian
    julie july jun june justin kane kansas karen karl kate katie kay keith kelly ken kennedy kenny
    kent kentucky kenya kevin khan kim kinda kirk kong korea korean kyle larry las latin laura
    lauren lawrence lbs lebanon lee leeds leo leonard les lewis lgbt liam lib lincoln linda linux
    lisa lit lloyd lmao logan lol london los lou louis louise ltd lucas lucy luis luke madison
    madrid maine malaysia malcolm marc marcus margaret maria marie mario mars marshall martha martin
    marvin mary maryland matt matthew med mega mercedes mexican mexico miami michael michelle
    michigan mike milan missouri mitchell monday monica montana montreal moore morgan morris moscow
    moses mph mps mrs multi mumbai munich murphy murray muslim muslims nah nancy nasa nathan nato
    nazi nazis nba nbc nebraska neil nelson neo netflix nevada nfl nhl nhs nicholas nick nicole
    nigeria nigerian nintendo noah norman norway nov november nyc obama oct october ohio oklahoma
    olds oliver olympic olympics omg ontario ops oregon orlando orleans oscar ottawa outta owen pac
    pakistan palmer paris parker patrick paul perry perth pete peter phd phil philip phillips pic
    pierre pokemon poland portland portugal pre prof puerto putin quebec quo rachel ralph raymond
    reagan rebecca ref reid rep res rev reynolds richard richmond rick rico riley rio robert roberts
    robinson roger roman rome ron ross roy russell russia russian russians ruth ryan sally sam
    samsung samuel san santa sara sarah satan saturday saudi sci scotland scott scottish sean
    seattle sec semi sen seo seoul sep sept shane shaw sim simon simpson singh smith sony spain
    spanish spencer sri stan stanford stanley stat stephen steve steven stevens stewart stuart sue
    sullivan sunday susan sweden swedish swiss sydney syria syrian taiwan taylor tbh tech ted tel
    terry texas thai thailand thats tho thomas thompson thursday til tim todd tokyo tom tommy tony
    toronto toyota trans travis troy trump tuesday turkish tyler uber ugh ukraine und ups usa usb
    usd utah vegas venice victor victoria vienna vietnam vii vincent virginia vladimir vol von wales
    walker wallace walmart walter wan wang wanna warner warren watson wayne welsh wifi william
    williams wilson wtf wwe xbox yankees yea york youtube zealand
"""
# Words that no game should show or ask for.
RUDE = """
    anal anus arse ass asses asshole bastard bitch bitches bitching blowjob boob boobs bugger
    bullshit butt chink chinks clit cock cocks coon coons crap cum cumming cunt cunts damn dick
    dicks dildo dyke dykes erotic fag faggot faggots fags fuck fucked fucker fuckers fuckin
    fucking fucks genital gook gooks gypsies gypsy hell hitler hooker hookers horny incest jizz
    kike kikes kkk lesbo milf molest molested muff naked nazi nazis negro negroes nigga niggas
    nigger niggers nude nudes orgasm orgy paki pakis pedo penis penises piss pissed porn porno
    pussies pussy queer queers rape raped raper rapes raping rapist rapists retard retarded
    retards scrotum semen sex sexes sexist sexual sexually sexy shit shits shitty slut sluts
    slutty spic spics suicide tit tits titties tranny turd twat twats vagina vulva wank wanker
    wetback whore whores wog wogs
"""


@functools.lru_cache
def common(length: int, vocabulary: int = COMMON) -> tuple[str, ...]:
    """Return the common words of a length, without names, as possible answers.

    Args:
        length: letters in a word, 3 to 8.
        vocabulary: how many of the most frequent words, of all lengths, count as common.
    """
    if not LEAST <= vocabulary <= KNOWN:
        raise ValueError(f"vocabulary={vocabulary}: expected {LEAST} to {KNOWN} words")
    if length not in LENGTHS:
        raise ValueError(f"word_length={length}: expected {LENGTHS[0]} to {LENGTHS[-1]} letters")
    exclusions = frozenset(NOT_COMMON.split())
    return tuple([w for w in _frequent(vocabulary) if len(w) == length and w not in exclusions])


@functools.lru_cache
def known(length: int) -> frozenset[str]:
    """Return all words of a length that count as guesses; some names remain among them."""
    exclusions = frozenset(NOT_COMMON.split())
    return frozenset(w for w in _frequent(KNOWN) if len(w) == length and w not in exclusions)


@functools.lru_cache
def _frequent(many):
    """Return the words among the `many` most frequent, the most frequent first."""
    try:
        import wordfreq
    except ImportError as error:
        raise ImportError("games with words need wordfreq: pip install 'gem-ma[games]'") from error
    rude = frozenset(RUDE.split())
    words = wordfreq.top_n_list("en", many, ascii_only=True)
    return tuple([w for w in words if w.isalpha() and w.islower() and w not in rude])
