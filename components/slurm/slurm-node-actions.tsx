import { useMutation } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { updateSlurmNode } from '@/components/slurm/queries'
import type { SlurmNodeView } from '@/lib/slurm/contract'
import { DialogForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { TextField } from '../ui/text-field'
import { toast, toastOutcome } from '../ui/toaster'

/** Drains or resumes a node in Slurm. */
export function SlurmNodeActions({ node }: { node: SlurmNodeView }) {
  const { mutate, isPending } = useMutation(updateSlurmNode)
  const accepts = node.state === 'free' || node.state === 'mixed' || node.state === 'full'
  if (accepts) return <DrainNode node={node} />
  return (
    <Button
      icon={Play}
      target={node.name}
      size="sm"
      loading={isPending}
      onClick={() =>
        mutate({ name: node.name, drained: false }, toastOutcome(`Slurm is asked to resume ${node.name}`))
      }
    >
      Resume
    </Button>
  )
}

function DrainNode({ node }: { node: SlurmNodeView }) {
  return (
    <Dialog
      title={`Drain ${node.name}?`}
      description="Slurm starts no new job there, of gpuq or of other programs. Running jobs continue."
      trigger={
        <Button icon={Pause} target={node.name} size="sm">
          Drain
        </Button>
      }
    >
      {(close) => <DrainForm name={node.name} onDone={close} />}
    </Dialog>
  )
}

function DrainForm({ name, onDone }: { name: string; onDone: () => void }) {
  const { mutateAsync } = useMutation(updateSlurmNode)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.drainSchema),
    initial: { reason: '' },
    onSubmit: async ({ reason }) => {
      await mutateAsync({ name, drained: true, reason })
      toast.success(`Slurm is asked to drain ${name}`)
      onDone()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Drain node">
      <TextField
        label="Reason"
        hint="Shown with the node to all users of Slurm."
        placeholder="new fan on Tuesday"
        {...form.field('reason')}
      />
    </DialogForm>
  )
}
