/** Decides whether an answer is shown as charts, and makes the series from the rows. */

import { numberOf, type Row } from '../api/api.js'
import type { Column } from '../api/endpoints.js'
import { type Axis, axisThrough, positionsOn } from '../plot/buckets.js'
import type { Series } from '../plot/plot-options.js'
import { type Keys, keysOf } from './keys-of.js'
import { isTimeText, timeUsOf } from './times-in.js'

/** Series over the times of an answer that share a chart. */
export interface AnswerChart {
  /** Names of the columns in the chart: a single column if rows have a key, else a column per series. */
  columns: readonly string[]
  /** Empty if the legend names all columns. */
  title: string
  kind: 'bars' | 'lines'
  series: readonly Series[]
  /** For each series, a value per position of the axis, NaN for no value. */
  values: readonly Float64Array[]
  /** About rows that the chart leaves out, or empty. */
  note: string
}

/** The charts of an answer. */
export interface AnswerCharts {
  axis: Axis
  /** Not empty. */
  charts: readonly AnswerChart[]
  /** Names of the number columns that no chart shows. */
  omitted: readonly string[]
}

const MAX_CHARTS = 4
/** Maximum of columns in a chart. */
const MAX_LINES = 8
/** Columns share a chart if the peak of none is more than 20 times that of another. */
const MAX_PEAK_RATIO = 20

/**
 * Returns the charts of an answer, with rows in any order. Returns undefined if the answer has no time column, no
 * number column, or fewer than two different times, or if the rows are groups and the time is the latest or the first
 * of a group.
 *
 * If rows have a key, each number column has a chart with a series per frequent key. The other keys are summed as
 * “other” if the column is a count. Otherwise columns with values of similar size share a chart, counts apart from
 * others. A single count is drawn as bars. If several rows have the same time and key, counts are summed, and other
 * columns show the highest value. A column of whole numbers that is no count is left out if all rows have the same
 * value, unless no column would be left.
 */
export function chartsOf(columns: readonly Column[], rows: readonly Row[]): AnswerCharts | undefined {
  const isTimeOf = new Map(columns.map((column) => [column, isTime(column, rows)]))
  const time = columns.find((column) => isTimeOf.get(column))
  if (time === undefined) return undefined
  const timed = rows
    .map((row) => ({ row, timeUs: timeUsOf(row[time.name]) }))
    .filter(({ timeUs }) => !Number.isNaN(timeUs))
    .sort((a, b) => a.timeUs - b.timeUs)
  const timesUs = Float64Array.from(timed, ({ timeUs }) => timeUs)
  if (timesUs.length === 0 || timesUs[0] === timesUs.at(-1) || areGroups(time, columns, rows)) return undefined

  const axis = axisThrough(timesUs)
  const table: Table = { axis, positions: positionsOn(axis, timesUs), rows: timed.map(({ row }) => row) }
  const numbers = columns.filter(({ kind }) => NUMBERS.has(kind))
  const drawn = variedOf(numbers, table.rows)
  const others = columns.filter((column) => !isTimeOf.get(column))
  const keys = keysOf(others, table.rows, weightsOf(numbers, table.rows))
  const all = keys.columns.length === 0 ? unkeyedCharts(drawn, table) : keyedCharts(drawn, keys, table)
  if (all.length === 0) return undefined
  const charts = all.slice(0, MAX_CHARTS)
  const shown = new Set(charts.flatMap((chart) => chart.columns))
  return { axis, charts, omitted: numbers.map(({ name }) => name).filter((name) => !shown.has(name)) }
}

/** Words in a column's name that say: the row is a summary of records, with the time of a single record. */
const ONE_OF_SEVERAL = new Set('latest last newest oldest earliest first min max'.split(' '))

/**
 * Returns whether rows are groups, each with a unique key and a single time of the group: lines would have a single
 * point.
 */
function areGroups(time: Column, columns: readonly Column[], rows: readonly Row[]): boolean {
  if (
    !time.name
      .toLowerCase()
      .split('_')
      .some((word) => ONE_OF_SEVERAL.has(word))
  )
    return false
  const names = columns.filter(({ name, kind }) => kind === 'text' && name !== time.name).map(({ name }) => name)
  return (
    names.length > 0 && new Set(rows.map((row) => JSON.stringify(names.map((name) => row[name])))).size === rows.length
  )
}

/** A whole number that counts nothing, such as the width of the buckets, can have the same value in all rows. */
function variedOf(numbers: readonly Column[], rows: readonly Row[]): readonly Column[] {
  const varied = numbers.filter(
    ({ name, kind }) => kind !== 'integer' || rows.some((row) => numberOf(row[name]) !== numberOf(rows[0][name])),
  )
  return varied.length === 0 ? numbers : varied
}

const TIMES = new Set(['microseconds', 'datetime'])
const NUMBERS = new Set(['count', 'integer', 'double'])

/** The rows with a time, oldest first, and the position of each on the axis. */
interface Table {
  axis: Axis
  positions: Int32Array
  rows: readonly Row[]
}

/** Returns whether a column has times. The service calls dates texts. */
function isTime({ name, kind }: Column, rows: readonly Row[]): boolean {
  if (kind !== 'text') return TIMES.has(kind)
  const texts = rows.map((row) => row[name] ?? null).filter((text) => text !== null)
  return texts.length > 0 && texts.every(isTimeText)
}

/** Returns how many records each row counts for: the first count of the row, or 1 if no column is a count. */
function weightsOf(numbers: readonly Column[], rows: readonly Row[]): readonly number[] {
  const count = numbers.find(({ kind }) => kind === 'count')
  return rows.map((row) => (count === undefined ? 1 : (numberOf(row[count.name]) ?? 0)))
}

/** Bars need the width of a bucket. */
const kindOfCount = ({ axis }: Table) => (axis.bucketS > 0 ? 'bars' : 'lines')

interface Line extends Column {
  values: Float64Array
  peak: number
  isHighest: boolean
}

function unkeyedCharts(numbers: readonly Column[], table: Table): AnswerChart[] {
  const groups: Line[][] = []
  const indexes = new Int32Array(table.rows.length)
  for (const column of numbers) {
    const placed = valuesOf(column, table, indexes, 1)
    if (placed === undefined) continue
    const values = placed.series[0]
    const peak = values.reduce((highest, value) => Math.max(highest, Math.abs(value) || 0), 0)
    const line = { ...column, values, peak, isHighest: placed.isHighest }
    const group = groups.find((lines) => lines.length < MAX_LINES && lines.every((other) => mayShare(line, other)))
    if (group === undefined) groups.push([line])
    else group.push(line)
  }
  return groups.map((lines) => ({
    columns: lines.map(({ name }) => name),
    title: '',
    kind: lines.length === 1 && lines[0].kind === 'count' ? kindOfCount(table) : 'lines',
    series: lines.map(({ name }, i) => ({ label: name, color: `series-${i + 1}` })),
    values: lines.map(({ values }) => values),
    note: lines.some(({ isHighest }) => isHighest) ? HIGHEST : '',
  }))
}

function mayShare(one: Line, other: Line): boolean {
  const [lower, higher] = [Math.min(one.peak, other.peak), Math.max(one.peak, other.peak)]
  return (one.kind === 'count') === (other.kind === 'count') && (lower === 0 || higher <= MAX_PEAK_RATIO * lower)
}

function keyedCharts(numbers: readonly Column[], keys: Keys, table: Table): AnswerChart[] {
  const { shown, others, indexes } = keys
  const named = shown.map((label, i) => ({ label, color: `series-${i + 1}` }))
  return numbers.flatMap((column) => {
    const isCount = column.kind === 'count'
    const hasOther = isCount && others > 0
    const placed = valuesOf(column, table, indexes, shown.length + (hasOther ? 1 : 0))
    if (placed === undefined) return []
    const missing = others > 0 && !hasOther ? `${others} less frequent: only in the table` : ''
    return {
      columns: [column.name],
      title: `${column.name} by ${keys.columns.join(', ')}`,
      kind: isCount ? kindOfCount(table) : 'lines',
      series: hasOther ? [...named, { label: `other (${others})`, color: 'series-other' }] : named,
      values: placed.series,
      note: [missing, placed.isHighest ? HIGHEST : ''].filter((text) => text !== '').join(' · '),
    }
  })
}

const HIGHEST = 'highest of rows with the same time'

/** The values of a column, an array per series, and whether some values are the highest of several rows. */
interface Placed {
  series: Float64Array[]
  isHighest: boolean
}

/**
 * Returns the values of a column as `count` series. The value of row `i` belongs to series `indexes[i]`, or to no
 * series if the index is too high. In a bucket without a row a count is 0. Returns undefined if there is no value.
 */
function valuesOf(
  { name, kind }: Column,
  { axis, positions, rows }: Table,
  indexes: Int32Array,
  count: number,
): Placed | undefined {
  const series = Array.from({ length: count }, () => new Float64Array(axis.timesS.length).fill(Number.NaN))
  let isHighest = false
  for (const [i, row] of rows.entries()) {
    const value = numberOf(row[name])
    const values = series[indexes[i]]
    if (value === null || values === undefined) continue
    const position = positions[i]
    const before = values[position]
    if (Number.isNaN(before)) values[position] = value
    else if (kind === 'count') values[position] = before + value
    else {
      values[position] = Math.max(before, value)
      isHighest = true
    }
  }
  if (series.every((values) => values.every(Number.isNaN))) return undefined
  const isFilled = kind === 'count' && axis.bucketS > 0
  return { series: isFilled ? series.map((values) => values.map((value) => value || 0)) : series, isHighest }
}
