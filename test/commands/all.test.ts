import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/commands/all.js'
import { findCommand } from '../../src/commands/call/find.js'
import { commandHelp, helpText } from '../../src/commands/call/help-text.js'
import { helpOn } from '../../src/commands/help.js'
import { parseCall } from '../../src/commands/parse-call.js'
import { flagOf, variableOf } from '../../src/config/setting.js'

describe('findCommand', () => {
  it('finds each command, and what stands behind its name', () => {
    for (const command of COMMANDS) {
      const args = [...command.name.split(' '), '--flag', 'word']
      expect(findCommand(args, COMMANDS)).toEqual({ command, rest: ['--flag', 'word'] })
    }
  })

  it.each([
    ['', 'no command. Try: logweir serve, or logweir --help'],
    ['sevre', 'unknown command "sevre". Did you mean serve? Try: logweir --help'],
    ['nginx', /^unknown command "nginx". There are: serve, lines, query, .*, schema, .* Try: logweir --help$/],
    ['--port 1 serve', /^unknown command "--port". /],
    ['schema', 'unknown command "schema". There is: logweir schema clickhouse.'],
    ['schema postgres', 'unknown command "schema postgres". There is: logweir schema clickhouse.'],
    ['schema --apply clickhouse', 'unknown command "schema --apply". There is: logweir schema clickhouse.'],
  ])('refuses "%s"', (line, message) => {
    expect(() => findCommand(line.split(' ').filter(Boolean), COMMANDS)).toThrow(message)
  })
})

describe('the help', () => {
  it('names every command, each on a line of a terminal', () => {
    const help = helpText('1.2.3', COMMANDS)
    expect(help).toMatch(/^logweir 1\.2\.3: /)
    for (const { name, meaning } of COMMANDS) expect(help).toMatch(new RegExp(`^  logweir ${name} .*${meaning}$`, 'm'))
    expect(help.split('\n').length).toBeLessThan(32)
  })

  it.each(COMMANDS.map((command) => [command.name, command] as const))('tells of every setting of %s', (_, command) => {
    const help = commandHelp(command)
    expect(help).toMatch(new RegExp(`^logweir ${command.name}[ :].*${command.meaning}\\.\n`))
    for (const [name, setting] of Object.entries(command.settings)) {
      expect(help).toContain(setting.meaning)
      expect(help.includes(`\n  ${flagOf(name)} `)).toBe(setting.flag !== false)
      if (setting.variable !== false) expect(help).toContain(variableOf(name, setting))
    }
  })

  it.each(
    COMMANDS.map((command) => [command.name, command] as const),
  )('of %s is found by its words', (name, command) => {
    expect(helpOn(name.split(' '), COMMANDS)).toBe(commandHelp(command))
    expect(helpOn([...name.split(' '), 'operand'], COMMANDS)).toBe(commandHelp(command))
  })

  it('of a group names its commands', () => {
    const groups = new Map(
      COMMANDS.filter(({ name }) => name.includes(' ')).map(({ name }) => [name.split(' ')[0]!, name]),
    )
    expect([...groups.keys()]).toEqual(['token', 'alerts', 'views', 'schema'])
    for (const word of groups.keys()) {
      const text = helpOn([word], COMMANDS)
      for (const { name, meaning } of COMMANDS.filter((one) => one.name.startsWith(`${word} `))) {
        expect(text).toContain(`logweir ${name} `)
        expect(text).toContain(meaning)
      }
    }
  })

  it('of what is no command says so', () => {
    expect(() => helpOn(['tokn'], COMMANDS)).toThrow('unknown command "tokn". Did you mean token? Try: logweir --help')
    expect(() => helpOn(['token', 'mint'], COMMANDS)).toThrow('unknown command "token mint". There is: ')
  })
})

describe('parseCall', () => {
  const textOf = (args: readonly string[]) => {
    const { command, rest } = parseCall(args, COMMANDS)
    return command.name === 'help' ? helpOn(rest, COMMANDS) : command.name
  }

  it.each([
    ['--version', '--version'],
    ['-v', '--version'],
    ['version', 'version'],
  ])('%s is the version, alone', async (word, name) => {
    expect(textOf([word])).toBe(name)
    const runWith = (...args: string[]) => {
      const { command, rest } = parseCall([word, ...args], COMMANDS)
      return command.run(rest, { environment: {}, stdout: process.stdout } as never)
    }
    await expect(runWith('x')).rejects.toThrow('unexpected argument "x". Try: logweir --help')
    await expect(runWith('--port', '1')).rejects.toThrow('unknown flag --port. Try: logweir --help')
  })

  it.each([
    ['--help', 'logweir serve [flags] '],
    ['serve --port --help', 'logweir serve [flags]: '],
    ['schema clickhouse -h', 'logweir schema clickhouse [flags]: '],
    ['schema --help', 'logweir schema clickhouse [flags]'],
    ['token --help', 'logweir token list [flags]'],
    ['--help query', 'logweir query ENDPOINT [flags]: '],
    ['watch --help', 'logweir watch ENDPOINT [flags]: '],
    ['query --url x --help', 'logweir query ENDPOINT [flags]: '],
    ['help', 'logweir serve [flags] '],
    ['help --help', 'logweir help [COMMAND]: '],
    ['help token', 'logweir token revoke ID|NAME [flags]'],
    ['help token create', 'logweir token create [flags]: '],
    ['version --help', 'logweir version: '],
  ])('%s shows the help of its words', (line, usage) => {
    expect(textOf(line.split(' '))).toContain(usage)
  })

  it.each([
    ['', 'no command. Try: logweir serve, or logweir --help'],
    ['help sevre', 'unknown command "sevre". Did you mean serve? Try: logweir --help'],
  ])('refuses "%s"', (line, message) => {
    expect(() => textOf(line.split(' ').filter(Boolean))).toThrow(message)
  })
})
