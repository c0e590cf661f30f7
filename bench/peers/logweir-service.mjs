/** logweir as its users run it: the built program, records on its standard input, queries over HTTP. */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { metric, startService } from '../service.mjs'

export async function open({ store, directory }) {
  let service
  return {
    get pid() {
      return service.pid
    },
    async load(files) {
      const [stdin, close] = inputOf(Object.values(files))
      service = await startService(stdin, store === 'memory' ? [] : ['--data-dir', directory])
      const { match, atMs } = await service.waitForOutput(/standard input ended: (\d+) rows accepted, (\d+) rejected/)
      close()
      if (match[2] !== '0') throw new Error(`logweir rejected ${match[2]} lines`)
      return (atMs - service.startedMs) / 1000
    },
    count: (source) => metric(service, `logweir_rows{source="${source}"}`),
    async answer({ endpoint, params }) {
      const response = await service.get(`/api/endpoints/query/${endpoint}?${new URLSearchParams(params)}`)
      if (response.status !== 200) throw new Error(`logweir answered ${response.status}: ${await response.text()}`)
      return (await response.json()).result
    },
    close: () => service.stop(),
  }
}

/**
 * Opens a single file, or several files through a pipe. Returns the standard input for the service, and a function that
 * closes the input.
 */
function inputOf(paths) {
  if (paths.length > 1) return [spawn('cat', paths).stdout, () => {}]
  const file = openSync(paths[0], 'r')
  return [file, () => closeSync(file)]
}
