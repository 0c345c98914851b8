/** One character of a pattern: itself, any (`?`), or one of a set (`[a-z]`). */
type Token = string | { negated: boolean; ranges: readonly (readonly [low: string, high: string])[] }
const anyCharacter: Token = { negated: true, ranges: [] }
const star = null

/** The pattern of one name, or any number of names (`**`). */
type Segment = readonly (Token | typeof star)[] | '**'

/** A line of a rules file, as git reads it. */
export interface Pattern {
  negated: boolean
  onlyDirectories: boolean
  /** Names of the path below the directory of the rules file. Not anchored: one, of the last name of the path. */
  segments: readonly Segment[]
  anchored: boolean
}

/** Null if the line is no rule, or is one that matches nothing. */
export function parsePattern(line: string): Pattern | null {
  if (line.startsWith('#')) return null
  const trimmed = line.replace(/(?<!\\) +$/, '')
  const negated = trimmed.startsWith('!')
  const whole = trimmed.slice(negated ? 1 : 0).replaceAll('\\/', '/')
  const onlyDirectories = whole.endsWith('/')
  const path = onlyDirectories ? whole.slice(0, -1) : whole
  const anchored = path.includes('/')
  const texts = path.replace(/^\//, '').split('/')
  const segments = texts.map((text) => (/^\*{2,}$/.test(text) ? '**' : parseSegment(text)))
  if (path === '' || !segments.every((segment) => segment !== undefined)) return null
  // `a/**` is what lies in `a`, and not `a` itself.
  if (anchored && segments.at(-1) === '**') segments.splice(-1, 0, [star])
  return { negated, onlyDirectories, segments, anchored }
}

/** Whether a pattern matches the names of a path. */
export function matchesPattern({ segments, anchored }: Pattern, names: readonly string[]): boolean {
  if (anchored) return matchesSequence(segments, names, (segment) => segment === '**', matchesName)
  const [segment] = segments
  const name = names.at(-1)
  return segment !== undefined && name !== undefined && matchesName(segment, name)
}

/** Whether an anchored pattern may match a path below a directory, given by its names. */
export function mayMatchBelow({ segments, anchored }: Pattern, names: readonly string[]): boolean {
  if (!anchored) return false
  for (const [index, name] of names.entries()) {
    const segment = segments[index]
    if (segment === '**') return true
    if (segment === undefined || !matchesName(segment, name)) return false
  }
  return segments.length > names.length
}

function matchesName(segment: Segment, name: string): boolean {
  if (segment === '**') return true
  return matchesSequence(segment, Array.from(name), (token) => token === star, matchesCharacter)
}

function matchesCharacter(token: Token | typeof star, character: string): boolean {
  if (token === star || typeof token === 'string') return token === character
  return token.ranges.some(([low, high]) => low <= character && character <= high) !== token.negated
}

/**
 * Matches items one by one, where some patterns stand for any number of items. The time is limited by the product of the two
 * lengths, whatever the pattern is.
 */
function matchesSequence<P, I>(
  patterns: readonly P[],
  items: readonly I[],
  isAny: (pattern: P) => boolean,
  matches: (pattern: P, item: I) => boolean,
): boolean {
  let [at, item, lastAny, retry] = [0, 0, -1, 0]
  while (item < items.length) {
    const pattern = patterns[at]
    if (pattern !== undefined && isAny(pattern)) {
      lastAny = at++
      retry = item
    } else if (pattern !== undefined && matches(pattern, items[item] as I)) {
      at++
      item++
    } else if (lastAny !== -1) {
      at = lastAny + 1
      item = ++retry
    } else return false
  }
  return patterns.slice(at).every(isAny)
}

/** Undefined: it matches nothing. */
function parseSegment(text: string): Exclude<Segment, '**'> | undefined {
  const characters = Array.from(text)
  const tokens: (Token | typeof star)[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ''
    if (character === '*') tokens.push(star)
    else if (character === '?') tokens.push(anyCharacter)
    else if (character === '[') {
      const set = parseSet(characters, at + 1)
      if (set === undefined) return undefined
      tokens.push(set.token)
      at = set.end
    } else if (character === '\\') {
      const escaped = characters[++at]
      if (escaped === undefined) return undefined
      tokens.push(escaped)
    } else tokens.push(character)
  }
  return tokens
}

const classes: Readonly<Record<string, readonly string[]>> = {
  alpha: ['AZ', 'az'],
  digit: ['09'],
  alnum: ['09', 'AZ', 'az'],
  upper: ['AZ'],
  lower: ['az'],
  xdigit: ['09', 'AF', 'af'],
  space: ['\t\r', '  '],
  blank: ['\t\t', '  '],
  punct: ['!/', ':@', '[`', '{~'],
  print: [' ~'],
  graph: ['!~'],
  cntrl: ['\0\u001f', '\u007f\u007f'],
}

/** A set of characters such as `[!a-z_]`, from behind its bracket to the closing one. */
function parseSet(characters: readonly string[], start: number): { token: Token; end: number } | undefined {
  const negated = characters[start] === '!' || characters[start] === '^'
  const first = negated ? start + 1 : start
  const ranges: [string, string][] = []
  for (let at = first; at < characters.length; at++) {
    if (characters[at] === ']' && at > first) return { token: { negated, ranges }, end: at }
    const named = /^\[:([a-z]*):\]/.exec(characters.slice(at, at + 12).join(''))
    if (named) {
      const found = classes[named[1] ?? '']
      if (found === undefined) return undefined
      for (const range of found) ranges.push([range.charAt(0), range.charAt(1)])
      at += named[0].length - 1
      continue
    }
    if (characters[at] === '\\') at++
    const low = characters[at]
    if (low === undefined) return undefined
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length && characters[at + 2] !== ']'
    if (!isRange) {
      ranges.push([low, low])
      continue
    }
    at += characters[at + 2] === '\\' ? 3 : 2
    const high = characters[at]
    if (high === undefined) return undefined
    ranges.push([low, high])
  }
  return undefined
}
