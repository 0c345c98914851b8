'use client'

import { useState } from 'react'
import { api } from '@/components/queries/queries'
import { Button } from '../../ui/button'
import { toastError } from '../../ui/toaster'

/** Joins the project of a link as the signed-in user. */
export function JoinButton({ token, handle }: { token: string; handle: string }) {
  const [working, setWorking] = useState(false)
  const join = async () => {
    setWorking(true)
    try {
      await api.joinLinks.join(token)
      window.location.assign('/projects')
    } catch (error) {
      toastError('Joining failed', error)
      setWorking(false)
    }
  }
  return (
    <Button variant="primary" size="lg" className="w-full" loading={working} onClick={join}>
      Join as {handle}
    </Button>
  )
}
