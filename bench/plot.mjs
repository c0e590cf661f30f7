/** Line charts with two logarithmic axes, as SVG. */

const WIDTH = 640
const HEIGHT = 360
const MARGIN = { left: 64, right: 28, top: 40, bottom: 48 }
/** Colours that colour-blind readers can distinguish (Okabe and Ito, 2008). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00']

/**
 * Returns a chart as SVG text. All coordinates must be above 0.
 * `series`: [{ name, points: [[x, y], …], dashed }]
 */
export function logChart({ title, xName, yName, series }) {
  const points = series.flatMap((one) => one.points)
  const x = axis(
    points.map(([value]) => value),
    MARGIN.left,
    WIDTH - MARGIN.right,
  )
  const y = axis(
    points.map(([, value]) => value),
    HEIGHT - MARGIN.bottom,
    MARGIN.top + 18 * Math.ceil(series.length / 2),
  )
  const [left, right] = [MARGIN.left, WIDTH - MARGIN.right]
  const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom]
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" ` +
      `viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(WIDTH / 2, 20, title, 'middle', 'font-size="14" font-weight="600"'),
    ...x.ticks.flatMap((tick) => [
      line(x.at(tick), top, x.at(tick), bottom, '#dddddd'),
      text(x.at(tick), bottom + 18, short(tick), 'middle'),
    ]),
    ...y.ticks.flatMap((tick) => [
      line(left, y.at(tick), right, y.at(tick), '#dddddd'),
      text(left - 8, y.at(tick) + 4, short(tick), 'end'),
    ]),
    text((left + right) / 2, HEIGHT - 10, xName, 'middle'),
    text(14, (top + bottom) / 2, yName, 'middle', `transform="rotate(-90 14 ${(top + bottom) / 2})"`),
    ...series.flatMap((one, i) => drawSeries(one, i, x, y)),
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function drawSeries({ name, points, dashed }, i, x, y) {
  const colour = COLOURS[i % COLOURS.length]
  const path = points.map(([px, py]) => `${round(x.at(px))},${round(y.at(py))}`).join(' ')
  const legendX = MARGIN.left + 12 + (i % 2) * 270
  const legendY = MARGIN.top + 14 + 18 * Math.floor(i / 2)
  const dash = dashed ? 'stroke-dasharray="5 4"' : ''
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2" ${dash}/>`,
    ...points.map(([px, py]) => `<circle cx="${round(x.at(px))}" cy="${round(y.at(py))}" r="3" fill="${colour}"/>`),
    `<line x1="${legendX}" y1="${legendY - 4}" x2="${legendX + 22}" y2="${legendY - 4}" ` +
      `stroke="${colour}" stroke-width="2" ${dash}/>`,
    text(legendX + 28, legendY, name, 'start'),
  ]
}

/** Returns a logarithmic scale from the values to [from, to], and a tick at each power of ten. */
function axis(values, from, to) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9)
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9))
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i))
  return { ticks, at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) }
}

const round = (value) => Number(value.toFixed(1))
const line = (x1, y1, x2, y2, colour) =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}"/>`
const text = (x, y, content, anchor, rest = '') =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="#222222" ${rest}>${escaped(content)}</text>`
const escaped = (content) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function short(value) {
  if (value >= 1e6) return `${value / 1e6} M`
  return value >= 1e3 ? `${value / 1e3} k` : String(Number(value.toPrecision(3)))
}
