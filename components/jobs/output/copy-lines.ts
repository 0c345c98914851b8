import type { ClipboardEvent } from 'react'
import { copyWithToast } from '@/components/ui/copy-text'
import { plainText } from './ansi/ansi-parse'
import { type LineFilter, partsOf } from './line'
import type { LineRange } from './line-hash'
import type { OutputStore } from './output-store'

/** Copies lines from the menu (`copy`) and with the keyboard (`onCopy`). */
export function makeCopyHandlers(store: OutputStore, filter: LineFilter, range: LineRange | null) {
  const copy = (what: 'all' | 'selected' | 'link') => {
    const selected = what === 'selected' ? (range ?? undefined) : undefined
    if (what === 'link') copyWithToast(window.location.href, 'Link')
    else copyWithToast(linesAsText(store, filter, selected), 'Lines')
  }
  const onCopy = (event: ClipboardEvent) => {
    // The browser copies text selected with the mouse. Selected lines may be out of view.
    if (!range || window.getSelection()?.isCollapsed === false) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', linesAsText(store, filter, range))
  }
  return { copy, onCopy }
}

/** The shown lines as plain text for the clipboard, with rank labels. Without a range: all lines. */
export function linesAsText({ lines }: OutputStore, filter: LineFilter, range?: LineRange): string {
  const from = lines.rowOf(filter, range?.from ?? lines.first)
  const to = range ? lines.rowOf(filter, range.to + 1) : lines.count(filter)
  const all = partsOf(filter).rank === null
  let text = ''
  for (let row = from; row < to; row++) {
    const line = lines.read(lines.numberAt(filter, row))
    const label = line && line.rank !== null && all ? `[rank ${line.rank}] ` : ''
    text += `${label}${plainText(line?.text ?? '')}\n`
  }
  return text
}
