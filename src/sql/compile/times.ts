import { type Expression, literal } from '../../plan/expression.js'
import { TIME_UNITS, type TimeUnit } from '../../plan/values/times.js'
import { isInteger, isTimeType } from '../../plan/values/values.js'
import { otherZone } from '../parse/call.js'
import { invalid, unsupported } from '../parse/fault.js'
import type { Node, NodeOf } from '../parse/tree.js'
import type { Compiler } from './compiler.js'

const NO_SUM =
  'A time is moved by an interval, as timestamp + interval 1 hour, and subtracted with timestamp_diff(a, b, second).'

/** `x + interval 1 hour` and `x - interval 1 hour`, or undefined if no argument is an interval. */
export function timeWithInterval({ fn, args, at }: NodeOf<'operator'>, compiler: Compiler): Expression | undefined {
  const [first, second] = args as [Node, Node]
  if (second.kind === 'interval') return timeAdd(compiler.compile(first), second, fn === 'sub', at, compiler)
  if (first.kind !== 'interval' || fn === 'sub') {
    if ([first, second].some((arg) => isTimeType(compiler.typeOf(compiler.compile(arg))))) throw unsupported(NO_SUM, at)
    return undefined
  }
  return timeAdd(compiler.compile(second), first, false, at, compiler)
}

/** A time that is an interval later, or earlier. */
export function timeAdd(
  time: Expression,
  { count, unit, at: unitAt }: NodeOf<'interval'>,
  isEarlier: boolean,
  at: number,
  compiler: Compiler,
): Expression {
  const units = compiler.compile(count)
  if (units.kind === 'literal' && units.value !== null && !isInteger(units.value))
    throw invalid('INTERVAL takes a whole number: write interval 36 hour for one and a half days.', count.at)
  const added = isEarlier ? compiler.call('neg', [units], count.at) : units
  return compiler.call('time_add', [time, added, literal(unitNamed(unit, unitAt))], at)
}

/** Reads a unit of time, as `minute` in `timestamp_trunc(x, minute)`, or a parameter with the name of a unit. */
export function unitOf(node: Node | undefined, at: number, compiler: Compiler): Expression {
  if (node === undefined) throw invalid(`A unit of time is missing: one of ${TIME_UNITS.join(', ')}.`, at)
  if (node.kind === 'name' && node.steps.length === 1) return literal(unitNamed(node.steps[0], node.at))
  if (node.kind === 'call' && node.name === 'week') {
    const [day] = node.args
    const name = day?.kind === 'name' ? day.steps[0].toLowerCase() : ''
    if (name === 'sunday' || name === 'monday') return literal(name === 'sunday' ? 'week' : 'isoweek')
    throw unsupported('Weeks start on Sunday (week) or Monday (isoweek).', node.at)
  }
  const given = node.kind === 'parameter' ? compiler.compile(node) : undefined
  if (given?.kind === 'literal' && typeof given.value === 'string') return literal(unitNamed(given.value, node.at))
  throw invalid(`A unit of time is a word without quotes: one of ${TIME_UNITS.join(', ')}.`, node.at)
}

/** Returns the unit of a name. Throws `invalid_sql` for any other name. */
export function unitNamed(name: string, at: number): TimeUnit {
  const unit = name.toLowerCase() as TimeUnit
  if (TIME_UNITS.includes(unit)) return unit
  const singular = unit.replace(/s$/, '') as TimeUnit
  const meant = TIME_UNITS.includes(singular) ? `Write ${singular}.` : `Use one of ${TIME_UNITS.join(', ')}.`
  throw invalid(`${name} is no unit of time. ${meant}`, at)
}

/** Throws `unsupported_sql` unless a time zone argument is UTC or absent. */
export function checkZone(node: Node | undefined): void {
  if (node === undefined) return
  const zone = node.kind === 'literal' && typeof node.value === 'string' ? node.value.toUpperCase() : ''
  if (!['UTC', 'ETC/UTC', '+00', '+00:00'].includes(zone)) throw otherZone(node.at)
}
