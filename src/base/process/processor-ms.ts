import { MILLISECOND_US } from '../units.js'

/** Returns the time that processors have spent on all threads of the process, in milliseconds. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / MILLISECOND_US
}
