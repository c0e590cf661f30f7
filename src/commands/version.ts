import { VERSION } from '../base/version.js'
import { type Command, EXIT, write } from './command.js'

/** `logweir version`: prints the version. */
export const version: Command = {
  name: 'version',
  meaning: 'print the version',
  settings: {},
  async run(_, { stdout }) {
    await write(stdout, `${VERSION}\n`)
    return EXIT.ok
  },
}
