import type { Damage } from '../../engine/disk/journal/recover.js'
import { type Finding, fault } from '../findings/finding.js'
import type { Report } from '../findings/report.js'

/** Collects the blocks that the disk cannot read. */
export interface UnreadableBlocks {
  add(block: Damage): void
  /** Reads something, and adds a fault for each stretch of blocks that the disk could not read. */
  during(read: () => Promise<Report>): Promise<Report>
}

/** Creates an empty collection. */
export function collectUnreadable(): UnreadableBlocks {
  const blocks = new Map<string, Damage>()
  return {
    add: (block) => void blocks.set(`${block.path} ${block.offset}`, block),
    async during(read) {
      blocks.clear()
      const report = await read()
      const findings = joined([...blocks.values()]).map(describe)
      return { ...report, findings: [...findings, ...report.findings] }
    },
  }
}

/** Joins adjacent blocks of a file. */
function joined(blocks: readonly Damage[]): Damage[] {
  const stretches: Damage[] = []
  for (const block of blocks.toSorted((a, b) => (a.path === b.path ? a.offset - b.offset : a.path < b.path ? -1 : 1))) {
    const last = stretches.at(-1)
    if (last?.path === block.path && last.offset + last.bytes === block.offset) last.bytes += block.bytes
    else stretches.push({ ...block })
  }
  return stretches
}

function describe({ path, offset, bytes }: Damage): Finding {
  return fault('unreadable', path, `the disk cannot read ${bytes} bytes at offset ${offset} (EIO)`, { offset, bytes })
}
