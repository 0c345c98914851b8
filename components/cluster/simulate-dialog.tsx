'use client'

import { useMutation } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { initializeNodes } from '@/components/queries/cluster'
import { FormActions } from '../shell/form-actions'
import { numberText } from '../shell/number-text'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { Dialog } from '../ui/dialog'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { toast } from '../ui/toaster'

const schema = z.object({
  node_count: numberText({ min: 0, max: 64, whole: true }),
  gpus_per_node: numberText({ min: 1, max: 16, whole: true }),
})

/** Makes nodes that are only simulated, to try gpuq with. */
export function SimulateDialog() {
  const [open, setOpen] = useState(false)
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      title="Simulated nodes"
      description="To try scheduling without the hardware. They take the place of the simulated nodes there are."
      trigger={
        <Button>
          <FlaskConical aria-hidden />
          Simulated nodes…
        </Button>
      }
    >
      <SimulateForm onMade={() => setOpen(false)} />
    </Dialog>
  )
}

function SimulateForm({ onMade }: { onMade: () => void }) {
  const { mutateAsync } = useMutation(initializeNodes)
  const form = useSchemaForm({
    schema,
    initial: { node_count: '2', gpus_per_node: '8' },
    send: async (wanted) => {
      await mutateAsync(wanted)
      toast.success(
        wanted.node_count === 0 ? 'The simulated nodes are gone' : 'The simulated nodes are there',
      )
      onMade()
    },
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <Callout tone="warning">
        These GPUs do not exist. Jobs on them run in real containers on the machine of a worker, share its
        cores and memory, and find no CUDA.
      </Callout>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Nodes" hint="0 removes them." error={form.errorOf('node_count')}>
          <Input
            inputMode="numeric"
            value={form.values.node_count}
            onChange={(event) => form.set({ node_count: event.target.value })}
          />
        </Field>
        <Field label="GPUs per node" error={form.errorOf('gpus_per_node')}>
          <Input
            inputMode="numeric"
            value={form.values.gpus_per_node}
            onChange={(event) => form.set({ gpus_per_node: event.target.value })}
          />
        </Field>
      </div>
      <FormActions form={form} send="Make them" />
    </form>
  )
}
