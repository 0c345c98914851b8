import { useMutation } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { initializeNodes } from '@/components/queries/cluster'
import { DialogForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { Dialog } from '../ui/dialog'
import { NumberField } from '../ui/text-field'
import { toast } from '../ui/toaster'

/** Creates simulated nodes to try gpuq without GPUs. */
export function SimulateDialog() {
  return (
    <Dialog
      title="Simulated nodes"
      description="Try scheduling without the hardware. The new nodes replace the existing simulated nodes."
      trigger={<Button icon={FlaskConical}>Simulated nodes…</Button>}
    >
      {(close) => <SimulateForm onSaved={close} />}
    </Dialog>
  )
}

function SimulateForm({ onSaved }: { onSaved: () => void }) {
  const { mutateAsync } = useMutation(initializeNodes)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.simulateSchema),
    initial: { node_count: '2', gpus_per_node: '8' },
    onSubmit: async (wanted) => {
      await mutateAsync(wanted)
      toast.success(wanted.node_count === 0 ? 'Simulated nodes removed' : 'Simulated nodes created')
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Apply">
      <Callout tone="warning">
        These GPUs do not exist. Their jobs run in real containers on a worker’s machine, share its cores and
        memory, and find no CUDA.
      </Callout>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label="Nodes"
          hint="0 removes all simulated nodes."
          inputMode="numeric"
          {...form.field('node_count')}
        />
        <NumberField label="GPUs per node" inputMode="numeric" {...form.field('gpus_per_node')} />
      </div>
    </DialogForm>
  )
}
