import { flagOf, type Settings, variableOf } from './setting.js'
import { onOff } from './value-types.js'

/** Returns the lines of `--help` for some settings, in aligned columns: flag, variable, default, description. */
export function describeSettings(settings: Settings): string[] {
  const rows = Object.entries(settings).map(([name, setting]) => [
    setting.flag === false ? '' : `${flagOf(name)} ${setting.type.placeholder}`.trim(),
    setting.variable === false ? '' : variableOf(name, setting),
    setting.type === onOff ? '' : (setting.default ?? ''),
    setting.meaning,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
}
