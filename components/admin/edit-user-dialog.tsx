import { useMutation } from '@tanstack/react-query'
import { updateUser } from '@/components/queries/queries'
import type { User } from '@/lib/contract/access/access'
import { BudgetFields, toBudgetTexts } from '../access/budget-fields'
import { LimitFields, takeLimits, toLimitTexts } from '../access/limit-fields'
import { DialogForm } from '../shell/form'
import { toOptionalText } from '../shell/use-form'
import { useSchemaForm } from '../shell/use-schema-form'
import { CheckboxField } from '../ui/checkbox'
import { Dialog } from '../ui/dialog'
import { NumberField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { UserFields } from './user-fields'

/** Changes a user's profile, limits and Unix ids. */
export function EditUserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { mutateAsync } = useMutation(updateUser)
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.changedUserSchema),
    initial: {
      email: user.email ?? '',
      name: user.name ?? '',
      role: user.role,
      may_create_classes: user.may_create_classes,
      may_host_competitions: user.may_host_competitions,
      ...toLimitTexts(user.limits),
      ...toBudgetTexts(user),
      storage_quota_gib: toOptionalText(user.storage_quota_gib),
      unix_uid: toOptionalText(user.unix_uid),
      unix_gid: toOptionalText(user.unix_gid),
    },
    onSubmit: async (values) => {
      const { limits, others } = takeLimits(values)
      await mutateAsync({ handle: user.user_id, ...others, limits })
      toast.success(`${user.user_id} saved`)
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} title={user.user_id}>
      <DialogForm form={form} submitLabel="Save">
        <UserFields form={form} />
        <CheckboxField
          label="May create classes"
          description="And teams. The owner of a class or team sees the jobs of members who agree. Admins need no right for it."
          {...form.field('may_create_classes')}
        />
        <CheckboxField
          label="May host competitions"
          description="Creates competitions and assignments with hidden data and a leaderboard. Admins need no right for it."
          {...form.field('may_host_competitions')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <LimitFields form={form} />
          <BudgetFields form={form} />
          <NumberField
            label="Storage quota (GiB)"
            hint="0 means no quota."
            placeholder="default"
            {...form.field('storage_quota_gib')}
          />
          <NumberField
            label="Unix user id (uid)"
            hint="The owner of files in shared directories."
            inputMode="numeric"
            placeholder="none"
            {...form.field('unix_uid')}
          />
          <NumberField
            label="Unix group id (gid)"
            inputMode="numeric"
            placeholder="same as the uid"
            {...form.field('unix_gid')}
          />
        </div>
      </DialogForm>
    </Dialog>
  )
}
