"""Bar chart: read values off bars, and compare them."""

from gem_ma.envs.visual.charts import values


class BarChart(values.ChartTask):
    kind = "bar"
    levels = (
        ((values.value, values.extreme), 4, 1, 5),
        ((values.value, values.extreme, values.difference, values.above), 6, 1, 10),
        ((values.value, values.difference, values.wins, values.apart), 5, 2, 10),
    )
    about = f"It shows a bar chart. {values.ABOUT}"
