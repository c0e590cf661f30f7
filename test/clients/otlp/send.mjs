/**
 * Sends records with the official OpenTelemetry exporter, as a user's program does:
 * `send.mjs <http|proto> <from> <count>`. The variables of OpenTelemetry give the address and the token. Prints
 * warnings of the exporter on standard error. Exits with 1 if a batch was dropped.
 */
import { DiagConsoleLogger, DiagLogLevel, diag } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'

const [protocol, from, count] = process.argv.slice(2)
diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.WARN)
const { OTLPLogExporter } = await import(`@opentelemetry/exporter-logs-otlp-${protocol}`)

const exporter = new OTLPLogExporter({ compression: 'gzip' })
const failures = []
const watched = {
  export: (records, done) =>
    exporter.export(records, (result) => {
      if (result.error !== undefined) failures.push(result.error)
      done(result)
    }),
  forceFlush: () => exporter.forceFlush(),
  shutdown: () => exporter.shutdown(),
}
const attributes = JSON.parse(process.env.RESOURCE)
const provider = new LoggerProvider({
  resource: resourceFromAttributes(attributes),
  processors: [new BatchLogRecordProcessor({ exporter: watched, maxQueueSize: 100_000 })],
})
/** Returns seconds and the remaining nanoseconds. */
const hrTimeOf = (us) => [Math.floor(us / 1e6), (us % 1e6) * 1e3]

const logger = provider.getLogger('shop', '1.2.3')
for (let i = 0; i < Number(count); i++) {
  const number = Number(from) + i
  logger.emit({
    timestamp: hrTimeOf(Number(process.env.START_US) + number),
    severityNumber: 9,
    severityText: 'INFO',
    body: `row ${number}`,
    attributes: {
      'logweir.id': `${number}`,
      'request.url': 'https://shop.example/rest/v1/todos',
      request: { path: '/rest/v1/todos' },
      big: 2 ** 53 - 1,
      list: ['a', { b: true }],
    },
  })
}
await provider.shutdown()
for (const error of failures) console.error(`given up: ${error.message}`)
process.exitCode = failures.length > 0 ? 1 : 0
