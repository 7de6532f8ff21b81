"""The contents of the pack bridges."""

import gymnasium

from gem_ma.envs.bridges import openspiel_ids, textarena_ids
from gem_ma.envs.registry import register_family
from gem_ma.packs import Pack

OWN_GYMNASIUM = ("gymnasium.envs.toy_text.", "gymnasium.envs.classic_control.")
MINIGRID = """
    BlockedUnlockPickup-v0 LavaCrossingS9N1-v0 LavaCrossingS9N2-v0 LavaCrossingS9N3-v0
    LavaCrossingS11N5-v0 SimpleCrossingS9N1-v0 SimpleCrossingS9N2-v0 SimpleCrossingS9N3-v0
    SimpleCrossingS11N5-v0 DistShift1-v0 DistShift2-v0 DoorKey-5x5-v0 DoorKey-6x6-v0
    DoorKey-8x8-v0 DoorKey-16x16-v0 Dynamic-Obstacles-5x5-v0 Dynamic-Obstacles-Random-5x5-v0
    Dynamic-Obstacles-6x6-v0 Dynamic-Obstacles-Random-6x6-v0 Dynamic-Obstacles-8x8-v0
    Dynamic-Obstacles-16x16-v0 Empty-5x5-v0 Empty-Random-5x5-v0 Empty-6x6-v0 Empty-Random-6x6-v0
    Empty-8x8-v0 Empty-16x16-v0 Fetch-5x5-N2-v0 Fetch-6x6-N2-v0 Fetch-8x8-N3-v0 FourRooms-v0
    GoToDoor-5x5-v0 GoToDoor-6x6-v0 GoToDoor-8x8-v0 GoToObject-6x6-N2-v0 GoToObject-8x8-N2-v0
    KeyCorridorS3R1-v0 KeyCorridorS3R2-v0 KeyCorridorS3R3-v0 KeyCorridorS4R3-v0
    KeyCorridorS5R3-v0 KeyCorridorS6R3-v0 LavaGapS5-v0 LavaGapS6-v0 LavaGapS7-v0 LockedRoom-v0
    MemoryS17Random-v0 MemoryS13Random-v0 MemoryS13-v0 MemoryS11-v0 MemoryS9-v0 MemoryS7-v0
    MultiRoom-N2-S4-v0 MultiRoom-N4-S5-v1 MultiRoom-N6-v0 ObstructedMaze-1Dl-v0
    ObstructedMaze-1Dlh-v0 ObstructedMaze-1Dlhb-v0 ObstructedMaze-2Dl-v0 ObstructedMaze-2Dlh-v0
    ObstructedMaze-2Dlhb-v1 ObstructedMaze-1Q-v1 ObstructedMaze-2Q-v1 ObstructedMaze-Full-v1
    Playground-v0 PutNear-6x6-N2-v0 PutNear-8x8-N3-v0 RedBlueDoors-6x6-v0 RedBlueDoors-8x8-v0
    Unlock-v0 UnlockPickup-v0
"""
BABYAI = """
    GoToRedBallGrey-v0 GoToRedBall-v0 GoToRedBallNoDists-v0 GoToObj-v0 GoToObjS4-v0 GoToObjS6-v1
    GoToLocal-v0 GoToLocalS5N2-v0 GoToLocalS6N2-v0 GoToLocalS6N3-v0 GoToLocalS6N4-v0
    GoToLocalS7N4-v0 GoToLocalS7N5-v0 GoToLocalS8N2-v0 GoToLocalS8N3-v0 GoToLocalS8N4-v0
    GoToLocalS8N5-v0 GoToLocalS8N6-v0 GoToLocalS8N7-v0 GoTo-v0 GoToOpen-v0 GoToObjMaze-v0
    GoToObjMazeOpen-v0 GoToObjMazeS4R2-v0 GoToObjMazeS4-v0 GoToObjMazeS5-v0 GoToObjMazeS6-v0
    GoToObjMazeS7-v0 GoToImpUnlock-v0 GoToSeq-v0 GoToSeqS5R2-v0 GoToRedBlueBall-v0 GoToDoor-v0
    GoToObjDoor-v0 Open-v0 OpenRedDoor-v0 OpenDoor-v0 OpenDoorDebug-v0 OpenDoorColor-v0
    OpenDoorLoc-v0 OpenTwoDoors-v0 OpenRedBlueDoors-v0 OpenRedBlueDoorsDebug-v0
    OpenDoorsOrderN2-v0 OpenDoorsOrderN4-v0 OpenDoorsOrderN2Debug-v0 OpenDoorsOrderN4Debug-v0
    Pickup-v0 UnblockPickup-v0 PickupLoc-v0 PickupDist-v0 PickupDistDebug-v0 PickupAbove-v0
    PutNextLocal-v0 PutNextLocalS5N3-v0 PutNextLocalS6N4-v0 PutNextS4N1-v0 PutNextS5N2-v0
    PutNextS5N1-v0 PutNextS6N3-v0 PutNextS7N4-v0 PutNextS5N2Carrying-v0 PutNextS6N3Carrying-v0
    PutNextS7N4Carrying-v0 Unlock-v0 UnlockLocal-v0 UnlockLocalDist-v0 KeyInBox-v0
    UnlockPickup-v0 UnlockPickupDist-v0 BlockedUnlockPickup-v0 UnlockToUnlock-v0
    ActionObjDoor-v0 FindObjS5-v0 FindObjS6-v0 FindObjS7-v0 KeyCorridor-v0 KeyCorridorS3R1-v0
    KeyCorridorS3R2-v0 KeyCorridorS3R3-v0 KeyCorridorS4R3-v0 KeyCorridorS5R3-v0
    KeyCorridorS6R3-v0 OneRoomS8-v0 OneRoomS12-v0 OneRoomS16-v0 OneRoomS20-v0
    MoveTwoAcrossS5N2-v0 MoveTwoAcrossS8N9-v0 Synth-v0 SynthS5R2-v0 SynthLoc-v0 SynthSeq-v0
    MiniBossLevel-v0 BossLevel-v0 BossLevelNoUnlock-v0
"""
PETTINGZOO = {
    "classic": (
        "chess_v6 connect_four_v3 go_v5 hanabi_v5 leduc_holdem_v4 rps_v2 "
        "texas_holdem_no_limit_v6 texas_holdem_v4 tictactoe_v3"
    ),
    "butterfly": "cooperative_pong_v6 knights_archers_zombies_v11 pistonball_v6",
}


def list_gymnasium_names():
    """Return the listed names of Gymnasium: toy text, classic control, MiniGrid and BabyAI."""
    newest: dict[str, int] = {}
    for env_spec in gymnasium.registry.values():
        if str(env_spec.entry_point).startswith(OWN_GYMNASIUM) and env_spec.version is not None:
            newest[env_spec.name] = max(env_spec.version, newest.get(env_spec.name, 0))
    names = [f"{name}-v{version}" for name, version in newest.items()]
    for prefix, rest in (("MiniGrid-", MINIGRID), ("BabyAI-", BABYAI)):
        names += [prefix + name for name in rest.split()]
    return names


def environments():
    for prefix, module, names in (
        ("ta", "textarena", textarena_ids.entries()),
        ("gym", "gymnasium", list_gymnasium_names()),
        ("pz", "pettingzoo", " ".join(PETTINGZOO.values()).split()),
        ("os", "openspiel", openspiel_ids.RULES),
    ):
        register_family(prefix, f"gem_ma.envs.bridges.{module}", names, elsewhere="library")
    register_family("openenv", "gem_ma.envs.bridges.openenv_ids", elsewhere="server")


PACK = Pack(
    name="bridges",
    environments=environments,
    docs=("docs/bridges.md",),
)
