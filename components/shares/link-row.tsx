import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../ui/icon-button'
import { toast, toastError } from '../ui/toaster'

interface LinkRowProps {
  title: ReactNode
  details: ReactNode
  /** Name of the button that revokes the link. */
  revokeLabel: string
  onRevoke: () => Promise<unknown>
}

/** A link to a job, with a button that revokes it. */
export function LinkRow({ title, details, revokeLabel, onRevoke }: LinkRowProps) {
  const [isRevoking, setIsRevoking] = useState(false)
  const revoke = async () => {
    setIsRevoking(true)
    try {
      await onRevoke()
      toast.success('Link revoked')
    } catch (error) {
      toastError('Revoking failed', error)
    } finally {
      setIsRevoking(false)
    }
  }
  return (
    <li className="flex items-center justify-between gap-3 border-b py-1.5 text-sm">
      <p className="min-w-0">
        <span className="block break-words">{title}</span>
        <span className="block text-subtle text-xs">{details}</span>
      </p>
      <IconButton icon={Trash2} label={revokeLabel} disabled={isRevoking} onClick={() => void revoke()} />
    </li>
  )
}
