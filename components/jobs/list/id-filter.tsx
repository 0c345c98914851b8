'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { idSchema } from '@/lib/jobs/schemas'
import { Input } from '../../ui/input'

const pauseMs = 300

interface IdFilterProps {
  label: string
  /** What the list is narrowed to; empty for everything. */
  value: string
  onValue: (value: string) => void
}

/** Narrows a list to one id, a moment after the last key. What is typed shows at once, and counts once it can be an id. */
export function IdFilter({ label, value, onValue }: IdFilterProps) {
  const [draft, setDraft] = useState<string | null>(null)
  const text = draft ?? value
  const wrong = text !== '' && !idSchema.safeParse(text).success
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
    <Input
      aria-label={label}
      placeholder={label}
      title={wrong ? 'Letters, digits, dots, dashes and underscores' : undefined}
      aria-invalid={wrong || undefined}
      autoCapitalize="none"
      spellCheck={false}
      value={text}
      onChange={(event) => setDraft(event.target.value.trim())}
      className="w-36 max-sm:w-full"
    />
  )
}
