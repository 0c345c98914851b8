'use client'

import { useState } from 'react'
import { api } from '@/components/queries/queries'
import type { JoinProject } from '@/lib/join-links/contract'
import { Button } from '../ui/button'
import { toastError } from '../ui/toaster'

interface JoinButtonProps {
  token: string
  handle: string
  /** What the user agrees to by joining. */
  agreement: JoinProject
}

/** Joins the project of a link as the signed-in user. */
export function JoinButton({ token, handle, agreement }: JoinButtonProps) {
  const [working, setWorking] = useState(false)
  const join = async () => {
    setWorking(true)
    try {
      await api.joinLinks.join(token, agreement)
      window.location.assign('/projects')
    } catch (error) {
      toastError('Joining failed', error)
      setWorking(false)
    }
  }
  return (
    <Button variant="primary" size="lg" className="w-full" loading={working} onClick={join}>
      {agreement.agree_to ? 'Agree and join' : 'Join'} as {handle}
    </Button>
  )
}
