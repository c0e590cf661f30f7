/** The menu of the time range: presets, and a range between two times. */

import { buttonOf, byId } from '../shared/dom.js'
import { placeBelow } from '../shared/place-below.js'
import { PRESET_NAMES, presetLength, type Range } from '../shared/range.js'
import { rangeLabel } from '../shared/range-label.js'
import { readRange } from '../shared/time-input.js'
import { currentZone, timestamp, zoneName } from '../shared/times.js'

/** The control of the time range. */
export interface RangeControl {
  show(range: Range): void
}

/** Returns the texts of the fields: both empty for a range that ends now. */
export function rangeTexts(range: Range): [from: string, to: string] {
  if ('preset' in range) return ['', '']
  return [timestamp(range.fromUs), range.toUs === undefined ? '' : timestamp(range.toUs)]
}

/** Wires the menu in the header. */
export function createRangeControl(onChoose: (range: Range) => void): RangeControl {
  const [button, menu, form] = [byId('range'), byId('range-menu'), byId<HTMLFormElement>('absolute')]
  const [from, to] = [byId<HTMLInputElement>('from'), byId<HTMLInputElement>('to')]
  let shown = ''
  const presets = PRESET_NAMES.map((preset, i) =>
    buttonOf(presetLength(preset), () => choose({ preset }), { title: `Key ${i + 1}` }),
  )
  byId('presets').replaceChildren(...presets)

  function choose(range: Range): void {
    menu.hidePopover()
    onChoose(range)
  }

  menu.addEventListener('toggle', (event) => {
    if ((event as ToggleEvent).newState !== 'open') return
    placeBelow(menu, button)
    byId('range-zone').textContent = `Times are in ${zoneName()}.`
    from.focus()
    from.select()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const reading = readRange(from.value, to.value, { zone: currentZone(), nowUs: Date.now() * 1_000 })
    byId('range-problem').textContent = 'message' in reading ? reading.message : ''
    for (const field of [from, to])
      field.setAttribute('aria-invalid', String('wrong' in reading && field.id === reading.wrong))
    if ('range' in reading) choose(reading.range)
    else byId(reading.wrong).focus()
  })

  return {
    show(range) {
      button.textContent = rangeLabel(range)
      button.setAttribute('aria-label', `Time range: ${rangeLabel(range)}`)
      for (const [i, made] of presets.entries())
        made.setAttribute('aria-pressed', String('preset' in range && range.preset === PRESET_NAMES[i]))
      byId('range-problem').textContent = ''
      // A text that is being entered stays, unless the range changes.
      const texts = rangeTexts(range)
      if (shown === texts.join()) return
      shown = texts.join()
      ;[from.value, to.value] = texts
    },
  }
}
