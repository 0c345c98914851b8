import { useMutation } from '@tanstack/react-query'
import type { GroupDetail } from '@/lib/groups/contract'
import { DialogForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { formatCount } from '../ui/format-number'
import { NumberField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { extendGroup } from './queries'

/** Adds members to a group, and says what they take. */
export function ExtendGroup({ group }: { group: GroupDetail }) {
  const hours = group.gpus > 0 ? ` Each takes ${formatCount(group.gpus, 'GPU')} until it ends.` : ''
  return (
    <Dialog
      trigger={<Button>Add members</Button>}
      title="Add members"
      description={`The members that the group has stay as they are. New ones have the same program.${hours}`}
    >
      {(close) => <ExtendForm group={group} onAdded={close} />}
    </Dialog>
  )
}

function ExtendForm({ group, onAdded }: { group: GroupDetail; onAdded: () => void }) {
  const { group_id: id, samples, repeat, members } = group
  const extend = useMutation(extendGroup)
  const form = useSchemaForm({
    schema: () => import('./extend-form').then((schemas) => schemas.extendFormSchema(group)),
    initial: { samples: '', repeat: '' },
    onSubmit: async (given) => {
      const { members: now } = await extend.mutateAsync({
        id,
        ...(given.samples !== null && { samples: given.samples }),
        ...(given.repeat !== null && { repeat: given.repeat }),
      })
      toast.success(`${formatCount(now - members, 'member')} added`)
      onAdded()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Add members">
      {samples === null ? null : (
        <NumberField
          label="Samples"
          inputMode="numeric"
          hint={`Combinations that the group has afterwards. It has ${samples} now.`}
          optional
          {...form.field('samples')}
        />
      )}
      <NumberField
        label="Repeats"
        inputMode="numeric"
        hint={`How often each combination runs afterwards. ${timesNow(repeat)}`}
        optional={samples !== null}
        {...form.field('repeat')}
      />
    </DialogForm>
  )
}

const timesNow = (repeat: number) => (repeat === 1 ? 'It runs once now.' : `It runs ${repeat} times now.`)
