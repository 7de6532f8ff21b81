"""Words, names and things that tasks are made of."""

NAMES = tuple(
    "Ada Bruno Chiara Dmitri Elena Farid Greta Hugo Ines Jonas Kofi Leila Marek Nadia Omar Petra "
    "Quentin Rosa Sven Tara Ulrich Vera Wanda Yusuf Zoe".split()
)
LAST = tuple(
    "Adler Brandt Costa Duarte Engel Fischer Gallo Haas Ivanov Jansen Keller Lopez Moreau Novak "
    "Okafor Park Rossi Sato Toth Weber".split()
)
WORDS = tuple(
    "apple basket candle desert engine feather garden harbor island jacket kettle lantern mirror "
    "needle orchard pencil quartz ribbon saddle tunnel umbrella valley window yellow zebra anchor "
    "bridge copper dragon ember falcon glacier hammer ivory jungle".split()
)
CITIES = tuple(
    "Amsterdam Berlin Cairo Dublin Edmonton Florence Geneva Hamburg Istanbul Jakarta Kyoto Lisbon "
    "Madrid Nairobi Oslo Prague Quito Rome Seoul Tunis Utrecht Vienna Warsaw Zurich".split()
)
THINGS = tuple(
    "Alarm Backup Bluetooth Camera Dark mode:Email alerts:Firewall:GPS:Hotspot:Keyboard sounds:"
    "Location:Microphone:Night light:Notifications:Power saving:Roaming:Screen lock:Sync:Updates:"
    "Vibration:Wi-Fi".replace("Alarm Backup Bluetooth Camera ", "Alarm:Backup:Bluetooth:Camera:")
    .split(":")
)
MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
FOODS = tuple(
    "bread butter cheese coffee cookies eggs honey juice milk olives pasta pepper rice salt sugar "
    "tea tomatoes yogurt".split()
)
