import { HEALTH_SETTINGS } from '../config/client-settings.js'
import { readHealthConfig } from '../config/health-config.js'
import { type Command, EXIT } from './call/command.js'

/** `logweir health`: checks whether the service on this machine is ready. */
export const health: Command = {
  name: 'health',
  meaning: 'check whether the service on this machine is ready',
  settings: HEALTH_SETTINGS,
  remarks: `It reads the settings of serve for the address, and needs no token. Exit code 0: the service is ready.
1: it cannot be reached, is starting, or is stopping.`,
  async run(args, { environment, log }) {
    const { url } = readHealthConfig(args, environment, log)
    const { checkHealth } = await import('../client/health.js')
    await checkHealth(url)
    return EXIT.ok
  },
}
