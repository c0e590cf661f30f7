import type { SourceName } from '../../../common/sources.js'
import type { DeletingEngine } from '../../deletion.js'
import type { Hiding } from '../hiding/hiding.js'
import type { Store } from '../tables/store.js'
import type { ProjectIndexes } from '../usage/project-indexes.js'
import { erase } from './erase.js'
import type { Turns } from './turns.js'

/** Returns the deletion of rows of a store. */
export function createDeleting(store: Store, hiding: Hiding, indexes: ProjectIndexes, { run }: Turns): DeletingEngine {
  return {
    async closeHeads(sources, project) {
      const lastHeads = await Promise.all(sources.map((source) => store.closeHead(source, project)))
      return new Map<SourceName, number>(
        sources.flatMap((source, i) => (lastHeads[i] > 0 ? [[source, lastHeads[i]]] : [])),
      )
    },
    hide(deletion) {
      hiding.hide(deletion)
      for (const source of deletion.sources.keys()) store.noteChange(source)
    },
    erase: (deletion, signal) => erase(deletion, { store, hiding, indexes, turn: run }, signal),
  }
}
