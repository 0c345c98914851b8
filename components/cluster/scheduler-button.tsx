import { useMutation } from '@tanstack/react-query'
import { CirclePlay, CircleStop } from 'lucide-react'
import { setSchedulerRunning } from '@/components/queries/cluster'
import { policyVariables } from '@/lib/contract/cluster/policy-fields'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { toastOutcome } from '../ui/toaster'

const atStart = ` ${policyVariables.running} sets it again at the next start of gpuq.`

/** Starts the scheduler. Stopping it needs a confirmation, because the jobs of all users wait. */
export function SchedulerButton({
  running,
  setByEnvironment,
}: {
  running: boolean
  setByEnvironment: boolean
}) {
  const { mutateAsync, mutate, isPending } = useMutation(setSchedulerRunning)
  if (!running) {
    return (
      <Button
        icon={CirclePlay}
        variant="primary"
        loading={isPending}
        onClick={() => mutate(true, toastOutcome('Scheduler started'))}
      >
        Start scheduler
      </Button>
    )
  }
  return (
    <ConfirmDialog
      trigger={<Button icon={CircleStop}>Stop scheduler…</Button>}
      title="Stop the scheduler?"
      description={`No job starts until an admin starts it again. Running jobs continue, and users can submit new jobs.${setByEnvironment ? atStart : ''}`}
      confirmLabel="Stop scheduler"
      onConfirm={() => mutateAsync(false)}
    />
  )
}
