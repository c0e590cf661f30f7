import { stringify } from 'smol-toml'
import { escapeControl } from '../base/escape-control.js'
import type { EffectiveSetting } from './config.js'
import { type Found, fileNameOf, isInFile, type Setting } from './setting.js'
import { SERVE_SETTINGS } from './settings.js'

/** What `logweir config` prints: settings with their values and where these come from. */

const HIDDEN = '***'

const settingOf = (name: EffectiveSetting['name']): Setting<unknown> => SERVE_SETTINGS[name]

/** As it stands in a file: a number or a switch where it may be one, else a text. */
function shownValue({ type, secret }: Setting<unknown>, { text }: Found): string | number | boolean {
  if (secret) return HIDDEN
  if (type.tomlType === 'number') return /^\d+$/.test(text) ? Number(text) : text
  return type.tomlType === 'boolean' ? (type.read(text) as boolean) : text
}

/** As TOML, which can be read back: what a file cannot say, or should not, is a comment. Origins are comments too. */
export function effectiveSettingsToml(settings: readonly EffectiveSetting[]): string {
  const set = settings.flatMap(({ name, found }) => (found === undefined ? [] : [{ name, found }]))
  const rows = set.map(({ name, found }) => [assignment(name, found), found.where] as const)
  const width = Math.max(...rows.map(([text]) => text.length))
  const unset = settings.filter(({ found }) => found === undefined)
  return [
    ...rows.map(([text, where]) => `${text.padEnd(width)}  # ${escapeControl(where)}`),
    '',
    ...unset.map(({ name }) => `# ${fileNameOf(name)} is not set: ${settingOf(name).meaning}`),
    '',
  ].join('\n')
}

function assignment(name: EffectiveSetting['name'], found: Found): string {
  const setting = settingOf(name)
  const text = escapeControl(stringify({ [fileNameOf(name)]: shownValue(setting, found) }).trim())
  return isInFile(setting) && !setting.secret ? text : `# ${text}`
}

/** As one JSON object: by name `value` (null: not set), `origin` and `where`. */
export function effectiveSettingsJson(settings: readonly EffectiveSetting[]): string {
  const entries = settings.map(({ name, found }) => {
    const [value, origin, where] =
      found === undefined
        ? [null, 'default', 'default']
        : [shownValue(settingOf(name), found), found.origin, found.where]
    return [fileNameOf(name), { value, origin, where }]
  })
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}
