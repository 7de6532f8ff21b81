"""Bar chart: read values off bars, and compare them."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.charts import values


class BarChart(values.ChartTask):
    kind = "bar"
    levels = interpolate_levels(
        {
            0: ((values.value,), 2, 1, 5),
            2: ((values.value, values.extreme), 4, 1, 5),
            4: ((values.value, values.extreme), 6, 1, 5),
            5: ((values.value, values.extreme, values.difference, values.above), 6, 1, 10),
            6: ((values.value, values.extreme, values.difference, values.above), 7, 1, 10),
            7: ((values.value, values.difference), 4, 2, 10),
            8: ((values.value, values.difference, values.wins, values.apart), 5, 2, 10),
            10: ((values.wins, values.apart), 7, 2, 10),
        }
    )
    about = f"It shows a bar chart. {values.ABOUT}"
