import { plainText } from './ansi-parse'
import type { LineFilter } from './line'
import type { LineRange } from './line-hash'
import type { OutputStore } from './output-store'

/** Lines as they are shown, without colours, for the clipboard. Left out: the range, for all that are kept. */
export function linesAsText(store: OutputStore, filter: LineFilter, range?: LineRange): string {
  const from = store.rowOf(filter, range?.from ?? store.firstLine)
  const to = range ? store.rowOf(filter, range.to + 1) : store.count(filter)
  const texts: string[] = []
  for (let row = from; row < to; row++) {
    texts.push(plainText(store.line(store.lineAt(filter, row))?.text ?? ''))
  }
  return texts.map((text) => `${text}\n`).join('')
}
