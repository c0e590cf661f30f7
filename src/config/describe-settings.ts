import { flagOf, type Settings, variableOf } from './setting.js'
import { onOff } from './value-types.js'

/** Returns the lines of `--help` for some settings, in aligned columns: flag, variable, default, description. */
export function describeSettings(settings: Settings): string[] {
  const rows = Object.entries(settings).map(([name, { type, default: value, meaning, flag, variable }]) => [
    flag === false ? '' : `${flagOf(name)} ${type.placeholder}`.trim(),
    variable === false ? '' : variableOf(name),
    type === onOff ? '' : (value ?? ''),
    meaning,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
}
