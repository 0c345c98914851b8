'use client'

import { useEffect, useEffectEvent, useId, useState } from 'react'
import { Input } from '../ui/input'

const pauseMs = 300

interface TextFilterProps {
  label: string
  /** What the list is narrowed to; empty for everything. */
  value: string
  /** Whether a text may be asked for; another one is marked, and does not count. */
  accepts: (text: string) => boolean
  onValue: (value: string) => void
  suggestions?: readonly string[]
}

/** Narrows a list to one word, a moment after the last key. What is typed shows at once. */
export function TextFilter({ label, value, accepts, onValue, suggestions = [] }: TextFilterProps) {
  const listId = useId()
  const [draft, setDraft] = useState<string | null>(null)
  const text = draft ?? value
  const wrong = text !== '' && !accepts(text)
  const apply = useEffectEvent(() => {
    if (draft === null || wrong) return
    if (draft !== value) onValue(draft)
    setDraft(null)
  })
  useEffect(() => {
    if (draft === null) return
    const timer = setTimeout(() => apply(), pauseMs)
    return () => clearTimeout(timer)
  }, [draft])
  return (
    <div className="w-40 max-sm:min-w-32 max-sm:flex-1">
      <Input
        aria-label={label}
        placeholder={label}
        aria-invalid={wrong || undefined}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        list={suggestions.length > 0 ? listId : undefined}
        value={text}
        onChange={(event) => setDraft(event.target.value.trim())}
      />
      {suggestions.length > 0 ? (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      ) : null}
    </div>
  )
}
