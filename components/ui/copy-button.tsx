'use client'

import { Check, Copy, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from './copy-text'
import { IconButton } from './icon-button'

interface CopyButtonProps {
  /** The text, or a function if it is expensive to create. */
  text: string | (() => string)
  /** The action, such as "Copy token". */
  label: string
}

const icons = { ready: Copy, copied: Check, failed: X } as const
const labels = { copied: 'Copied', failed: 'Copying failed' } as const

/** Copies a text and announces the result. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [state, setState] = useState<keyof typeof icons>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), 1600)
    return () => clearTimeout(timer)
  }, [state])

  const copy = async () => {
    try {
      await copyText(typeof text === 'function' ? text() : text)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  const Icon = icons[state]
  const message = state === 'ready' ? '' : labels[state]
  return (
    <>
      <IconButton icon={Icon} label={message || label} onClick={copy} />
      <span role="status" className="sr-only">
        {message}
      </span>
    </>
  )
}
