/** The rows that the panels of the charts show, as files. */
import { createExportButton } from '../export/export-button.js'
import type { Panel } from './panel.js'
import type { LinkOf, PanelExport } from './panel-source.js'

/** Adds an export button to the head of a panel. Returns a function that sets the rows to save. */
export function addExport(panel: Panel, linkOf: LinkOf): (shown: PanelExport) => void {
  let shown: PanelExport | undefined
  const load = async () => {
    const { panelSource } = await import('./panel-source.js')
    return panelSource(() => (isShown(panel) ? shown : undefined), linkOf)
  }
  panel.root.querySelector('header')!.append(createExportButton(load))
  return (next) => {
    shown = next
  }
}

/** A panel that is loading shows the rows before. */
const isShown = ({ root }: Panel) => ['shown', 'loading'].includes(root.dataset.state ?? '')
