import { randomBytes } from 'node:crypto'
import { acceptSources } from '../common/sources.js'
import { type LineSink, MAX_LINE_BYTES } from '../ingest/lines/check-lines.js'
import { capacityFor, createLineReader } from '../ingest/lines/lines.js'
import { createRecordMasker } from '../ingest/lines/mask-records.js'
import { createModule, type Module } from '../ingest/wasm/module.js'
import { readExistingKey } from '../masking/key-file.js'
import { createMasker, type Masker } from '../masking/lines/masker.js'
import { readMaskFile } from '../masking/parse.js'
import { LINE_INTS } from '../wasm-layout/field-table.js'
import { BLANK, OK } from '../wasm-layout/outcomes.js'
import type { MaskConfig } from './mask-config.js'

/** Lines of the table of the module. */
const SCANNED_LINES = 512
const KEY_BYTES = 32

/** Where the lines come from, and the receivers of the output. */
export interface MaskedOutput {
  input: AsyncIterable<Uint8Array>
  /** Receives lines that are masked, before and after. */
  print(text: string): Promise<void>
  /** Receives the numbers at the end, a line. */
  printSummary(text: string): void
}

/**
 * Prints each line of the input that rules would mask, before and after, and how many values each rule masks. Throws
 * `usage` if a rule cannot be used, and `failed` if a file cannot be read.
 */
export async function showMasked(
  { file, keyFile, sources, source, fieldNames }: MaskConfig,
  { input, print, printSummary }: MaskedOutput,
): Promise<void> {
  acceptSources(sources)
  const rules = readMaskFile(file)
  const masker = createMasker({ rules, key: keyFile === undefined ? randomBytes(KEY_BYTES) : readExistingKey(keyFile) })
  const module = createModule({
    ...{ capacityBytes: capacityFor(MAX_LINE_BYTES), maxLines: SCANNED_LINES, maxLineBytes: MAX_LINE_BYTES },
    // No line is appended.
    ...{ batchRows: 1, batchBytes: 1, retentionUs: 0 },
    defaults: { source, fieldNames },
  })
  const shown = createSink(module, masker, { source, fieldNames })
  const reader = createLineReader(module, MAX_LINE_BYTES, shown.sink)
  for await (const chunk of input) {
    reader.push(chunk)
    await print(shown.take())
  }
  reader.end()
  await print(shown.take())
  printSummary(shown.summary())
}

/** Collects the text of masked lines, and counts. */
function createSink(module: Module, masker: Masker, defaults: Pick<MaskConfig, 'source' | 'fieldNames'>) {
  const records = createRecordMasker(() => masker, { defaults })
  let text = ''
  let [masked, others, unread] = [0, 0, 0]

  function show(index: number, line: number): void {
    const outcome = module.table[index * LINE_INTS]
    if (outcome === BLANK) return
    const length = records.mask(module, index, MAX_LINE_BYTES)
    if (outcome !== OK) unread++
    else if (length === 0) others++
    else {
      masked++
      text += `line ${line}\n- ${before(index)}\n+ ${after(length)}\n`
    }
  }

  const before = (index: number): string => {
    const [start, end] = [module.table[index * LINE_INTS + 1]!, module.table[index * LINE_INTS + 2]!]
    return Buffer.from(module.bytes.subarray(start, end)).toString().trim()
  }

  function after(length: number): string {
    const { at, memory } = module.replacement
    if (length > MAX_LINE_BYTES) return 'rejected as line_too_long: the masked line is longer than a line may be'
    return memory()
      .toString('utf8', at, at + length)
      .trim()
  }

  const sink: LineSink = {
    lines(from, to, line) {
      for (let index = from; index < to; index++) show(index, line + index - from)
    },
    invalidUtf8: () => void unread++,
    tooLong: () => void unread++,
  }

  return {
    sink,
    take() {
      const taken = text
      text = ''
      return taken
    },
    summary() {
      const rules = [...(masker.takeCounts() ?? [])].map(([rule, values]) => `${rule} ${values}`)
      const of = `${masked + others} records`
      const rejected = unread === 0 ? '' : `; ${unread} lines are no records, and would be rejected`
      return `${masked} of ${of} are masked${rules.length === 0 ? '' : `: ${rules.join(', ')}`}${rejected}`
    },
  }
}
