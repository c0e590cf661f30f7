import { readHealthConfig } from '../config/config.js'
import { HEALTH_SETTINGS } from '../config/settings.js'
import { type Command, EXIT } from './command.js'

export const health: Command = {
  name: 'health',
  meaning: 'tell whether the service on this machine is ready, as a health check',
  settings: HEALTH_SETTINGS,
  remarks: `It reads the settings that tell serve where to listen, and needs no token. Exit code 0: the service is ready.
1: it cannot be reached, starts, or stops.`,
  async run(args, { environment, log }) {
    const { url } = readHealthConfig(args, environment, log)
    const { checkHealth } = await import('../client/health.js')
    await checkHealth(url)
    return EXIT.ok
  },
}
