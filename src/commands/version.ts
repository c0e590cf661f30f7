import { VERSION } from '../base/version.js'
import { readSettings } from '../config/read-settings.js'
import { type Command, EXIT, write } from './command.js'

/** `logweir version`: prints the version. Throws `usage` if there are arguments. */
export const version: Command = {
  name: 'version',
  meaning: 'print the version',
  settings: {},
  async run(args, { environment, stdout }) {
    readSettings(version.settings, args, environment)
    await write(stdout, `${VERSION}\n`)
    return EXIT.ok
  },
}
