'use client'

import { useMutation } from '@tanstack/react-query'
import { updatePolicy } from '@/components/queries/cluster'
import { type Policy, policySchema, schedulingPolicies } from '@/lib/contract/cluster'
import { FormError } from '../../shell/form-actions'
import { type FormFields, useSchemaForm } from '../../shell/use-schema-form'
import { Button } from '../../ui/button'
import { CheckboxField } from '../../ui/checkbox-field'
import { Panel, PanelBody, PanelFooter, PanelHeader } from '../../ui/panel'
import { SelectField } from '../../ui/select-field'
import { TextField } from '../../ui/text-field'
import { toast } from '../../ui/toaster'
import { policyNames } from './policy-names'
import { type PolicyValues, policyForm, toPolicyValues } from './policy-values'

const policyDescriptions = {
  priority: 'The highest priority starts first, then the oldest job',
  fcfs: 'The oldest job starts first; priorities are ignored',
  sjf: 'The shortest expected time starts first',
  fair_share: 'Projects share by weight, then users within a project',
} as const satisfies Record<Policy['scheduling_policy'], string>

const policies = schedulingPolicies.map((value) => ({
  value,
  label: policyNames[value],
  description: policyDescriptions[value],
}))

/** The description of a key in the schema, as a sentence. */
function helpOf(name: keyof Policy): string {
  const { description = '' } = policySchema.shape[name]
  return description === '' ? '' : `${description.charAt(0).toUpperCase()}${description.slice(1)}.`
}

/** The order of the queue and the handling of failures. */
export function PolicyForm({ policy }: { policy: Policy }) {
  const { mutateAsync } = useMutation(updatePolicy)
  const form = useSchemaForm({
    schema: policyForm,
    initial: toPolicyValues(policy),
    onSubmit: async (changed) => {
      await mutateAsync(changed)
      toast.success('Policy saved')
    },
  })
  return (
    <Panel>
      <PanelHeader title="Policy" description="The scheduler uses a saved policy within seconds." />
      <form {...form.props}>
        <PanelBody className="flex flex-col gap-6">
          <PolicyFields form={form} />
          <FormError error={form.error} />
        </PanelBody>
        <PanelFooter>
          <Button type="submit" variant="primary" loading={form.submitting}>
            Save policy
          </Button>
        </PanelFooter>
      </form>
    </Panel>
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
  { name: 'memory_threshold', label: 'External memory use' },
  { name: 'load_threshold', label: 'External load' },
] as const

function PolicyFields({ form }: { form: FormFields<PolicyValues> }) {
  const order = form.field('scheduling_policy')
  return (
    <>
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <SelectField label="Order" hint={policyDescriptions[order.value]} options={policies} {...order} />
        {numberFields.map(({ name, ...field }) => (
          <TextField
            key={name}
            hint={helpOf(name)}
            inputMode="decimal"
            autoComplete="off"
            {...field}
            {...form.field(name)}
          />
        ))}
      </div>
      <div className="flex flex-col gap-3">
        <CheckboxField label="Backfill" description={helpOf('backfill')} {...form.field('backfill')} />
        <CheckboxField
          label="Automatic retry"
          description={helpOf('enable_auto_retry')}
          {...form.field('enable_auto_retry')}
        />
      </div>
    </>
  )
}
