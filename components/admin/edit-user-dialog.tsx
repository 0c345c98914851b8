'use client'

import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { updateUser } from '@/components/queries/queries'
import type { User } from '@/lib/contract/access'
import { roles } from '@/lib/contract/roles'
import { LimitFields, limitTexts, toLimitTexts, toOptionalText } from '../access/limit-fields'
import { FormActions } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Dialog } from '../ui/dialog'
import { TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { UserFields } from './user-fields'

const unixId = (minimum: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{0,10}$/, 'Use a whole number, or leave it empty.')
    .transform((text) => (text === '' ? null : Number(text)))
    .pipe(
      z.number().min(minimum, `Use at least ${minimum}.`).max(2_147_483_647, 'This is too large.').nullable(),
    )

const schema = z.object({
  email: z.union([z.literal(''), z.email().max(254)]).transform((email) => email || undefined),
  name: z
    .string()
    .trim()
    .max(100)
    .transform((name) => name || null),
  role: z.enum(roles),
  ...limitTexts,
  unix_uid: unixId(1000),
  unix_gid: unixId(1),
})

/** Changes a user's profile, limits and Unix ids. */
export function EditUserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { mutateAsync } = useMutation(updateUser)
  const form = useSchemaForm({
    schema,
    initial: {
      email: user.email ?? '',
      name: user.name ?? '',
      role: user.role,
      ...toLimitTexts(user.limits),
      unix_uid: toOptionalText(user.unix_uid),
      unix_gid: toOptionalText(user.unix_gid),
    },
    onSubmit: async ({ submissions_per_minute, max_active_jobs, ...facts }) => {
      await mutateAsync({
        handle: user.user_id,
        ...facts,
        limits: { submissions_per_minute, max_active_jobs },
      })
      toast.success(`${user.user_id} saved`)
      onClose()
    },
  })
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())} title={user.user_id}>
      <form {...form.props} className="flex flex-col gap-4">
        <UserFields form={form} />
        <div className="grid gap-4 sm:grid-cols-2">
          <LimitFields form={form} />
          <TextField
            label="Unix user id (uid)"
            hint="The owner of files in shared directories."
            inputMode="numeric"
            placeholder="none"
            {...form.field('unix_uid')}
          />
          <TextField
            label="Unix group id (gid)"
            inputMode="numeric"
            placeholder="same as the uid"
            {...form.field('unix_gid')}
          />
        </div>
        <FormActions form={form} submitLabel="Save" />
      </form>
    </Dialog>
  )
}
