import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { textOf } from '../deploy/files.js'
import { ROOT, temporaryFolder } from './support/program.js'

const BUILD_MS = 900_000

it('the command in docs/install.md adds the native parts to an installed package', { timeout: BUILD_MS }, () => {
  const folder = temporaryFolder()
  const bin = dirname(process.execPath)
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    npm_config_prefix: folder,
    LOGWEIR_NATIVE_PARTS: '',
  }
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, env, encoding: 'utf8' })
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', '--ignore-scripts', ROOT))
  run('npm', 'install', '--global', `./${filename}`)
  const version = () => run(join(folder, 'bin/logweir'), 'version')
  expect(version()).toMatch(/^pattern +re2js$/m)
  const [, command] = /^npm (install --global --allow-scripts=.*)$/m.exec(textOf('docs/install.md'))!
  run('npm', ...command!.split(' '))
  expect(version()).toMatch(/^pattern +re2$/m)
  expect(version()).toMatch(/^zstd +zstd-napi$/m)
})
