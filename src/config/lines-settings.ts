import type { Settings } from './setting.js'
import { durationUs, listOf, oneOf, onOff, text } from './value-types.js'

/** Settings of `logweir lines`. */
export const LINES_SETTINGS = {
  format: {
    type: oneOf('FORMAT', 'table', 'json', 'ndjson', 'csv', 'arrow'),
    variable: false,
    meaning: 'table, json, ndjson, csv or arrow; default: table on a terminal or with --columns, else ndjson',
  },
  columns: {
    type: listOf(text('NAME')),
    variable: false,
    meaning: 'columns of the table, in this order; default: all',
  },
  wide: { type: onOff, variable: false, meaning: 'do not cut cells of the table to the width of the terminal' },
  timeField: {
    type: text('NAME'),
    variable: false,
    meaning:
      'the field that is the timestamp; default: the first of timestamp, @timestamp, time, ts, _time and datetime ' +
      'in the first line that has one',
  },
  sqlFile: { type: text('FILE'), variable: false, meaning: 'a file with the query, instead of the text' },
  follow: {
    type: onOff,
    variable: false,
    meaning: 'print each bucket of time once, when it is over, and changes of other groups every second',
  },
  late: {
    type: durationUs,
    default: '5s',
    variable: false,
    meaning: 'with --follow: how much later than its time a line may come',
  },
} satisfies Settings
