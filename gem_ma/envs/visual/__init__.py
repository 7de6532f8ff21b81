"""Visual tasks: one question about one picture, with an exact answer; and games of many turns.

Each ability has a folder; all tasks build on `question`. They import the modules open to every
game: `gem_ma.game`, `gem_ma.scene`, `gem_ma.engine.action_parsing` and `gem_ma.validation`. They
also import `gem_ma.envs.difficulty_levels` and `gem_ma.envs.answer_parsing`. Those of `grounding`
import `gem_ma.envs.coordinates` too, and pages of the pack screens.
"""

TASKS = {  # by folder; a task's file has its name in snake case
    "charts": "BarChart LineChart Pictograph PieChart PlotPoint Scatter Table",
    "mazes": "GridWalk MazeExit MazeSteps",
    "measures": "Angles Balance Clock Gauge Lengths Ruler Thermometer",
    "patterns": "Jigsaw Mirror Rotation",
    "shapes": "CompareShapes CountShapes OddOneOut",
    "analogy": "Analogy",
    "blocks": "CountBlocks",
    "changes": "CountChanges SpotChange",
    "circuits": "Switches",
    "comparing": "FullestPanel LongestLine RankSizes TwoAlike",
    "counting": "CountInside CountRows Dice",
    "geometry": "Corners Crossings GridArea Midpoint MissingCorner",
    "diagrams": (
        "ClassDiagram FamilyTree FlowChart GanttChart LogicGates Resistors SubwayMap VennCounts"
    ),
    "documents": "DepartureBoard FilledForm Invoice Receipt WeekPlan",
    "drawing": "CopyFigure",
    "frames": "BallPath CupShuffle EventCount FrameOrder WhatChanged",
    "grounding": "BoxEach PointEach PointToPart ScreenBox ScreenPoint",
    "graphs": "MostLines ShortestPath",
    "looking": "CountByCrops FindStar TurnCube UnderCursor",
    "maps": "Compass",
    "matrices": "LatinSquare NextInRow RavenMatrix",
    "notation": "NoteLengths NoteNames SameMelody",
    "occlusion": "CountCovered",
    "paths": "ArrowWalk Tangle",
    "physics": "BalanceBeam BilliardPocket FallingBlocks GearsTurn",
    "plots": "FunctionValue Intersections MatchingGraph Slopes",
    "position": "ArrowTarget BoxAround Neighbour PointAt",
    "programs": "DrawProgram",
    "reading": "ReadHandwriting Spiral WhichSignature",
    "solids": "BlockViews CrossSection CubeNet TurnedBlocks",
    "symmetry": "BrokenSymmetry MirrorPoint SymmetryAxes",
    "tables": "Calendar Timetable WrongSum",
    "text": "FindWord",
    "theorems": (
        "CircleAngles CircleLengths ParallelAngles PolygonAngles Quadrilaterals SimilarTriangles"
    ),
}
GAMES = {  # games of many turns, which are no questions about one picture
    "drawing": "DescribeAndDraw",
    "navigation": "CountObjects FetchObject FollowPartner GuideWalker WalkToExit WhereIsIt",
}


def places(table=TASKS):
    """Yield the name and the entry point of each task of TASKS, or of each game of GAMES."""
    for folder, names in table.items():
        for name in names.split():
            file = "".join([f"_{c.lower()}" if c.isupper() else c for c in name])[1:]
            yield name, f"{__name__}.{folder}.{file}:{name}"
