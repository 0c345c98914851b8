'use client'

import { useMutation } from '@tanstack/react-query'
import { updatePolicy } from '@/components/queries/cluster'
import { type Policy, policySchema, schedulingPolicies } from '@/lib/contract/cluster'
import { FormFailure } from '../../shell/form-actions'
import { useSchemaForm } from '../../shell/use-schema-form'
import { Button } from '../../ui/button'
import { Checkbox } from '../../ui/checkbox'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { Panel, PanelBody, PanelFooter, PanelHeader } from '../../ui/panel'
import { Select } from '../../ui/select'
import { toast } from '../../ui/toaster'
import { policyNames } from './policy-names'
import { type PolicyValues, policyForm, toPolicyValues } from './policy-values'

const policyNotes = {
  priority: 'A higher number goes first, then whoever came first',
  fcfs: 'Whoever came first goes first, whatever their priority',
  sjf: 'The shortest expected time goes first',
  fair_share: 'Projects by their weights, then users within a project',
} as const satisfies Record<Policy['scheduling_policy'], string>

const policies = schedulingPolicies.map((value) => ({
  value,
  label: policyNames[value],
  description: policyNotes[value],
}))

/** The schema's own words about a field, as a sentence. */
function helpOf(name: keyof Policy): string {
  const { description = '' } = policySchema.shape[name]
  return description === '' ? '' : `${description.charAt(0).toUpperCase()}${description.slice(1)}.`
}

/** How jobs are put in order, and what is done about failures. */
export function PolicyForm({ policy }: { policy: Policy }) {
  const { mutateAsync } = useMutation(updatePolicy)
  const form = useSchemaForm({
    schema: policyForm,
    initial: toPolicyValues(policy),
    send: async (wanted) => {
      await mutateAsync(wanted)
      toast.success('The policy was saved')
    },
  })
  return (
    <Panel>
      <PanelHeader
        title="Policy"
        description="Holds from the next time the scheduler looks, a moment from now."
      />
      <form onSubmit={form.submit} noValidate>
        <PanelBody className="flex flex-col gap-6">
          <PolicyFields values={form.values} errorOf={form.errorOf} set={form.set} />
          <FormFailure failure={form.failure} />
        </PanelBody>
        <PanelFooter>
          <Button type="submit" variant="primary" loading={form.working}>
            Save the policy
          </Button>
        </PanelFooter>
      </form>
    </Panel>
  )
}

interface PolicyFieldsProps {
  values: PolicyValues
  errorOf: (name: keyof PolicyValues) => string | undefined
  set: (change: Partial<PolicyValues>) => void
}

function PolicyFields(props: PolicyFieldsProps) {
  const { values, errorOf, set } = props
  const number = (name: NumberName, label: string) => <NumberField {...props} name={name} label={label} />
  return (
    <>
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <Field
          label="Order"
          hint={policyNotes[values.scheduling_policy]}
          error={errorOf('scheduling_policy')}
        >
          <Select
            options={policies}
            value={values.scheduling_policy}
            onValueChange={(scheduling_policy) => set({ scheduling_policy })}
          />
        </Field>
        {number('ageing_minutes', 'Ageing, in minutes')}
        {number('half_life_hours', 'Half-life of use, in hours')}
        {number('max_concurrent_jobs', 'Jobs at once')}
        {number('max_queue_size', 'Size of the queue')}
        {number('quarantine_after', 'Failures before quarantine')}
        {number('memory_threshold', 'Memory in use outside')}
        {number('load_threshold', 'Load from outside')}
      </div>
      <div className="flex flex-col gap-3">
        <Checkbox
          label="Backfill"
          description={helpOf('backfill')}
          checked={values.backfill}
          onCheckedChange={(on) => set({ backfill: on === true })}
        />
        <Checkbox
          label="Retry by itself"
          description={helpOf('enable_auto_retry')}
          checked={values.enable_auto_retry}
          onCheckedChange={(on) => set({ enable_auto_retry: on === true })}
        />
      </div>
    </>
  )
}

type NumberName = Exclude<keyof PolicyValues, 'scheduling_policy' | 'backfill' | 'enable_auto_retry'>

interface NumberFieldProps extends PolicyFieldsProps {
  name: NumberName
  label: string
}

function NumberField({ values, errorOf, set, name, label }: NumberFieldProps) {
  const open = name === 'max_concurrent_jobs'
  return (
    <Field
      label={label}
      optional={open}
      hint={open ? 'Jobs that may run at once. Empty: as many as fit.' : helpOf(name)}
      error={errorOf(name)}
    >
      <Input
        inputMode="decimal"
        autoComplete="off"
        {...(open ? { placeholder: 'as many as fit' } : {})}
        value={values[name]}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </Field>
  )
}
