import { describeOddSpace, hasOddEnds } from '../text/odd-spaces'
import { type KeyNames, nearestKey } from './names'
import type { YamlEntry, YamlMapping, YamlScalar, YamlValue } from './tree'

/** A key to change. */
export interface KeyMistake {
  path: string
  offset: number
  message: string
}

/** Says whether an error may repeat a key. */
export type RepeatedNames = Pick<KeyNames, 'mayRepeat'>

/** Names with a meaning for JavaScript objects. They could break a program that reads the config. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Keys that make a config one of a group of jobs. */
const keysOfGroups = new Set(['matrix', 'array', 'members'])
const inGroups =
  'makes a group of jobs: send the same form to POST /api/groups, or use `gpuq submit`, which does it by itself'

const unnamed = 'its name is not repeated here, because it may be a piece of the token'

/** Finds repeated and forbidden keys at every depth, and keys of the config that are not known. */
export function checkKeys(root: YamlMapping, names: RepeatedNames, known: readonly string[]): KeyMistake[] {
  return [
    ...checkEntries(root, '', names),
    ...root.entries
      .filter(({ key }) => !known.includes(key) && !isForbidden(key) && describeOddSpace(key) === null)
      .map((entry) => unknown(entry, names, known)),
  ]
}

function isForbidden(key: string): boolean {
  return forbiddenKeys.has(key) || key === '<<'
}

function checkEntries(value: YamlValue, prefix: string, names: RepeatedNames): KeyMistake[] {
  if (value.kind === 'scalar') return checkSpaces(value, prefix.replace(/\.$/, ''))
  if (value.kind === 'list') {
    return value.items.flatMap((item, index) => checkEntries(item, `${prefix}${index}.`, names))
  }
  const seen = new Set<string>()
  return value.entries.flatMap((entry) => {
    const name = names.mayRepeat(entry.key, entry.offset) ? entry.key : null
    const path = `${prefix}${name ?? ''}`.replace(/\.$/, '') || 'config_file'
    const mistakes: KeyMistake[] = []
    const refuse = (message: string) => mistakes.push({ path, offset: entry.offset, message })
    if (forbiddenKeys.has(entry.key)) refuse(`the key \`${entry.key}\` is not allowed`)
    const oddSpace = describeOddSpace(entry.key)
    if (oddSpace !== null) refuse(oddSpace)
    if (entry.key === '<<') refuse('merge keys (<<) are not allowed: write the keys out')
    if (seen.has(entry.key)) refuse(name ? `the key \`${name}\` appears twice` : 'this key appears twice')
    seen.add(entry.key)
    return [...mistakes, ...checkEntries(entry.value, `${path}.`, names)]
  })
}

/** YAML takes a no-break space at the end of a plain value as a part of the value. */
function checkSpaces({ value, plain, offset }: YamlScalar, path: string): KeyMistake[] {
  const message = plain && typeof value === 'string' && hasOddEnds(value) ? describeOddSpace(value) : null
  return message === null ? [] : [{ path: path || 'config_file', offset, message }]
}

function unknown({ key, offset }: YamlEntry, names: RepeatedNames, known: readonly string[]): KeyMistake {
  if (keysOfGroups.has(key)) return { path: key, offset, message: `\`${key}\` ${inGroups}` }
  const near = nearestKey(key, known)
  const hint = near === null ? `the keys are ${known.join(', ')}` : `did you mean \`${near}\`?`
  if (!names.mayRepeat(key, offset))
    return { path: 'config_file', offset, message: `unknown key (${unnamed})` }
  return { path: key, offset, message: `unknown key \`${key}\`: ${hint}` }
}
