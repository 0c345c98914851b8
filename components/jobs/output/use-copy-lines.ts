'use client'

import type { ClipboardEvent } from 'react'
import { copyText } from '@/components/ui/copy-text'
import { toast } from '@/components/ui/toaster'
import type { LineFilter } from './line'
import type { LineRange } from './line-hash'
import { linesAsText } from './lines-as-text'
import type { OutputStore } from './output-store'

interface CopyLines {
  copy: (what: 'all' | 'chosen' | 'link') => void
  onCopy: (event: ClipboardEvent) => void
}

/** Copies lines by menu, and by the keyboard's own command. */
export function useCopyLines(store: OutputStore, filter: LineFilter, range: LineRange | null): CopyLines {
  const copy = (what: 'all' | 'chosen' | 'link') => {
    const chosen = what === 'chosen' ? (range ?? undefined) : undefined
    const text = what === 'link' ? window.location.href : linesAsText(store, filter, chosen)
    copyText(text).then(
      () => toast.success(what === 'link' ? 'Link copied' : 'Lines copied'),
      (error: unknown) =>
        toast.error('Could not copy', { description: error instanceof Error ? error.message : '' }),
    )
  }
  const onCopy = (event: ClipboardEvent) => {
    // Text that was selected with the mouse is the browser's; lines that were chosen may be far out of view.
    if (!range || window.getSelection()?.isCollapsed === false) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', linesAsText(store, filter, range))
  }
  return { copy, onCopy }
}
