import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { parseConfig } from '@/lib/contract/config/config'
import type { FieldError } from '@/lib/contract/errors'
import { readConfigText } from '../editor/config-text'
import { commandOf } from './draft'

/** What the page knows and the config alone does not say. */
export interface ConfigSurroundings {
  /** Who is signed in. */
  handle: string
  /** The environments there are; undefined while nobody knows. */
  environments: readonly string[] | undefined
  /** A program is written beside it. */
  hasProgram?: boolean
}

/** Every mistake in a config that can be known before it is sent, in the order of its lines. */
export function findMistakes(text: string, surroundings: ConfigSurroundings): FieldError[] {
  const parsed = parseConfig(text)
  const ofItsOwn = parsed.ok ? [] : parsed.errors
  const ofSurroundings = findForeign(text, surroundings).filter(
    ({ path }) => !ofItsOwn.some((mistake) => mistake.path === path),
  )
  return [...ofItsOwn, ...withPlaces(text, ofSurroundings)].toSorted(
    (one, other) => (one.line ?? 0) - (other.line ?? 0),
  )
}

/** What would be right elsewhere, or for someone else. */
function findForeign(
  text: string,
  { handle, environments, hasProgram = false }: ConfigSurroundings,
): FieldError[] {
  const read = (key: string) => {
    const reading = readConfigText(text)?.read(key)
    return reading?.kind === 'value' && typeof reading.value === 'string' ? reading.value : null
  }
  const [userId, environment] = [read('user_id'), read('environment')]
  const mistakes: FieldError[] = []
  if (userId !== null && userId.toLowerCase() !== handle.toLowerCase()) {
    mistakes.push({ path: 'user_id', message: `you are signed in as \`${handle}\`: leave user_id out` })
  }
  if (environment !== null && environments && !environments.includes(environment)) {
    mistakes.push({ path: 'environment', message: `there is no such environment: ${choices(environments)}` })
  }
  if (hasProgram && commandOf(text) !== null) {
    const message = 'a job runs one program: leave this key out, or clear solution.py'
    mistakes.push({ path: 'command', message })
  }
  return mistakes
}

function choices(environments: readonly string[]): string {
  return environments.length === 0 ? 'ask an admin to make one' : `choose ${environments.join(' or ')}`
}

/** The same mistakes, each with its place: the server names some only by their key, whose line is looked up here. */
export function withPlaces(text: string, mistakes: readonly FieldError[]): FieldError[] {
  return mistakes.map((mistake) =>
    mistake.line === undefined ? { ...mistake, ...placeOf(text, mistake.path) } : mistake,
  )
}

/** Where a key of the config stands, counted from 1. */
function placeOf(text: string, path: string): { line?: number; column?: number } {
  const lines = new LineCounter()
  const { contents } = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', lineCounter: lines })
  const [key] = path.split('.')
  const pair = isMap(contents)
    ? contents.items.find((item) => isScalar(item.key) && item.key.value === key)
    : undefined
  const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  if (start === undefined) return {}
  const { line, col } = lines.linePos(start)
  return { line, column: col }
}
