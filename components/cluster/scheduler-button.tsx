'use client'

import { useMutation } from '@tanstack/react-query'
import { CirclePlay, CircleStop } from 'lucide-react'
import { setSchedulerRunning } from '@/components/queries/cluster'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { toast } from '../ui/toaster'

/** Starts the scheduler, or stops it after a question: everyone's jobs would wait. */
export function SchedulerButton({ running }: { running: boolean }) {
  const { mutateAsync, mutate, isPending } = useMutation(setSchedulerRunning)
  if (!running) {
    return (
      <Button
        variant="primary"
        loading={isPending}
        onClick={() =>
          mutate(true, {
            onSuccess: () => toast.success('The scheduler runs'),
            onError: (error) => toast.error(error.message),
          })
        }
      >
        <CirclePlay aria-hidden />
        Start the scheduler
      </Button>
    )
  }
  return (
    <ConfirmDialog
      trigger={
        <Button>
          <CircleStop aria-hidden />
          Stop the scheduler…
        </Button>
      }
      title="Stop the scheduler?"
      description="Nothing new starts until an admin starts it again. Jobs that run go on, and new ones may be submitted."
      confirmLabel="Stop it"
      onConfirm={() => mutateAsync(false)}
    />
  )
}
