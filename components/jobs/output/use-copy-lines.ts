'use client'

import type { ClipboardEvent } from 'react'
import { copyText } from '@/components/ui/copy-text'
import { toast } from '@/components/ui/toaster'
import type { LineFilter } from './line'
import type { LineRange } from './line-hash'
import { linesAsText } from './lines-as-text'
import type { OutputStore } from './output-store'

interface CopyLines {
  copy: (what: 'all' | 'selected' | 'link') => void
  onCopy: (event: ClipboardEvent) => void
}

/** Copies lines from the menu and with the keyboard. */
export function useCopyLines(store: OutputStore, filter: LineFilter, range: LineRange | null): CopyLines {
  const copy = (what: 'all' | 'selected' | 'link') => {
    const selected = what === 'selected' ? (range ?? undefined) : undefined
    const text = what === 'link' ? window.location.href : linesAsText(store, filter, selected)
    copyText(text).then(
      () => toast.success(what === 'link' ? 'Link copied' : 'Lines copied'),
      (error: unknown) =>
        toast.error('Copying failed', { description: error instanceof Error ? error.message : '' }),
    )
  }
  const onCopy = (event: ClipboardEvent) => {
    // The browser copies text selected with the mouse. Selected lines may be out of view.
    if (!range || window.getSelection()?.isCollapsed === false) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', linesAsText(store, filter, range))
  }
  return { copy, onCopy }
}
