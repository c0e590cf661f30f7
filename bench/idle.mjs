/** Measures the resident memory of an idle, empty service, 3 s after it listens. */
import { setTimeout } from 'node:timers/promises'
import { startService } from './service.mjs'

const service = await startService('ignore')
await service.get('/metrics')
await setTimeout(3_000)
console.log(JSON.stringify({ residentMb: service.residentMb() }))
await service.stop()
