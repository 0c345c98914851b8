import { isGuide } from './catalog'
import type { Document } from './documents'
import { toPlainText } from './split-document'
import { toStem } from './stem'
import { synonymsOf } from './synonyms'

/** A heading with the text below it, up to the next heading. */
export interface Passage {
  href: string
  /** The document, then the headings above the text, outermost first. */
  path: readonly string[]
  text: string
  title: readonly string[]
  /** The words of the headings above its own. */
  above: readonly string[]
  /** How much its matches count; the text of a guide has 1. */
  weight: number
  /** How often each word is in the text. */
  words: ReadonlyMap<string, number>
  length: number
}

export interface Hit {
  href: string
  path: readonly string[]
  /** The text around the first found word. */
  excerpt: string
}

/** More words than a search needs. They bound what a request can cost. */
const maxWords = 8
const maxHits = 30
const excerptLength = 200

/** How much a word with the same meaning counts. */
const synonymShare = 0.5
/** A question is more often about how to use gpuq than about how it was measured. */
const backgroundWeight = 0.6
/** How much of a query a passage must have, by the weight of its words. */
const leastPresent = 0.5
/** Words of questions that say nothing about a passage. */
const commonWords = new Set(
  (
    'a about after am an and are at be by can could did do does for from get has have how i if in into is it its many may me much my of on or our ' +
    'should so that the their them then there this to was what when where which who why will with would you your ' +
    'again all already always any being just let make need now one only really same someone something still too want while without'
  ).split(' '),
)

const toWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

/** The index of a search: every heading of every document. */
export function indexDocuments(documents: readonly Document[]): readonly Passage[] {
  return documents.flatMap((document) =>
    document.pages.flatMap((page) =>
      page.sections.flatMap(({ heading, headings, markdown }) => {
        const [intro = '', ...rest] = markdown.split(/^#{3,4} +.+$/m)
        const above = heading ? [heading] : []
        const below = headings.filter((other) => other !== heading)
        const opens = heading === null || page.href.endsWith(`/${heading.id}`)
        const weight = isGuide(document.entry) ? 1 : backgroundWeight
        const path = [document.title, ...above.map(({ text }) => text)]
        const first = toPassage(
          opens ? page.href : `${page.href}#${heading.id}`,
          path,
          toPlainText(intro),
          weight,
        )
        const others = below.map(({ id, text }, place) =>
          toPassage(`${page.href}#${id}`, [...path, text], toPlainText(rest[place] ?? ''), weight),
        )
        return [first, ...others].filter(({ path, text }) => path.length > 1 || text !== '')
      }),
    ),
  )
}

/** @param path the headings above the text, outermost first, with its own */
export function toPassage(href: string, path: readonly string[], text: string, weight = 1): Passage {
  const [title = [], ...above] = path.map(toWords).reverse()
  return { href, path, text, weight, title, above: above.flat(), ...countWords(toWords(text)) }
}

function countWords(words: readonly string[]): Pick<Passage, 'words' | 'length'> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { words: counts, length: words.length }
}

/**
 * Finds the passages that contain the words of a query, or words that start with them. A question may have a word that its answer does not
 * have. The best come first.
 */
export function searchPassages(passages: readonly Passage[], query: string): Hit[] {
  const wanted = toWanted(query)
  if (wanted.length === 0) return []
  const meant = wanted.map((word) => ({ word, others: synonymsOf(word) }))
  const found = passages.map((passage) => ({ passage, rates: meant.map((one) => rateMeaning(passage, one)) }))
  const counts = wanted.map((_, place) => found.filter(({ rates }) => (rates[place] ?? 0) > 0).length)
  // A word in few passages says more about what is meant. A word in none says nothing.
  const weights = counts.map((count) => (count === 0 ? 0 : Math.log(1 + passages.length / count)))
  return found
    .map(({ passage, rates }) => ({ passage, score: total(passage, rates, weights) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxHits)
    .map(({ passage: { href, path, text } }) => ({ href, path, excerpt: excerptOf(text, wanted) }))
}

/** The words of a query as their common beginnings, without those that say nothing about a passage. */
function toWanted(query: string): string[] {
  const words = toWords(query)
  const telling = words.filter((word) => !commonWords.has(word))
  return [...new Set((telling.length === 0 ? words : telling).map(toStem))].slice(0, maxWords)
}

/** How much a passage is about a word or, less, about another word with its meaning. */
function rateMeaning(
  passage: Passage,
  { word, others }: { word: string; others: readonly string[] },
): number {
  return Math.max(rate(passage, word), ...others.map((other) => synonymShare * rate(passage, other)))
}

/** How much a passage is about a word. A heading says it best. */
function rate({ title, above, words }: Passage, word: string): number {
  const starts = (other: string) => other.startsWith(word)
  const inTitle = title.some((other) => toStem(other) === word) ? 20 : title.some(starts) ? 12 : 0
  let inText = 0
  for (const [other, count] of words) if (starts(other)) inText += count
  return inTitle + (above.some(starts) ? 3 : 0) + Math.min(inText, 5)
}

/** 0 if the missing words weigh too much. */
function total(
  { title, length, weight }: Passage,
  rates: readonly number[],
  weights: readonly number[],
): number {
  const sum = (value: (rate: number, weight: number) => number) =>
    rates.reduce((total, rate, place) => total + value(rate, weights[place] ?? 0), 0)
  const all = sum((_, weight) => weight)
  const present = sum((rate, weight) => (rate > 0 ? weight : 0))
  if (present === 0 || present < all * leastPresent) return 0
  const inTitle = rates.filter((rate) => rate >= 12).length
  const share = inTitle / Math.max(1, title.filter((word) => !commonWords.has(word)).length)
  const score = (sum((rate, weight) => rate * weight) / all + 10 * share) * (present / all) ** 2
  // A short passage is more about its words than a long one.
  return (weight * score) / (1 + Math.log10(1 + length / 100))
}

function excerptOf(text: string, wanted: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = wanted.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const first = Math.max(0, Math.min(...places, text.length) - 60)
  const start = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1
  const end = start + excerptLength
  const cut = end < text.length ? text.slice(start, text.lastIndexOf(' ', end)) : text.slice(start)
  return `${start > 0 ? '… ' : ''}${cut}${end < text.length ? ' …' : ''}`
}
