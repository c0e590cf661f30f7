import { VERSION } from '../base/version.js'
import { readSettings } from '../config/read-settings.js'
import { type Command, EXIT, write } from './call/command.js'

/** `logweir --version`: prints the version, for scripts. */
export const versionNumber: Command = {
  name: '--version',
  meaning: 'print the version alone',
  settings: {},
  async run(args, { environment, stdout }) {
    readSettings({}, args, environment)
    await write(stdout, `${VERSION}\n`)
    return EXIT.ok
  },
}

/** `logweir version`: prints the version, and the runtime of the program. Throws `usage` if there are arguments. */
export const version: Command = {
  name: 'version',
  meaning: 'print the version, that of Node, and which native parts are in use',
  settings: {},
  async run(args, { environment, stdout }) {
    readSettings(version.settings, args, environment)
    const { runtimeParts } = await import('../service/runtime.js')
    const { node, pattern, zstd, crc32 } = runtimeParts()
    await write(stdout, `${VERSION}\nnode     ${node}\npattern  ${pattern}\nzstd     ${zstd}\ncrc32    ${crc32}\n`)
    return EXIT.ok
  },
}
