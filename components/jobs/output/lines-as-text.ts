import { plainText } from './ansi/ansi-parse'
import { type LineFilter, partsOf } from './line'
import type { LineRange } from './line-hash'
import type { OutputStore } from './output-store'

/** The shown lines as plain text for the clipboard, with rank labels. Without a range: all lines. */
export function linesAsText(store: OutputStore, filter: LineFilter, range?: LineRange): string {
  const from = store.lines.rowOf(filter, range?.from ?? store.lines.first)
  const to = range ? store.lines.rowOf(filter, range.to + 1) : store.lines.count(filter)
  const all = partsOf(filter).rank === null
  const texts: string[] = []
  for (let row = from; row < to; row++) {
    const line = store.lines.read(store.lines.numberAt(filter, row))
    const label = line && line.rank !== null && all ? `[rank ${line.rank}] ` : ''
    texts.push(label + plainText(line?.text ?? ''))
  }
  return texts.map((text) => `${text}\n`).join('')
}
