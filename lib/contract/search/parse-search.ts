import { nearestKey } from '../config/names'
import { toNumber, toSeconds } from './read-amount'
import {
  type AmountKey,
  amountKeys,
  fixedValues,
  isAmountKey,
  isWordKey,
  keyNames,
  maxMetricName,
  maxSearchCharacters,
  maxTerms,
  maxValues,
  metricKey,
  metricPrefix,
  type WordKey,
  wordKeys,
} from './search-keys'
import { fail, Mistake, type SearchProblem, SearchReader } from './search-reader'

export const comparisons = ['<=', '>=', '<', '>', '='] as const
export type Comparison = (typeof comparisons)[number]

/** One of several words: `tag:best,v2`. */
export interface WordTerm {
  key: WordKey
  values: readonly string[]
}

/** A limit: seconds, or a number. */
export interface AmountTerm {
  key: AmountKey
  operator: Comparison
  value: number
}

export interface MetricTerm {
  key: 'metric'
  name: string
  operator: Comparison
  value: number
}

/** Words that begin a word of the job's name, competition, tags or note, or the end of its id. */
export interface TextTerm {
  key: 'text'
  text: string
}

/** Jobs that do not meet a condition: `-tag:baseline`. */
export interface NotTerm {
  key: 'not'
  term: WordTerm
}

/** A condition of a search. A job must meet all of them. */
export type SearchTerm = WordTerm | AmountTerm | MetricTerm | TextTerm | NotTerm

export type ParsedSearch = { ok: true; terms: SearchTerm[] } | { ok: false; problem: SearchProblem }

/** Reads the text of a search box. The time that it takes is linear in the length of the text. */
export function parseSearch(text: string): ParsedSearch {
  try {
    if (text.length > maxSearchCharacters)
      fail(maxSearchCharacters, `a search has at most ${maxSearchCharacters} characters. Make it shorter.`)
    const nul = text.indexOf('\0')
    if (nul !== -1) fail(nul, 'a search cannot contain the character NUL. Remove it.')
    return { ok: true, terms: readTerms(text) }
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, problem: error.problem }
    throw error
  }
}

function readTerms(text: string): SearchTerm[] {
  const terms: SearchTerm[] = []
  const reader = new SearchReader(text)
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace()) {
    if (terms.length === maxTerms) fail(reader.at, `a search has at most ${maxTerms} terms. Remove some.`)
    terms.push(readTerm(reader))
  }
  return terms
}

function readTerm(reader: SearchReader): SearchTerm {
  const from = reader.at
  if (reader.text[from] === '"') return toText(reader.quoted(), from)
  const head = reader.until(/[\s:<>="]/)
  const name = readMetricName(reader, head)
  const operator = reader.take(...comparisons, ':')
  if (name !== null) return readMetric(reader, from, name, operator)
  if (operator === undefined) return toText(head + reader.until(/\s/), from)
  if (head.startsWith('-')) return readNot(reader, head.slice(1), operator, from)
  const key = head.toLowerCase()
  if (isWordKey(key)) return readWords(reader, key, operator, from)
  if (isAmountKey(key)) return readAmount(reader, key, operator, from)
  return readUnknown(head, operator, reader.until(/\s/), from)
}

/** Names in quotes may have spaces. Null: not a metric. */
function readMetricName(reader: SearchReader, head: string): string | null {
  if (!head.toLowerCase().startsWith(metricPrefix)) return null
  const name = head.slice(metricPrefix.length)
  return name === '' && reader.text[reader.at] === '"' ? reader.quoted() : name
}

function readNot(reader: SearchReader, name: string, operator: string, from: number): NotTerm | TextTerm {
  const key = name.toLowerCase()
  if (isAmountKey(key) || key.startsWith(metricPrefix))
    return fail(from, 'only keys with words can have a - before them. Write the opposite comparison.')
  if (!isWordKey(key)) return readUnknown(`-${name}`, operator, reader.until(/\s/), from)
  const term = readWords(reader, key, operator, from)
  if (key === 'user' && term.values.includes('*'))
    fail(from, 'no job is left without the jobs of all users. Write the names of users, such as -user:ada.')
  return { key: 'not', term }
}

function toText(text: string, at: number): TextTerm {
  if (!/[\p{L}\p{N}]/u.test(text)) fail(at, 'write a word with letters or digits.')
  return { key: 'text', text }
}

/** Without a known key, a term is text, such as `lr=0.1`, unless it looks like a mistake. */
function readUnknown(name: string, operator: string, value: string, from: number): TextTerm {
  const key = name.replace(/^-/, '')
  const meant = nearestKey(key, keyNames)
  const text = `${name}${operator}${value}`
  const shown = text.slice(0, 40).replaceAll('"', '')
  const known = `there is no key “${key.slice(0, 40)}”.`
  const quote = `To search for this text, write it in quotes: "${shown}".`
  if (meant !== null) return fail(from, `${known} Did you mean “${meant}”? ${quote}`)
  if (/[<>]/.test(operator) && toNumber(value) !== null)
    return fail(from, `${known} To compare a metric, write ${metricPrefix}${shown}. ${quote}`)
  return toText(text, from)
}

function readWords(reader: SearchReader, key: WordKey, operator: string, from: number): WordTerm {
  const { example } = wordKeys[key]
  if (operator !== ':' && operator !== '=')
    fail(from, `${key} has words as values, not amounts. Write ${example}.`)
  const values: string[] = []
  do {
    const at = reader.at
    const value = reader.text[at] === '"' ? reader.quoted() : reader.until(/[\s,"]/)
    if (value.trim() === '') fail(at, `write a value after “${key}:”, such as ${example}.`)
    if (values.length === maxValues) fail(at, `a key has at most ${maxValues} values. Remove some.`)
    values.push(checkValue(key, value, at))
  } while (reader.take(','))
  if (!reader.atEnd() && !/\s/.test(reader.text[reader.at] ?? ''))
    fail(reader.at, 'write a space or a comma here.')
  return { key, values }
}

function checkValue(key: WordKey, value: string, at: number): string {
  const allowed: readonly string[] | undefined =
    key === 'status' || key === 'is' ? fixedValues[key] : undefined
  if (!allowed) {
    if (value.length > maxMetricName) fail(at, `a value has at most ${maxMetricName} characters.`)
    return value
  }
  const known = allowed.find((candidate) => candidate === value.toLowerCase())
  if (known !== undefined) return known
  const meant = nearestKey(value, allowed)
  const hint = meant === null ? `Write one of: ${allowed.join(', ')}.` : `Did you mean “${meant}”?`
  return fail(at, `${key} cannot be “${value.slice(0, 40)}”. ${hint}`)
}

function readAmount(reader: SearchReader, key: AmountKey, operator: string, from: number): AmountTerm {
  const { unit, example } = amountKeys[key]
  const comparison = toComparison(operator)
  if (key === 'age' && comparison === '=') fail(from, `compare the age with < or >. Write ${example}.`)
  const at = reader.at
  const word = reader.until(/\s/)
  const value = unit === 'time' ? toSeconds(word) : toNumber(word)
  if (value === null)
    return fail(
      at,
      unit === 'time'
        ? `“${word.slice(0, 40)}” is not a time. Write a number and s, m, h or d, such as ${example}.`
        : `“${word.slice(0, 40)}” is not a number. Write ${example}.`,
    )
  return { key, operator: comparison, value }
}

function readMetric(
  reader: SearchReader,
  from: number,
  name: string,
  operator: string | undefined,
): MetricTerm {
  const { example } = metricKey
  if (name === '') fail(from, `write the name of a metric after “${metricPrefix}”, such as ${example}.`)
  if (name.length > maxMetricName) fail(from, `the name of a metric has at most ${maxMetricName} characters.`)
  if (operator === undefined)
    return fail(reader.at, `write < or > and a number after the name, such as ${example}.`)
  const at = reader.at
  const word = reader.until(/\s/)
  const value = toNumber(word)
  if (value === null)
    return fail(at, `“${word.slice(0, 40)}” is not a number. Write a finite number, such as ${example}.`)
  return { key: 'metric', name, operator: toComparison(operator), value }
}

function toComparison(operator: string): Comparison {
  return comparisons.find((known) => known === operator) ?? '='
}
