import { catchStopSignals } from '../base/process/stop-signals.js'
import { readDemoConfig } from '../config/demo-config.js'
import { DEMO_SETTINGS } from '../config/generate-settings.js'
import { onReaderClosed } from './call/closed-pipe.js'
import { type Command, write } from './call/command.js'

/** `logweir demo`: runs the service with generated records until a signal stops it. */
export const demo: Command = {
  name: 'demo',
  meaning: 'serve generated records from memory, and print example requests and a link to the page',
  settings: DEMO_SETTINGS,
  remarks: `It runs logweir serve --in-memory --sql with a token of its own, and reads neither variables nor a settings
file. The link opens the page signed in, for everyone on this machine, as long as the demo runs.`,
  async run(args, { environment, stdout }) {
    const config = readDemoConfig(args)
    const { first, second } = catchStopSignals()
    const closed = new Promise<void>((resolve) => onReaderClosed(resolve))
    const { runDemo } = await import('../demo/run-demo.js')
    const print = (text: string) => write(stdout, text)
    const stop = Promise.race([first, closed])
    // A page that is still open has connections, which must not keep the process alive.
    return process.exit(await runDemo(config, { environment, print, stop, stopAtOnce: second }))
  },
}
