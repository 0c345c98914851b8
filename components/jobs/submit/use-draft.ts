import { useDeferredValue, useEffect, useState } from 'react'
import { blankDraft, type Draft, forgetDraft, loadDraft, saveDraft } from './draft'

/** The draft: `start` if the page was opened with files, or the saved draft. */
export function useDraft(start: Draft | null) {
  const [draft, setDraft] = useState<Draft>(start ?? blankDraft)
  useEffect(() => {
    const saved = start ? null : loadDraft()
    if (saved) setDraft(saved)
  }, [start])

  // Deferred, so that saving a long program does not slow down typing.
  const settled = useDeferredValue(draft)
  useEffect(() => {
    if (settled !== blankDraft) saveDraft(settled)
  }, [settled])
  return {
    draft,
    change: (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change })),
    /** Clears both editors. */
    startOver: () => {
      forgetDraft()
      setDraft(blankDraft)
    },
  }
}
