import { useMutation } from '@tanstack/react-query'
import { updatePolicy } from '@/components/queries/cluster'
import type { ShownPolicy } from '@/lib/contract/cluster/policy'
import { existingProjectsField, idleGpuField, toPolicyValues } from '../cluster/policy/policy-values'
import { PanelForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Callout } from '../ui/callout'
import { CheckboxField } from '../ui/checkbox'
import { NumberField } from '../ui/text-field'
import { toast } from '../ui/toaster'

/** Policy settings that apply under Slurm. */
export function SlurmPolicyForm({ policy }: { policy: ShownPolicy }) {
  const { mutateAsync } = useMutation(updatePolicy)
  const { max_queue_size, enable_auto_retry, idle_gpu_minutes, require_existing_projects } =
    toPolicyValues(policy)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.slurmPolicySchema),
    initial: { max_queue_size, enable_auto_retry, idle_gpu_minutes, require_existing_projects },
    onSubmit: async (changed) => {
      await mutateAsync(changed)
      toast.success('Policy saved')
    },
  })
  return (
    <PanelForm
      title="Policy"
      description="gpuq submits every accepted job to Slurm at once."
      form={form}
      submitLabel="Save policy"
      className="gap-6"
    >
      <Callout tone="info" title="Slurm decides">
        Order, fair share, backfill, preemption and the limits on running jobs are those of Slurm: set them in
        slurm.conf and with sacctmgr. A job’s priority in gpuq becomes Slurm’s nice value. Weights, quotas and
        budgets of projects have no effect.
      </Callout>
      <NumberField
        label="Queue size"
        hint="Maximum number of waiting jobs, from all interfaces."
        {...form.field('max_queue_size')}
      />
      <NumberField {...idleGpuField} {...form.field('idle_gpu_minutes')} />
      <CheckboxField
        label="Automatic retry"
        description="Jobs are submitted to Slurm again after system faults."
        {...form.field('enable_auto_retry')}
      />
      <CheckboxField {...existingProjectsField} {...form.field('require_existing_projects')} />
    </PanelForm>
  )
}
