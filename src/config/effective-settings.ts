import { stringify } from 'smol-toml'
import { escapeControl } from '../base/text/escape-control.js'
import type { FoundValue } from './read-settings.js'
import type { EffectiveSetting } from './serve-config.js'
import { SERVE_SETTINGS } from './serve-settings.js'
import { fileNameOf, isInFile, type Setting } from './setting.js'

/** The output of `logweir config`: settings with their values and origins. */

const HIDDEN = '***'

const settingOf = (name: EffectiveSetting['name']): Setting<unknown> => SERVE_SETTINGS[name]

/** Returns the value for a settings file: a number or a boolean if the type allows, else a text. Secrets are hidden. */
function shownValue({ type, secret }: Setting<unknown>, { text }: FoundValue): string | number | boolean {
  if (secret) return HIDDEN
  if (type.tomlType === 'number') return /^\d+$/.test(text) ? Number(text) : text
  return type.tomlType === 'boolean' ? (type.read(text) as boolean) : text
}

/**
 * Formats settings as TOML that can be used as a settings file. Origins, secrets and settings that a file must not
 * contain are comments.
 */
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

function assignment(name: EffectiveSetting['name'], found: FoundValue): string {
  const setting = settingOf(name)
  const text = escapeControl(stringify({ [fileNameOf(name)]: shownValue(setting, found) }).trim())
  return isInFile(setting) && !setting.secret ? text : `# ${text}`
}

/** Formats settings as a JSON object: name to `value` (null if not set), `origin` and `where`. */
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
