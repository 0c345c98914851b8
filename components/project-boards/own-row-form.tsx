import { useMutation } from '@tanstack/react-query'
import type { ProjectBoard } from '@/lib/project-boards/contract'
import { PanelForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Checkbox } from '../ui/checkbox'
import { TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { updateOwnRow } from './queries'

interface OwnRowFormProps {
  projectId: string
  /** The signed-in user. */
  handle: string
  own: ProjectBoard['own']
}

/** What a board shows of the user. */
export function OwnRowForm({ projectId, handle, own }: OwnRowFormProps) {
  const { mutateAsync } = useMutation(updateOwnRow)
  const form = useSchemaForm({
    schema: () => import('./board-schemas').then((schemas) => schemas.ownRowSchema),
    initial: { name: own.name ?? '', hidden: own.hidden },
    onSubmit: async (values) => {
      await mutateAsync({ projectId, ...values })
      toast.success(values.hidden ? 'You stay off the leaderboard' : 'Your row is saved')
    },
  })
  const hidden = form.field('hidden')
  return (
    <PanelForm
      form={form}
      submitLabel="Save"
      title="Your row"
      description="What the other members see of you on the leaderboard"
    >
      <TextField
        label="Name"
        optional
        placeholder={handle}
        hint="Empty: your user id."
        maxLength={60}
        autoComplete="off"
        {...form.field('name')}
      />
      <Checkbox
        label="Stay off the leaderboard"
        description="Nobody sees a row of you, and the ranks do not count you."
        checked={hidden.value}
        onCheckedChange={hidden.onChange}
      />
    </PanelForm>
  )
}
