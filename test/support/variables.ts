import { type Settings, variableOf } from '../../src/config/setting.js'

/** Returns the environment variables of some settings. Settings of a single call have no variables. */
export const variablesOf = (settings: Settings): string[] =>
  Object.entries(settings).flatMap(([name, setting]) => (setting.variable === false ? [] : [variableOf(name, setting)]))
