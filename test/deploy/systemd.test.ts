import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { textOf } from './files.js'

/** From 0 to 100. A service without any restriction has 100. */
const MAX_EXPOSURE = 20
const TOOL = 'systemd-analyze'
const UNIT = textOf('deploy/logweir.service')

/** Returns whether the tool is installed. Prints a message if the tool is not installed. */
function hasTool(): boolean {
  const isInstalled = spawnSync(TOOL, ['--version']).status === 0
  if (!isInstalled) console.log(`${TOOL} is not installed, so deploy/logweir.service is not checked with it`)
  return isInstalled
}

/** Runs the tool on a unit, with this Node instead of the unit's, which may not be installed. */
function analyze(unit: string, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'logweir.service')
  writeFileSync(path, unit.replace('/usr/bin/node', process.execPath))
  const { status, stdout, stderr } = spawnSync(TOOL, [...args, path], { encoding: 'utf8' })
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('logweir.service'))
  return { isWell: status === 0, said: args.includes('verify') ? said : [] }
}

it('deploy/logweir.service is a unit that systemd takes', () => {
  if (!hasTool()) return
  expect(analyze(UNIT, 'verify')).toEqual({ isWell: true, said: [] })
  expect(analyze(UNIT.replace('ProtectHome', 'ProtectHom'), 'verify').said).not.toEqual([])
  expect(analyze(UNIT.replace('serve', 'serve\nExecStart=/nowhere'), 'verify').isWell).toBe(false)
})

it('deploy/logweir.service may do little', () => {
  if (!hasTool()) return
  const args = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`]
  expect(analyze(UNIT, ...args).isWell).toBe(true)
  expect(analyze(UNIT.replace('CapabilityBoundingSet=\n', ''), ...args).isWell).toBe(false)
})

it('deploy/logweir.service lets V8 compile, and the service stop in its own time', () => {
  expect(UNIT).toMatch(/^MemoryDenyWriteExecute=no$/m)
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(UNIT)![1])).toBeGreaterThan(5)
})

it('deploy/logweir.service starts again after all but a wrong call, however often', () => {
  // After exit code 0 too: otherwise a stray SIGHUP would leave the service stopped.
  expect(UNIT).toMatch(/^Restart=always$/m)
  expect(UNIT).toMatch(/^RestartPreventExitStatus=2$/m)
  expect(UNIT).toMatch(/^StartLimitIntervalSec=0$/m)
  expect(UNIT.indexOf('StartLimitIntervalSec')).toBeLessThan(UNIT.indexOf('[Service]'))
})
