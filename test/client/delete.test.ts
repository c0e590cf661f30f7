import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { readDelete, runDelete } from '../../src/client/delete.js'
import type { RowsOut } from '../../src/client/output.js'
import type { ListedDeletion } from '../../src/common/deletions.js'
import { fakeService, reply } from './fake-service.js'

const HIDDEN: ListedDeletion = {
  ...{ id: '019adf0a1b2c00000000', state: 'hidden', project: 'a', source: null, start: null, end: null },
  ...{ where: 'true', where_sha256: 'ab', by: '1a2b3c4d', accepted: '2026-11-20T10:00:00Z', erased: null },
  ...{ rows: null, bytes: null, dropped_groups: [] },
}
const ERASED: ListedDeletion = {
  ...HIDDEN,
  state: 'erased',
  where: null,
  erased: '2026-11-20T10:00:01Z',
  rows: 2,
  bytes: 9,
}
const COUNTED = {
  project: 'a',
  rows: 3,
  sources: [
    { source: 'edge_logs', rows: 1 },
    { source: 'auth_logs', rows: 2 },
  ],
}

const TERMINAL = { columns: 200, isPlain: true }
const cells = (table: string) => table.split('\n').map((line) => line.trim().split(/ {2,}/))

/** Runs the command against a service with these answers, in turn. */
async function run(
  args: readonly string[],
  answers: readonly { body: unknown; status?: number }[],
  out: Partial<RowsOut> = {},
) {
  const asked: string[] = []
  const { url } = await fakeService(async (request, response) => {
    asked.push(`${request.method} ${request.url} ${decodeURIComponent(await text(request))}`.trim())
    const { body, status } = answers[asked.length - 1]!
    reply(response, body, 'application/json', status)
  })
  let written = ''
  const write = async (piece: string | Uint8Array) => void (written += piece)
  const config = readDelete([...args, '--url', url], { LOGWEIR_TOKEN: 'open', LOGWEIR_PROJECT: 'b' }, () => {})
  const error = await runDelete(config, { write, terminal: undefined, ...out }).then(
    () => undefined,
    ({ code, message }: Error & { code: string }) => [code, message.replace(url, 'URL')],
  )
  return { asked, written, error }
}

it('counts the rows without --yes, and refuses', async () => {
  const { asked, written, error } = await run(['--project', 'a'], [{ body: COUNTED }])
  expect(asked).toEqual(['POST /api/deletions project=a&dry_run=true'])
  expect(JSON.parse(written)).toEqual(COUNTED)
  expect(error).toEqual(['usage', 'delete removes these rows of a for good. Add --yes to do that.'])
})

it('counts the rows with --dry-run, whether --yes is there or not', async () => {
  const args = ['--project', 'a', '--dry-run', '--yes']
  const { asked, written, error } = await run(args, [{ body: COUNTED }], { terminal: TERMINAL })
  expect([asked, error]).toEqual([['POST /api/deletions project=a&dry_run=true'], undefined])
  expect(cells(written)).toEqual([
    ['source', 'rows', 'project'],
    ['edge_logs', '1', 'a'],
    ['auth_logs', '2', 'a'],
    ['all', '3', 'a'],
    [''],
  ])
})

it('sends all flags, and prints the deletion', async () => {
  const where = "user_id = '4&2'"
  const flags = ['--source', 'auth_logs', '--start', '2026-11-01', '--end', '2026-11-02T00:00:00.000001Z']
  const args = ['--project', 'a', ...flags, '--where', where, '--yes']
  const { asked, written, error } = await run(args, [{ body: HIDDEN, status: 202 }])
  const sent = `project=a&source=auth_logs&where=${where.replaceAll(' ', '+')}`
  expect(asked).toEqual([`POST /api/deletions ${sent}&start=2026-11-01T00:00:00Z&end=2026-11-02T00:00:00.000001Z`])
  expect([JSON.parse(written), error]).toEqual([HIDDEN, undefined])
})

it('waits until the rows are erased', async () => {
  const answers = [{ body: HIDDEN, status: 202 }, { body: ERASED }]
  const { asked, written } = await run(['--project', 'a', '--yes', '--wait'], answers, { terminal: TERMINAL })
  expect(asked).toEqual(['POST /api/deletions project=a', `GET /api/deletions/${HIDDEN.id}`])
  expect(cells(written)).toEqual([
    ['id', 'state', 'project', 'source', 'rows', 'bytes'],
    [HIDDEN.id, 'erased', 'a', 'all', '2', '9'],
    [''],
  ])
})

it('shows the place of a fault in the condition', async () => {
  const body = { error: 'Expected an expression. (line 1, column 6)', code: 'invalid_sql' }
  const { error } = await run(['--project', 'a', '--where', 'id = '], [{ body, status: 400 }])
  expect(error).toEqual([
    'service',
    `URL: Expected an expression. (line 1, column 6) (invalid_sql)\nid = \n${' '.repeat(5)}^`,
  ])
})

it.each([
  [['--yes'], /^delete the rows of which project\?/],
  [['--project', 'a', '--start', '2026-11-02', '--end', '2026-11-02'], /^--start is not before --end\./],
  [['--project', 'a', '--start', 'x'], /^--start: "x" is not an ISO 8601 time/],
  [['--project', 'a', 'b'], /^unexpected argument "b"/],
])('refuses %j', (args, message) => {
  expect(() => readDelete(args, { LOGWEIR_PROJECT: 'b' }, () => {})).toThrow(message)
})
