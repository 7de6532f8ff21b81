"""Line chart: read values off lines, and find where lines rise, cross or are far apart."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.charts import values


class LineChart(values.ChartTask):
    kind = "line"
    levels = interpolate_levels(
        {
            0: ((values.value,), 3, 1, 5),
            2: ((values.value, values.extreme), 5, 1, 5),
            4: ((values.value, values.extreme), 6, 1, 5),
            5: ((values.value, values.difference, values.rises, values.steepest), 7, 1, 10),
            6: ((values.value, values.difference, values.crossings), 6, 2, 10),
            8: ((values.value, values.difference, values.crossings, values.apart), 7, 2, 10),
            10: ((values.crossings, values.apart), 7, 2, 10),
        }
    )
    about = f"It shows a line chart. {values.ABOUT}"
