'use client'

import { Check, Copy, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button'
import { copyText } from './copy-text'
import { IconButton } from './icon-button'

interface CopyButtonProps {
  /** What to copy; a function where it costs something to make. */
  text: string | (() => string)
  /** What is copied, as in "Copy the token". */
  label: string
  /** Shows these words beside the icon. */
  children?: string
  className?: string
}

const icons = { ready: Copy, copied: Check, failed: X } as const
const labels = { copied: 'Copied', failed: 'Could not copy' } as const

/** Copies a text, and says that it did. */
export function CopyButton({ text, label, children, className }: CopyButtonProps) {
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
  const news = state === 'ready' ? '' : labels[state]
  return (
    <>
      {children ? (
        <Button size="sm" onClick={copy} aria-label={label} {...(className ? { className } : {})}>
          <Icon aria-hidden />
          {children}
        </Button>
      ) : (
        <IconButton icon={Icon} label={news || label} onClick={copy} {...(className ? { className } : {})} />
      )}
      <span role="status" className="sr-only">
        {news}
      </span>
    </>
  )
}
