import { MASK_SETTINGS } from '../config/directory-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, EXIT, write } from './call/command.js'

/** `logweir mask`: shows how rules would mask lines. */
export const mask: Command = {
  name: 'mask',
  meaning: 'show how a file of rules masks the records on standard input, before and after; needs no service',
  settings: MASK_SETTINGS,
  remarks: `  logweir mask --test masks.toml < records.ndjson
For each record that a rule masks: the line as it is, behind -, and as it would be stored, behind +. How many values
each rule masks is on standard error. Exit code 1: a file cannot be read; 2: a rule cannot be used.`,
  async run(args, { environment, log, stdout }) {
    const { readMaskConfig } = await import('../mask-command/mask-config.js')
    const config = readMaskConfig(args, environment, log)
    const { showMasked } = await import('../mask-command/show-masked.js')
    onReaderClosed(() => process.exit(EXIT.ok))
    await showMasked(config, {
      input: process.stdin,
      print: (text) => (text === '' ? Promise.resolve() : write(stdout, text)),
      printSummary: (text) => log(text),
    })
    return EXIT.ok
  },
}
