import { useDeferredValue, useEffect, useState } from 'react'
import { blankDraft, type Draft, forgetDraft, loadDraft, saveDraft } from './draft'

/** The address of the page on which the saved draft was written. It goes with the page, but stays when the page is loaded again. */
const placeKey = 'gpuq.draft-page'

const place = () => window.location.pathname + window.location.search

/** The draft: `start` if the page was opened with files, or the saved draft. A page that is loaded again has what was written in it. */
export function useDraft(start: Draft | null) {
  const [draft, setDraft] = useState<Draft>(start ?? blankDraft)
  const [unanswered, setUnanswered] = useState<{ draft: Draft; key: string } | null>(null)
  useEffect(() => {
    const saved = start === null || readPlace() === place() ? loadDraft() : null
    if (saved === null) return
    const { unansweredKey: key, ...restored } = saved
    setDraft(restored)
    if (key !== undefined) setUnanswered({ draft: restored, key })
  }, [start])
  useEffect(() => () => writePlace(null), [])

  // Deferred, so that saving a long program does not slow down typing.
  const settled = useDeferredValue(draft)
  useEffect(() => {
    if (settled === blankDraft || (settled === start && unanswered === null)) return
    const key = unanswered?.draft === settled ? unanswered.key : undefined
    saveDraft({ ...settled, ...(key !== undefined && { unansweredKey: key }) })
    writePlace(place())
  }, [settled, start, unanswered])
  return {
    draft,
    /** The key of an earlier submission of this draft to which no answer came; null: none. */
    unansweredKey: unanswered?.draft === draft ? unanswered.key : null,
    change: (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change })),
    /** Keeps the key of a submission while no answer to it has come; null: an answer came. */
    keepKey: (of: Draft, key: string | null) => setUnanswered(key === null ? null : { draft: of, key }),
    /** Clears both editors. */
    startOver: () => {
      forgetDraft()
      setDraft(blankDraft)
    },
  }
}

function readPlace(): string | null {
  try {
    return sessionStorage.getItem(placeKey)
  } catch {
    return null
  }
}

function writePlace(address: string | null): void {
  try {
    if (address === null) sessionStorage.removeItem(placeKey)
    else sessionStorage.setItem(placeKey, address)
  } catch {
    // The browser's storage is full or disabled: a draft of another job is kept only on this page.
  }
}
