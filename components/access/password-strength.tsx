'use client'

import { useEffect, useState } from 'react'
import type { PasswordStrength } from '@/lib/contract/access/password-strength'
import { cn } from '../ui/class-names'

/** After this pause in typing, the password is rated. */
const pauseMs = 200

/** Rates a password while it is typed; null while it is empty or not rated yet. */
function usePasswordStrength(password: string, about: readonly (string | null)[]): PasswordStrength | null {
  const [rated, setRated] = useState<{ password: string; strength: PasswordStrength } | null>(null)
  const known = about.join('\n')
  useEffect(() => {
    if (password === '') return
    let current = true
    const timer = setTimeout(async () => {
      // The dictionary is large, and pages without a password field must not load it.
      const { ratePassword } = await import('@/lib/contract/access/password-strength')
      if (current) setRated({ password, strength: ratePassword(password, known.split('\n')) })
    }, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [password, known])
  return password === '' ? null : (rated?.strength ?? null)
}

const levels = [
  { label: 'very weak', colour: 'bg-danger-ink' },
  { label: 'very weak', colour: 'bg-danger-ink' },
  { label: 'weak', colour: 'bg-warning-ink' },
  { label: 'strong', colour: 'bg-success-ink' },
  { label: 'very strong', colour: 'bg-success-ink' },
] as const

interface PasswordHintProps {
  password: string
  /** What others know of the user, such as the user id and the name. */
  about: readonly (string | null)[]
}

/** The hint of a field for a new password: its rules, then its strength and what improves it. */
export function PasswordHint({ password, about }: PasswordHintProps) {
  const strength = usePasswordStrength(password, about)
  if (!strength) return 'At least 10 characters. Several words are easy to remember and hard to guess.'
  const { score, advice } = strength
  const level = levels[score] ?? levels[0]
  return (
    <span className="flex flex-col gap-1">
      <span aria-hidden className="mt-1 flex gap-1">
        {[1, 2, 3, 4].map((step) => (
          <span
            key={step}
            className={cn(
              'h-1 flex-1 rounded-full',
              step <= Math.max(score, 1) ? level.colour : 'bg-pressed',
            )}
          />
        ))}
      </span>
      <span>
        Strength: {level.label}. {advice.join(' ')}
      </span>
    </span>
  )
}
