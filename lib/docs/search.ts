import type { Document } from './documents'
import { toPlainText } from './split-document'

/** A heading with the text below it, up to the next heading. */
export interface Passage {
  href: string
  /** The document, then the headings above the text, outermost first. */
  path: readonly string[]
  text: string
  title: readonly string[]
  /** How much its matches count; the text of a guide has 1. */
  weight: number
  words: readonly string[]
}

export interface Hit {
  href: string
  path: readonly string[]
  /** The text around the first found word. */
  excerpt: string
}

/** More words than a search needs. They bound what a request can cost. */
const maxWords = 12
const maxHits = 30
const excerptLength = 200

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
        const path = [document.title, ...above.map(({ text }) => text)]
        const first = toPassage(opens ? page.href : `${page.href}#${heading.id}`, path, toPlainText(intro))
        const others = below.map(({ id, text }, place) =>
          toPassage(`${page.href}#${id}`, [...path, text], toPlainText(rest[place] ?? '')),
        )
        return [first, ...others].filter(({ path, text }) => path.length > 1 || text !== '')
      }),
    ),
  )
}

/** @param path the headings above the text, outermost first, with its own */
export function toPassage(href: string, path: readonly string[], text: string, weight = 1): Passage {
  return { href, path, text, weight, title: toWords(path.at(-1) ?? ''), words: toWords(text) }
}

/** Finds the passages that contain every word of a query or a word that starts with it. The best come first. */
export function searchPassages(passages: readonly Passage[], query: string): Hit[] {
  const wanted = [...new Set(toWords(query))].slice(0, maxWords)
  if (wanted.length === 0) return []
  return passages
    .map((passage) => ({ passage, score: rate(passage, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxHits)
    .map(({ passage: { href, path, text } }) => ({ href, path, excerpt: excerptOf(text, wanted) }))
}

/** 0 if a word is missing. A heading says best what a passage is about. */
function rate({ title, words, path, weight }: Passage, wanted: readonly string[]): number {
  const above = path.slice(0, -1).flatMap(toWords)
  let score = 0
  for (const word of wanted) {
    const starts = (other: string) => other.startsWith(word)
    const inText = words.filter(starts).length
    const inTitle = title.includes(word) ? 20 : title.some(starts) ? 12 : 0
    const found = inTitle + (above.some(starts) ? 3 : 0) + Math.min(inText, 5)
    if (found === 0) return 0
    score += found
  }
  // Of two passages with the same words, the shorter one is more about them.
  return (weight * score) / (1 + Math.log10(1 + words.length / 100))
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
