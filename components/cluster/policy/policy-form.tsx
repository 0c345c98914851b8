import { useMutation } from '@tanstack/react-query'
import { updatePolicy } from '@/components/queries/cluster'
import type { ShownPolicy } from '@/lib/contract/cluster/policy'
import { policyMeanings, policyVariables, schedulingPolicies } from '@/lib/contract/cluster/policy-fields'
import { PanelForm } from '../../shell/form'
import { asSentence } from '../../shell/use-form'
import { type FormFields, useSchemaForm } from '../../shell/use-schema-form'
import { Callout } from '../../ui/callout'
import { CheckboxField } from '../../ui/checkbox'
import { SelectField } from '../../ui/select'
import { NumberField } from '../../ui/text-field'
import { toast } from '../../ui/toaster'
import { policyOrders } from './policy-orders'
import type { PolicyValues } from './policy-schemas'
import { existingProjectsField, idleGpuField, toPolicyValues } from './policy-values'

const orders = schedulingPolicies.map((value) => ({ value, ...policyOrders[value] }))

/** The meaning of a field, as a sentence. */
function helpOf(name: keyof typeof policyMeanings): string {
  return `${asSentence(policyMeanings[name])}.`
}

/** The order of the queue and the handling of failures. */
export function PolicyForm({ policy: { set_by_environment, ...policy } }: { policy: ShownPolicy }) {
  const { mutateAsync } = useMutation(updatePolicy)
  const form = useSchemaForm({
    schema: () => import('./policy-schemas').then((schemas) => schemas.policyFormSchema),
    initial: toPolicyValues(policy),
    onSubmit: async (changed) => {
      await mutateAsync(changed)
      toast.success('Policy saved')
    },
  })
  return (
    <PanelForm
      title="Policy"
      description="A saved policy applies within seconds."
      form={form}
      submitLabel="Save policy"
      className="gap-6"
    >
      <VariablesNote fields={set_by_environment} />
      <PolicyFields form={form} />
    </PanelForm>
  )
}

const settings = {
  running: 'whether the scheduler runs',
  scheduling_policy: 'the order',
  max_queue_size: 'the queue size',
} as const

/** Says which values a restart of gpuq will replace. */
function VariablesNote({ fields }: { fields: ShownPolicy['set_by_environment'] }) {
  if (fields.length === 0) return null
  const list = fields.map((field) => `${settings[field]} (${policyVariables[field]})`)
  return (
    <Callout tone="info">
      {`Environment variables of gpuq set ${new Intl.ListFormat('en').format(list)}. What you change here is replaced at the next start of gpuq. To keep a change, remove its variable.`}
    </Callout>
  )
}

const numberFields = [
  { name: 'ageing_minutes', label: 'Ageing (minutes)' },
  { name: 'half_life_hours', label: 'Half-life of past use (hours)' },
  {
    name: 'max_concurrent_jobs',
    label: 'Concurrent jobs',
    hint: 'Jobs that may run at once. Empty: no limit.',
    optional: true,
    placeholder: 'no limit',
  },
  { name: 'max_queue_size', label: 'Queue size' },
  { name: 'quarantine_after', label: 'Failures before quarantine' },
  { name: 'idle_gpu_minutes', ...idleGpuField },
  { name: 'memory_threshold', label: 'External memory use' },
  { name: 'load_threshold', label: 'External load' },
] as const

function PolicyFields({ form }: { form: FormFields<PolicyValues> }) {
  const order = form.field('scheduling_policy')
  return (
    <>
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <SelectField label="Order" hint={policyOrders[order.value].description} options={orders} {...order} />
        {numberFields.map(({ name, ...field }) => (
          <NumberField key={name} hint={helpOf(name)} {...field} {...form.field(name)} />
        ))}
      </div>
      <div className="flex flex-col gap-3">
        <CheckboxField label="Backfill" description={helpOf('backfill')} {...form.field('backfill')} />
        <CheckboxField
          label="Predicted run times"
          description={helpOf('predict_run_times')}
          {...form.field('predict_run_times')}
        />
        <CheckboxField
          label="Automatic retry"
          description={helpOf('enable_auto_retry')}
          {...form.field('enable_auto_retry')}
        />
        <CheckboxField
          label="Self-test of quarantined nodes"
          description={helpOf('probe_quarantined')}
          {...form.field('probe_quarantined')}
        />
        <CheckboxField {...existingProjectsField} {...form.field('require_existing_projects')} />
      </div>
    </>
  )
}
