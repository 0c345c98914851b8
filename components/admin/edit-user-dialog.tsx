'use client'

import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { updateUser } from '@/components/queries/queries'
import type { User } from '@/lib/contract/access'
import { roles } from '@/lib/contract/roles'
import { LimitField, limitText, toLimitText } from '../access/limit-field'
import { FormActions } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Dialog } from '../ui/dialog'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { toast } from '../ui/toaster'
import { UserFields } from './user-fields'

const unixId = (least: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{0,10}$/, 'Use a whole number, or leave it empty.')
    .transform((text) => (text === '' ? null : Number(text)))
    .pipe(z.number().min(least, `Use at least ${least}.`).max(2_147_483_647, 'This is too large.').nullable())

const schema = z.object({
  email: z.union([z.literal(''), z.email().max(254)]).transform((email) => email || undefined),
  name: z
    .string()
    .trim()
    .max(100)
    .transform((name) => name || null),
  role: z.enum(roles),
  submissions_per_minute: limitText,
  max_active_jobs: limitText,
  unix_uid: unixId(1000),
  unix_gid: unixId(1),
})

/** Changes what may be changed about a user. */
export function EditUserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { mutateAsync } = useMutation(updateUser)
  const form = useSchemaForm({
    schema,
    initial: {
      email: user.email ?? '',
      name: user.name ?? '',
      role: user.role,
      submissions_per_minute: toLimitText(user.limits.submissions_per_minute),
      max_active_jobs: toLimitText(user.limits.max_active_jobs),
      unix_uid: toLimitText(user.unix_uid),
      unix_gid: toLimitText(user.unix_gid),
    },
    send: async ({ submissions_per_minute, max_active_jobs, ...facts }) => {
      await mutateAsync({
        handle: user.user_id,
        ...facts,
        limits: { submissions_per_minute, max_active_jobs },
      })
      toast.success(`${user.user_id} was saved`)
      onClose()
    },
  })
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())} title={user.user_id}>
      <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <UserFields values={form.values} errorOf={form.errorOf} set={form.set} />
        <div className="grid gap-4 sm:grid-cols-2">
          <LimitField
            label="Submissions a minute"
            value={form.values.submissions_per_minute}
            error={form.errorOf('submissions_per_minute')}
            onChange={(value) => form.set({ submissions_per_minute: value })}
          />
          <LimitField
            label="Active jobs"
            value={form.values.max_active_jobs}
            error={form.errorOf('max_active_jobs')}
            onChange={(value) => form.set({ max_active_jobs: value })}
          />
          <Field
            label="User number (uid)"
            hint="Owns what their jobs write into shared directories."
            error={form.errorOf('unix_uid')}
          >
            <Input
              inputMode="numeric"
              placeholder="none"
              value={form.values.unix_uid}
              onChange={(event) => form.set({ unix_uid: event.target.value })}
            />
          </Field>
          <Field label="Group number (gid)" error={form.errorOf('unix_gid')}>
            <Input
              inputMode="numeric"
              placeholder="that of the uid"
              value={form.values.unix_gid}
              onChange={(event) => form.set({ unix_gid: event.target.value })}
            />
          </Field>
        </div>
        <FormActions form={form} send="Save" />
      </form>
    </Dialog>
  )
}
