/** The form for the parameters of an endpoint. */

import type { Endpoint } from '../api/endpoints.js'
import { element } from '../shared/dom.js'
import { type Field, type FormContext, type FormReading, fieldOf, missingIn, readForm, textOf } from './fields.js'

/** A form on the page. */
export interface ParameterForm {
  readonly root: HTMLFormElement
  readonly fields: readonly Field[]
  /** Shows the values of a link. A text that the user has changed since stays, unless the value in the link changed. */
  show(linked: Readonly<Record<string, string>>, context: FormContext): void
  read(context: FormContext): FormReading
  /** Returns the names of the required fields without a text. */
  missing(): readonly string[]
  /** Shows an error at the named fields, and moves the focus to the first named field if `isFocused`. */
  showProblem(names: readonly string[], message: string, isFocused: boolean): void
  /** Shows whether the endpoint runs. While the endpoint runs, a Cancel button replaces the Run button. */
  setRunning(isRunning: boolean): void
}

/** Callbacks of the form to its view. */
export interface FormActions {
  run(): void
  cancel(): void
  /** Called after each change of a text. */
  edited(): void
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** A field with its elements. */
interface Row {
  readonly field: Field
  readonly root: HTMLElement
  readonly control: Control
  readonly problem: HTMLElement
  /** The text that the form has shown last, which the user may have changed since. */
  shown: string | undefined
}

/** Creates the form of an endpoint, with empty fields. */
export function createForm({ parameters }: Endpoint, { run, cancel, edited }: FormActions): ParameterForm {
  const rows = parameters.map(fieldOf).map(rowOf)
  const fields = rows.map(({ field }) => field)
  const texts = () => Object.fromEntries(rows.map(({ field, control }) => [field.name, control.value]))
  const buttons = {
    run: element('button', { type: 'submit', class: 'first', title: 'Enter' }, 'Run'),
    cancel: element('button', { type: 'button' }, 'Cancel'),
  }
  buttons.cancel.hidden = true
  const actions = element('div', { class: 'api-actions' }, buttons.run, buttons.cancel)
  // The service checks the values, and says more about wrong values than a browser does.
  const root = element('form', { class: 'api-form', novalidate: '', 'aria-label': 'Parameters' })
  root.append(...rows.map((row) => row.root), actions)
  root.addEventListener('submit', (event) => {
    event.preventDefault()
    run()
  })
  root.addEventListener('input', edited)
  root.addEventListener('keydown', (event) => {
    const isCode = event.target instanceof HTMLTextAreaElement
    if (isCode && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
  })
  buttons.cancel.addEventListener('click', cancel)
  return {
    root,
    fields,
    show: (linked, context) => showValues(rows, linked, context),
    read: (context) => readForm(fields, texts(), context),
    missing: () => missingIn(fields, texts()),
    showProblem: (names, message, isFocused) => showProblem(rows, names, message, isFocused),
    setRunning(isRunning) {
      const hadFocus = [buttons.run, buttons.cancel].some((button) => button === document.activeElement)
      buttons.run.hidden = isRunning
      buttons.cancel.hidden = !isRunning
      if (hadFocus) buttons[isRunning ? 'cancel' : 'run'].focus()
    },
  }
}

function showValues(rows: readonly Row[], linked: Readonly<Record<string, string>>, context: FormContext): void {
  for (const row of rows) {
    const text = textOf(row.field, linked[row.field.name], context)
    if (text === row.shown) continue
    row.shown = text
    if (row.control instanceof HTMLSelectElement) addChoice(row.control, text)
    row.control.value = text
  }
}

/** Adds a value of a link that is not among the choices. The service accepts or rejects the value. */
function addChoice(select: HTMLSelectElement, text: string): void {
  if (![...select.options].some(({ value }) => value === text)) select.append(element('option', { value: text }, text))
}

function showProblem(rows: readonly Row[], names: readonly string[], message: string, isFocused: boolean): void {
  for (const { field, control, problem } of rows) {
    const isWrong = names.includes(field.name)
    problem.textContent = isWrong ? message : ''
    control.setAttribute('aria-invalid', String(isWrong))
    if (isFocused && field.name === names[0]) control.focus()
  }
}

function rowOf(field: Field): Row {
  const { name, isRequired, description, kind } = field
  const id = `param-${name}`
  const control = controlOf(field, {
    id,
    name,
    'aria-describedby': `${id}-problem ${id}-help`,
    ...(isRequired && { 'aria-required': 'true' }),
  })
  const mark = isRequired ? [element('span', { class: 'api-required' }, 'required')] : []
  const label = element('label', { for: id }, element('code', {}, name), ...mark)
  const problem = element('p', { id: `${id}-problem`, class: 'error', role: 'alert' })
  const help = kind === 'project' ? 'the project of the page' : description
  const more = element('p', { id: `${id}-help`, class: 'fine' }, help)
  const root = element('div', { class: `api-field ${kind}` }, label, control, problem, more)
  return { field, root, control, problem, shown: undefined }
}

function controlOf({ kind, words, otherwise, isRequired }: Field, attributes: Record<string, string>): Control {
  const plain = { ...attributes, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
  if (kind === 'code') return element('textarea', { ...plain, rows: '2' })
  if (kind !== 'choice') {
    const placeholder = otherwise ?? ''
    const mode: Record<string, string> = kind === 'number' ? { inputmode: 'decimal' } : {}
    const fixed: Record<string, string> = kind === 'project' ? { readonly: '' } : {}
    return element('input', { type: 'text', placeholder, ...plain, ...mode, ...fixed })
  }
  const none = isRequired ? 'Choose …' : otherwise === undefined ? 'not given' : `${otherwise} (the default)`
  const options = words.filter((word) => word !== otherwise).map((word) => element('option', { value: word }, word))
  return element('select', attributes, element('option', { value: '' }, none), ...options)
}
