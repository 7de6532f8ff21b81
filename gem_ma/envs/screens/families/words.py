"""Words, names and things for tasks."""

NAMES = (
    "Ada", "Bruno", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas",
    "Kofi", "Leila", "Marek", "Nadia", "Omar", "Petra", "Quentin", "Rosa", "Sven", "Tara",
    "Ulrich", "Vera", "Wanda", "Yusuf", "Zoe",
)  # fmt: skip
LAST = (
    "Adler", "Brandt", "Costa", "Duarte", "Engel", "Fischer", "Gallo", "Haas", "Ivanov",
    "Jansen", "Keller", "Lopez", "Moreau", "Novak", "Okafor", "Park", "Rossi", "Sato", "Toth",
    "Weber",
)  # fmt: skip
WORDS = (
    "apple", "basket", "candle", "desert", "engine", "feather", "garden", "harbor", "island",
    "jacket", "kettle", "lantern", "mirror", "needle", "orchard", "pencil", "quartz", "ribbon",
    "saddle", "tunnel", "umbrella", "valley", "window", "yellow", "zebra", "anchor", "bridge",
    "copper", "dragon", "ember", "falcon", "glacier", "hammer", "ivory", "jungle",
)  # fmt: skip
TITLES = tuple(word.title() for word in WORDS)
CITIES = (
    "Amsterdam", "Berlin", "Cairo", "Dublin", "Edmonton", "Florence", "Geneva", "Hamburg",
    "Istanbul", "Jakarta", "Kyoto", "Lisbon", "Madrid", "Nairobi", "Oslo", "Prague", "Quito",
    "Rome", "Seoul", "Tunis", "Utrecht", "Vienna", "Warsaw", "Zurich",
)  # fmt: skip
THINGS = (
    "Alarm", "Backup", "Bluetooth", "Camera", "Dark mode", "Email alerts", "Firewall", "GPS",
    "Hotspot", "Keyboard sounds", "Location", "Microphone", "Night light", "Notifications",
    "Power saving", "Roaming", "Screen lock", "Sync", "Updates", "Vibration", "Wi-Fi",
)  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
FOODS = (
    "bread", "butter", "cheese", "coffee", "cookies", "eggs", "honey", "juice", "milk",
    "olives", "pasta", "pepper", "rice", "salt", "sugar", "tea", "tomatoes", "yogurt",
)  # fmt: skip
