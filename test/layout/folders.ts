/** A folder of src, or a file of src that has no folder. */
export interface Place {
  /** Path below src. A folder ends with a slash and includes its subfolders that are no places of their own. */
  path: string
  /** The purpose of the code. */
  about: string
  /** Beginnings of the only paths from which the code may import. Absent: all lower floors. */
  only?: readonly string[]
}

const PLAN = ['plan/', 'common/', 'base/']
const INTERFACE = ['engine/engine.ts', 'engine/deletion.ts', 'engine/usage.ts', ...PLAN]
const SHARED_BY_ENGINES = ['engine/disk/', 'arrow-ipc/', 'wasm-layout/', ...INTERFACE]
const HTTP = ['http/query/', 'http/access/', 'http/reply/', 'http/formats/', 'endpoints/', 'tokens/', ...INTERFACE]
const ROUTED = ['http/subscribe/', 'http/tail/', 'http/intake/', ...HTTP]
const INGEST = ['ingest/', 'masking/', 'retention/', 'arrow-ipc/', 'wasm-layout/', ...INTERFACE]
const PAGE = ['page/', 'common/']

const page = (path: string, about: string): Place => ({ path: `page/${path}`, about, only: PAGE })
const clickhouse = (path: string, about: string): Place => {
  const only = ['engine/clickhouse/', 'engine/execute/', ...SHARED_BY_ENGINES]
  return { path: `engine/clickhouse/${path}`, about, only }
}
const store = (path: string, about: string): Place => {
  return { path: `engine/store/${path}`, about, only: ['engine/store/', 'engine/execute/', ...SHARED_BY_ENGINES] }
}
const execute = (path: string, about: string): Place => {
  return { path: `engine/execute/${path}`, about, only: ['engine/execute/', ...SHARED_BY_ENGINES] }
}

/**
 * The folders of src, from the top floor to the bottom. Code may import from its own place and from lower floors. The
 * layout test checks the imports, and the tests of the documents check that docs/architecture.md and CONTRIBUTING.md
 * have the same list.
 */
export const FLOORS: readonly (readonly Place[])[] = [
  [{ path: 'executable.ts', about: 'the first module of a single executable' }],
  [{ path: 'cli.ts', about: 'finds the command; exit codes' }],
  [page('main.ts', 'the page, which runs in the browser: signs in, keeps its state in the URL, chooses the view')],
  [page('shell/', 'header, menus, list of projects')],
  [
    page('explore/', 'view: the rows of a source'),
    page('charts/', 'view: charts of the stored queries'),
    page('sql/', 'view: queries in SQL'),
    page('alerts/', 'view: alerts, their rules, and what happened'),
    page('endpoints/', 'view: a form for each endpoint, and the other paths of the API'),
  ],
  [page('record/', 'a record as a tree, and the rows around a record')],
  [page('answer/', 'rows of any query as charts or as a table')],
  [page('plot/', 'charts over time'), page('export/', 'files of rows')],
  [page('shared/', 'elements, formats, times and zones, the session, keys, theme')],
  [page('api/', 'the client of the HTTP API')],
  [
    {
      path: 'commands/',
      about:
        'the commands, one file each; help and completion are made from their table in `all.ts`. ' +
        '`call`: what commands share',
    },
  ],
  [
    {
      path: 'view-commands/',
      about: '`logweir views`: lists views of a service or a data directory, and drops them',
      only: ['client/', 'views/catalog/', 'engine/disk/', 'config/', 'common/views-list.ts', 'base/'],
    },
    {
      path: 'mask-command/',
      about: '`logweir mask`: shows how rules mask lines',
      only: ['ingest/lines/', 'ingest/wasm/', 'masking/', 'config/', 'wasm-layout/', ...PLAN],
    },
    {
      path: 'lines/',
      about:
        '`logweir lines`: SQL over NDJSON. `input`: files and pipes as blocks of lines; `scan`: a block as rows; ' +
        '`execute`: stages over blocks, in threads; `follow`: buckets of time, and changes',
      only: [
        ...['client/', 'http/formats/', 'engine/execute/', 'sql/', 'ingest/lines/check-lines.ts', 'ingest/wasm/'],
        ...['config/', 'wasm-layout/', ...PLAN],
      ],
    },
    {
      path: 'sql-directory/',
      about: '`logweir sql`: SQL over a data directory without a service',
      only: [
        ...['client/', 'http/formats/', 'endpoints/', 'engine/store/engine.ts', 'engine/disk/', 'sql/read-sql.ts'],
        ...['views/catalog/', 'deletions/', 'retention/', 'config/', ...INTERFACE],
      ],
    },
  ],
  [
    { path: 'service/', about: 'starts, wires and stops the service; prints the tables of ClickHouse' },
    { path: 'export/', about: '`logweir export`: copies a data directory to ClickHouse' },
    { path: 'import/', about: '`logweir import`: copies the rows of a Logflare in PostgreSQL to a data directory' },
    {
      path: 'demo/',
      about: '`logweir demo`: runs the service and the generator as child processes, and signs the page in',
      only: ['generate/', 'config/', 'base/'],
    },
    {
      path: 'check/',
      about:
        '`logweir check`: reads a data directory (`files`, `read`), lists faults (`findings`), ' +
        'sets them aside (`repair`)',
      only: [
        ...['alerts/store/', 'deletions/job-files.ts', 'views/', 'engine/', 'arrow-ipc/', 'tokens/', 'masking/'],
        ...['retention/', 'config/', ...PLAN],
      ],
    },
    {
      path: 'client/',
      about: 'the client side of `query`, `tail`, `watch` and `health`: knows HTTP, and no engine',
      only: [
        'tokens/',
        'config/',
        'common/deletions.ts',
        'common/error-body.ts',
        'common/limits.ts',
        'common/rule-test-path.ts',
        'common/usage-path.ts',
        'common/warnings.ts',
        'base/',
      ],
    },
  ],
  [
    {
      path: 'alerts/backtest/',
      about: 'the transitions that a rule would have had',
      only: ['alerts/', 'front-matter/', 'sql/read-sql.ts', ...INTERFACE],
    },
  ],
  [{ path: 'alerts/evaluate/', about: 'evaluates alert rules at their instants', only: ['alerts/', ...PLAN] }],
  [
    { path: 'supabase/', about: "with `--supabase`: the queries of Studio's pages, each a `.sql` file in `endpoints`" },
    {
      path: 'alerts/delivery/',
      about: 'receivers of alerts: requests, queue, retries',
      only: ['alerts/store/', 'alerts/states/', 'config/', 'base/'],
    },
    {
      path: 'alerts/rules/',
      about: 'reads and checks the files of alert rules',
      only: ['alerts/states/', 'user-endpoints/', 'front-matter/', 'sql/read-sql.ts', 'config/', ...PLAN],
    },
  ],
  [
    {
      path: 'views/catalog/',
      about: 'which files of groups a data directory has; makes, merges, reads and deletes the files',
      only: ['views/', 'engine/disk/', 'engine/execute/', 'engine/store/', 'sql/compile/', ...INTERFACE],
    },
  ],
  [
    {
      path: 'user-endpoints/',
      about: '`--endpoints`: finds, loads, checks and watches `.sql` files and modules of users',
      only: [
        ...['endpoint.ts', 'endpoints/', 'views/definition/', 'front-matter/', 'sql/read-sql.ts', 'config/'],
        ...PLAN,
      ],
    },
    {
      path: 'alerts/store/',
      about: 'keeps states of alerts and undelivered notifications',
      only: ['alerts/states/', 'engine/disk/', 'base/'],
    },
    {
      path: 'views/state/',
      about: 'the groups of a view and a day: files, sorted streams, merging, bounds',
      only: ['engine/disk/', 'engine/execute/', 'engine/store/files/file-names.ts', ...PLAN],
    },
    {
      path: 'http/server/',
      about: 'sockets: connections, limits, malformed requests',
      only: ['http/app.ts', ...HTTP],
    },
  ],
  [
    {
      path: 'http/app.ts',
      about: 'the HTTP side: strings the middleware, the handlers and the routes together',
      only: ['http/middleware.ts', 'http/handlers.ts', 'http/options.ts', 'http/routes.ts', ...ROUTED],
    },
    { path: 'alerts/states/', about: 'states of alerts: instants, transitions, labels', only: ['base/'] },
  ],
  [
    {
      path: 'http/middleware.ts',
      about: 'the links of the chain: counts, errors, access',
      only: ['http/routes.ts', ...ROUTED],
    },
    {
      path: 'http/handlers.ts',
      about: 'creates the handlers of queries, tails and records, within the limits of memory',
      only: ['http/options.ts', 'http/routes.ts', ...ROUTED],
    },
  ],
  [{ path: 'http/options.ts', about: 'all that the HTTP side needs', only: ['http/routes.ts', ...ROUTED] }],
  [{ path: 'http/routes.ts', about: 'the routes', only: ['http/page.ts', 'http/openapi/', ...ROUTED] }],
  [
    {
      path: 'http/subscribe/',
      about: 'server-sent events: answers of stored queries as they change',
      only: ['http/tail/', ...HTTP],
    },
  ],
  [
    { path: 'http/page.ts', about: 'sends the files of the page', only: ['http/reply/', 'endpoints/', ...INTERFACE] },
    { path: 'http/openapi/', about: 'the description of the API', only: HTTP },
    { path: 'http/tail/', about: 'server-sent events: records as they are stored', only: HTTP },
    { path: 'endpoint.ts', about: 'the module that modules of users import' },
  ],
  [
    { path: 'http/intake/', about: 'requests that send records', only: HTTP },
    {
      path: 'http/query/',
      about: 'stored queries: parameters, cache, single flight, concurrency limit, warming',
      only: HTTP,
    },
    { path: 'ingest/stream/', about: 'a stream of lines, read in a worker thread', only: INGEST },
    { path: 'ingest/body/', about: 'bodies of requests, read in a worker thread', only: INGEST },
  ],
  [
    { path: 'http/access/', about: 'authentication and permissions of a request', only: HTTP },
    {
      path: 'ingest/thread/',
      about: "the main thread's side of the parsing threads: messages, batches, failures",
      only: INGEST,
    },
    { path: 'otlp/', about: 'OpenTelemetry requests to lines, in a worker thread', only: ['base/'] },
    { path: 'generate/', about: 'the record generator', only: ['common/', 'base/'] },
  ],
  [
    { path: 'http/reply/', about: 'headers, errors, compression, streaming', only: HTTP },
    { path: 'ingest/lines/', about: 'lines to batch builders', only: INGEST },
  ],
  [
    { path: 'http/formats/', about: 'JSON, NDJSON, CSV, Arrow', only: ['arrow-ipc/', ...INTERFACE] },
    {
      path: 'ingest/names/',
      about: 'the sources that records make: decided in the main thread, known in all',
      only: INGEST,
    },
    { path: 'ingest/wasm/', about: 'the host of the WebAssembly module that parses lines', only: INGEST },
  ],
  [{ path: 'ingest/rejects.ts', about: 'counts and files refused lines', only: ['base/'] }],
  [
    clickhouse('engine.ts', 'the engine over ClickHouse: SQL where SQL is exact, `execute` over the returned rows'),
    store('engine.ts', 'the embedded engine'),
  ],
  [store('upkeep/', 'the work of each minute and second: retention, memory, fsync, and the disk that all need')],
  [
    store('removal/', 'removes rows for good: deletions, rows past their limit, rows of the largest project'),
    store('queries/', 'runs plans over the stored rows, once or for many windows'),
    clickhouse('deleting/', 'deletes rows of the server by mutations: deletions, and rows past their limit each day'),
  ],
  [store('usage/', 'rows and bytes by project, without reading the rows')],
  [
    clickhouse('follow/', 'passes new rows of the server to tails'),
    store('follow/', 'passes new rows to tails'),
    store('export/', 'reads stored rows as batches'),
    store('tables/', 'heads and segments of all sources: append, view, seal, drop, evict'),
    store('compaction/', 'adds path columns to segments and compresses them again, while the process is idle'),
  ],
  [
    clickhouse('query/', 'runs the lowered part of a stage on the server, and reads the rows or groups'),
    store('hiding/', 'decides which rows no query may read'),
    store('persistence/', 'keeps heads and segments in a data directory; recovery after a crash'),
  ],
  [
    clickhouse('lowering/', 'filters, expressions and aggregates as SQL of ClickHouse'),
    clickhouse('delivery/', 'sends batches in Native format from the journal'),
    store('files/', 'the files of a segment'),
  ],
  [
    clickhouse('schema/', 'creates and checks databases, tables and shards'),
    store('sealing/', 'seals a head on a thread of its own'),
  ],
  [
    clickhouse('server/', 'the connection, and values as SQL'),
    store('segment/', 'sealed rows in memory'),
    store('path-columns/', 'columns of paths of the metadata, made of sealed rows'),
  ],
  [execute('windows/', 'runs a plan for many windows, by groups of pieces of time')],
  [execute('run/', 'runs the stages of a plan, and returns the rows of an answer')],
  [execute('operators/', 'the operators of a plan, one file each, named after the operator')],
  [execute('stages/', 'parts of a plan that are a single pass over their input')],
  [
    execute('grouping/', 'groups rows by keys and updates the aggregates of each group'),
    execute('ordering/', 'the first rows of an order, and their ranks'),
  ],
  [execute('filtering/', 'conditions on whole columns: numbers, codes of dictionaries, texts')],
  [execute('batches/', 'batches that are loaded when read, and blocks of rows between two pauses')],
  [execute('caches/', 'what queries keep for later queries: partial results, rows, frames, fields')],
  [
    execute('expressions/', 'evaluates expressions to vectors'),
    execute('accumulators/', 'the states of aggregates'),
    execute('open-batch/', 'a batch under construction: rows are appended while queries read'),
  ],
  [execute('matching/', 'tests of many texts at once: entries of a dictionary, stored messages')],
  [execute('fields/', 'fields without a column: reads JSON paths from metadata texts')],
  [execute('columns/', 'columns, dictionaries, selections and zones of a batch')],
  [
    {
      path: 'views/definition/',
      about: 'reads and checks the files of views: what is grouped, and what is refused',
      only: ['front-matter/', 'sql/', 'endpoints/', ...PLAN],
    },
  ],
  [
    { path: 'endpoints/', about: 'the stored queries, one file each, and their parameters' },
    { path: 'tokens/', about: 'access tokens and their permissions' },
    {
      path: 'deletions/',
      about: 'deletions on request: conditions, the files of jobs, hiding and erasing',
      only: ['sql/', 'engine/disk/', ...INTERFACE],
    },
    {
      path: 'retention/',
      about: '`--retention-file`: how long rows are kept, by project and source; and former times',
    },
    {
      path: 'masking/',
      about: '`--mask`: rules, their patterns (`finders`), and the masking of a record in a line (`lines`)',
      only: ['config/', 'wasm-layout/', ...PLAN],
    },
  ],
  [
    { path: 'sql/read-sql.ts', about: 'SQL: from a text to a plan' },
    {
      path: 'front-matter/',
      about: 'the lines above the query of a `.sql` file: entries, lengths of time, places of errors',
      only: ['base/'],
    },
  ],
  [{ path: 'sql/compile/', about: 'from a syntax tree to a plan' }],
  [{ path: 'sql/parse/', about: 'from a text to a syntax tree' }],
  [{ path: 'engine/disk/', about: 'for both engines: data directory, lock, journal, retries' }],
  [{ path: 'engine/engine.ts', about: 'the interface of an engine: all that other folders see of an engine' }],
  [
    { path: 'engine/deletion.ts', about: 'what an engine that deletes rows gets and does', only: PLAN },
    { path: 'engine/usage.ts', about: 'adds up the rows and bytes that an engine stores' },
  ],
  [{ path: 'plan/', about: 'plans: operators, expressions and functions, as data' }],
  [
    {
      path: 'config/',
      about: 'the table of settings, where values come from, the configuration of each command',
    },
  ],
  [
    {
      path: 'common/',
      about: 'what the service and the page share: sources and columns, words of SQL, operators, limits, formats',
    },
  ],
  [
    { path: 'arrow-ipc/', about: 'writes and reads Arrow IPC messages, streams and files' },
    { path: 'wasm-layout/', about: 'the numbers that `wasm` and `src` share' },
  ],
  [
    { path: 'base/text/', about: 'characters, encodings, case, search in texts' },
    { path: 'base/pattern/', about: 'regular expressions of callers (RE2): size, limits, matching' },
  ],
  [{ path: 'base/memory/', about: 'the memory limit and its budget; buffers that grow; WebAssembly memory' }],
  [{ path: 'base/scheduling/', about: 'slices of time, queues, rate limits, calls to threads' }],
  [
    { path: 'base/process/', about: 'heap, signals, threads and metrics of the process' },
    { path: 'base/compression/', about: 'zstd frames, by the fastest of three libraries that is there' },
    { path: 'base/files/', about: 'errors, versions and directories of files' },
  ],
  [{ path: 'base/time/', about: 'the clock, buckets of time, ISO 8601' }],
  [{ path: 'base/', about: 'errors, units, log, metrics: imports no other folder' }],
]
