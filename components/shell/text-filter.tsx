import { useEffect, useEffectEvent, useId, useState } from 'react'
import { Input } from '../ui/input'

const debounceMs = 300

interface TextFilterProps {
  label: string
  /** The current filter; empty: none. */
  value: string
  /** Whether a text is a valid filter. An invalid one is marked and not applied. */
  accepts: (text: string) => boolean
  onValue: (value: string) => void
  suggestions?: readonly string[]
}

/** Filters a list by a text, shortly after the last key press. */
export function TextFilter({ label, value, accepts, onValue, suggestions = [] }: TextFilterProps) {
  const listId = useId()
  const [pending, setPending] = useState<string | null>(null)
  const text = pending ?? value
  const invalid = text !== '' && !accepts(text)
  const apply = useEffectEvent(() => {
    if (pending === null || invalid) return
    if (pending !== value) onValue(pending)
    setPending(null)
  })
  useEffect(() => {
    if (pending === null) return
    const timer = setTimeout(() => apply(), debounceMs)
    return () => clearTimeout(timer)
  }, [pending])
  return (
    <div className="w-40 max-sm:min-w-32 max-sm:flex-1">
      <Input
        aria-label={label}
        placeholder={label}
        aria-invalid={invalid || undefined}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        list={suggestions.length > 0 ? listId : undefined}
        value={text}
        onChange={(event) => setPending(event.target.value.trim())}
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
