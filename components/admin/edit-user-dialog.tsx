'use client'

import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { roles } from '@/lib/access/roles'
import type { User } from '@/lib/access/schemas'
import { updateUser } from '@/lib/http/queries'
import { LimitField, limitText, toLimitText } from '../access/limit-field'
import { FormActions } from '../shell/form-actions'
import { useSchemaForm } from '../shell/use-schema-form'
import { Dialog } from '../ui/dialog'
import { toast } from '../ui/toaster'
import { UserFields } from './user-fields'

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
        </div>
        <FormActions form={form} send="Save" />
      </form>
    </Dialog>
  )
}
