import { useMutation } from '@tanstack/react-query'
import { updateRoleLimits } from '@/components/queries/queries'
import type { ApiLimits } from '@/lib/contract/access/limits'
import type { Role } from '@/lib/contract/access/roles'
import { PanelForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { toast } from '../ui/toaster'
import { LimitFields, toLimitTexts } from './limit-fields'

const titles: Record<Role, string> = { researcher: 'Limits of researchers', admin: 'Limits of admins' }

/** The limits of the users of a role that have none of their own. */
export function RoleLimitsForm({ role, limits }: { role: Role; limits: ApiLimits }) {
  const { mutateAsync } = useMutation(updateRoleLimits)
  const form = useSchemaForm({
    schema: () => import('./limit-schemas').then((schemas) => schemas.roleLimitsSchema),
    initial: toLimitTexts(limits),
    onSubmit: async (changed) => {
      await mutateAsync({ role, ...changed })
      toast.success('Limits saved')
    },
  })
  return (
    <PanelForm
      title={titles[role]}
      description="For users and projects without limits of their own. An empty field means no limit. Researchers always have a limit on submissions and active jobs: if these fields are empty, the server’s defaults apply."
      form={form}
      submitLabel="Save limits"
      className="gap-6"
    >
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <LimitFields form={form} unset="not set" />
      </div>
    </PanelForm>
  )
}
