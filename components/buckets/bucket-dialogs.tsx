import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { changeBucketKeys, createBucket } from '@/components/buckets/queries'
import type { UpdateBucket } from '@/lib/buckets/contract'
import { DialogForm } from '../shell/form'
import { type FormFields, useSchemaForm } from '../shell/use-schema-form'
import { Dialog } from '../ui/dialog'
import { IdField } from '../ui/text-field'
import { toast } from '../ui/toaster'

const noKeys = { access_key_id: '', secret_access_key: '' }

/** Registers a bucket. */
export function NewBucketDialog({ trigger }: { trigger: ReactElement }) {
  return (
    <Dialog
      trigger={trigger}
      title="New bucket"
      description="A test object is written first, to check the keys."
    >
      {(close) => <NewBucketForm onSaved={close} />}
    </Dialog>
  )
}

function NewBucketForm({ onSaved }: { onSaved: () => void }) {
  const create = useMutation(createBucket)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.newBucketSchema),
    initial: { name: '', endpoint: '', region: 'us-east-1', bucket: '', ...noKeys },
    onSubmit: async (values) => {
      await create.mutateAsync(values)
      toast.success(`Bucket ${values.name} registered`)
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Register">
      <IdField label="Name" hint="Projects use the bucket under this name." {...form.field('name')} />
      <IdField
        label="Endpoint"
        optional
        hint="Address of the S3 server. Empty: Amazon S3."
        placeholder="https://storage.googleapis.com"
        {...form.field('endpoint')}
      />
      <IdField label="Region" {...form.field('region')} />
      <IdField label="Bucket" hint="Its name on the S3 server." {...form.field('bucket')} />
      <KeyFields form={form} />
    </DialogForm>
  )
}

/** Replaces the keys of a bucket. The old ones are never shown. */
export function BucketKeysDialog({ name, trigger }: { name: string; trigger: ReactElement }) {
  return (
    <Dialog
      trigger={trigger}
      title={`Keys of ${name}`}
      description="The new keys replace the old ones, after gpuq has written a test object with them."
    >
      {(close) => <BucketKeysForm name={name} onSaved={close} />}
    </Dialog>
  )
}

function BucketKeysForm({ name, onSaved }: { name: string; onSaved: () => void }) {
  const change = useMutation(changeBucketKeys)
  const form = useSchemaForm({
    schema: () => import('@/lib/buckets/contract').then((schemas) => schemas.updateBucketSchema),
    initial: noKeys,
    onSubmit: async (values) => {
      await change.mutateAsync({ name, ...values })
      toast.success(`Keys of ${name} replaced`)
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Replace">
      <KeyFields form={form} />
    </DialogForm>
  )
}

function KeyFields({ form }: { form: FormFields<UpdateBucket> }) {
  return (
    <>
      <IdField label="Access key" autoComplete="off" {...form.field('access_key_id')} />
      <IdField
        label="Secret key"
        type="password"
        autoComplete="new-password"
        hint="Stored encrypted. No page shows it again."
        {...form.field('secret_access_key')}
      />
    </>
  )
}
