"""Line chart: read values off lines, and where these rise, cross or are far apart."""

from gem_ma.envs.visual.charts import values


class LineChart(values.ChartTask):
    kind = "line"
    levels = (
        ((values.value, values.extreme), 5, 1, 5),
        ((values.value, values.difference, values.rises, values.steepest), 7, 1, 10),
        ((values.value, values.difference, values.crossings, values.apart), 7, 2, 10),
    )
    about = f"It shows a line chart. {values.ABOUT}"
