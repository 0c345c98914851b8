import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { createSlurmTarget, slurmQuery, updateSlurmTarget } from '@/components/slurm/queries'
import { pools } from '@/lib/contract/config/pools'
import type { SlurmTargetView } from '@/lib/slurm/contract'
import { DialogForm } from '../shell/form'
import { type FormFields, useSchemaForm } from '../shell/use-schema-form'
import { Dialog } from '../ui/dialog'
import { SelectField } from '../ui/select'
import { IdField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import type { NewTargetValues, PlaceValues } from './form-schemas'

const anyPool = 'any' satisfies NewTargetValues['pool']
const poolOptions = [
  { value: anyPool, label: 'All pools' },
  ...pools.map((value) => ({ value, label: value })),
] as const
const nothing = { account: '', partition: '', qos: '', reservation: '' }

/** Adds a row. */
export function NewTargetDialog({ trigger }: { trigger: ReactElement }) {
  return (
    <Dialog
      trigger={trigger}
      title="New row"
      description="Where later jobs go in Slurm. Empty fields: Slurm’s defaults."
    >
      {(close) => <NewTargetForm onSaved={close} />}
    </Dialog>
  )
}

function NewTargetForm({ onSaved }: { onSaved: () => void }) {
  const create = useMutation(createSlurmTarget)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.newTargetSchema),
    initial: { project: '', pool: anyPool as (typeof poolOptions)[number]['value'], ...nothing },
    onSubmit: async (values) => {
      const saved = await create.mutateAsync(values)
      toast.success(`Row of ${describeJobs(saved)} added`)
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Add">
      <IdField
        label="Project"
        optional
        hint="OWNER/PROJECT, as in All projects. Empty: all projects."
        placeholder="ada/thesis"
        {...form.field('project')}
      />
      <SelectField
        label="Pool"
        hint="The pool that a config names."
        options={poolOptions}
        {...form.field('pool')}
      />
      <PlaceFields form={form} />
    </DialogForm>
  )
}

interface EditTargetDialogProps {
  target: SlurmTargetView
  trigger: ReactElement
}

/** Changes where the jobs of a row go. */
export function EditTargetDialog({ target, trigger }: EditTargetDialogProps) {
  return (
    <Dialog
      trigger={trigger}
      title={`Row of ${describeJobs(target)}`}
      description="For later jobs. Jobs that are in Slurm keep their place."
    >
      {(close) => <EditTargetForm target={target} onSaved={close} />}
    </Dialog>
  )
}

function EditTargetForm({ target, onSaved }: { target: SlurmTargetView; onSaved: () => void }) {
  const update = useMutation(updateSlurmTarget)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.placeSchema),
    initial: {
      account: target.account ?? '',
      partition: target.partition ?? '',
      qos: target.qos ?? '',
      reservation: target.reservation ?? '',
    },
    onSubmit: async (values) => {
      await update.mutateAsync({ id: target.id, ...values })
      toast.success(`Row of ${describeJobs(target)} saved`)
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Save">
      <PlaceFields form={form} />
    </DialogForm>
  )
}

function PlaceFields({ form }: { form: FormFields<PlaceValues> }) {
  const { data } = useQuery(slurmQuery())
  const known = data?.partitions.map(({ name }) => name) ?? []
  return (
    <>
      <IdField
        label="Account"
        optional
        hint="Empty: the default account of the Slurm user."
        {...form.field('account')}
      />
      <IdField
        label="Partition"
        optional
        hint={
          known.length === 0
            ? 'Empty: Slurm’s default partition.'
            : `One of ${known.join(', ')}. Empty: Slurm’s default.`
        }
        {...form.field('partition')}
      />
      <IdField label="QOS" optional hint="Empty: the default QOS of the account." {...form.field('qos')} />
      <IdField label="Reservation" optional hint="Empty: none." {...form.field('reservation')} />
    </>
  )
}

/** The jobs to which a row applies. */
export function describeJobs({
  owner,
  project_id,
  pool,
}: Pick<SlurmTargetView, 'owner' | 'project_id' | 'pool'>): string {
  const project = owner === null ? null : `${owner}/${project_id}`
  if (pool === null) return project ?? 'all jobs'
  return project === null ? `pool ${pool}` : `${project} in pool ${pool}`
}
