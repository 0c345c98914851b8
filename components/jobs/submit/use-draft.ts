'use client'

import { useDeferredValue, useEffect, useState } from 'react'
import { blankDraft, type Draft, forgetDraft, loadDraft, saveDraft } from './draft'

interface DraftState {
  draft: Draft
  change: (change: Partial<Draft>) => void
  /** Begins with empty editors. */
  startOver: () => void
}

/** What is being written: `start` where the page was opened with something, else what was left here the last time. */
export function useDraft(start: Draft | null): DraftState {
  const [draft, setDraft] = useState<Draft>(start ?? blankDraft)
  useEffect(() => {
    const kept = start ? null : loadDraft()
    if (kept) setDraft(kept)
  }, [start])

  // Deferred, so that keeping a long program does not hold up the typing of it.
  const settled = useDeferredValue(draft)
  useEffect(() => {
    if (settled !== blankDraft) saveDraft(settled)
  }, [settled])
  return {
    draft,
    change: (change) => setDraft((before) => ({ ...before, ...change })),
    startOver: () => {
      forgetDraft()
      setDraft(blankDraft)
    },
  }
}
