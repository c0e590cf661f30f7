import { expect, it } from 'vitest'
import { programCall } from '../../../src/base/process/program-call.js'

const running = { execPath: '/bin/node', argv: ['/bin/node', '/opt/logweir/cli.js', 'demo'], execArgv: [] as string[] }

it('names Node, the script and the arguments', () => {
  expect(programCall(['serve', '--sql'], running, false)).toEqual([
    '/bin/node',
    ['/opt/logweir/cli.js', 'serve', '--sql'],
  ])
})

it('keeps flags of Node, but not those of the debugger, whose port is taken', () => {
  const execArgv = ['--inspect', '--max-old-space-size=512', '--inspect-brk=127.0.0.1:9230']
  const [, args] = programCall(['serve'], { ...running, execArgv }, false)
  expect(args).toEqual(['--max-old-space-size=512', '/opt/logweir/cli.js', 'serve'])
})

it('names a single executable alone, which has neither a script nor flags of Node', () => {
  const argv = ['/bin/logweir', '/bin/logweir', 'demo']
  const executable = { execPath: '/bin/logweir', argv, execArgv: ['--no-warnings'] }
  expect(programCall(['serve'], executable, true)).toEqual(['/bin/logweir', ['serve']])
})
