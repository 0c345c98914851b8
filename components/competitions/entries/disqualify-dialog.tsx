import { useMutation } from '@tanstack/react-query'
import type { Entry } from '@/lib/competitions/contract-entries'
import { DialogForm } from '../../shell/form'
import { useForm } from '../../shell/use-form'
import { Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/text-field'
import { toast } from '../../ui/toaster'
import { disqualifyEntry } from '../queries'
import { requireText } from '../required-text'
import { entryTitle } from './entry-title'

/** Asks why an entry is disqualified. */
export function DisqualifyDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { mutateAsync } = useMutation(disqualifyEntry)
  const form = useForm<{ reason: string }, string>({
    check: requireText('reason', 'Write why: the team reads it.'),
    initial: { reason: '' },
    onSubmit: async (reason) => {
      await mutateAsync({ id: entry.id, reason })
      toast.success('The entry is disqualified')
      onClose()
    },
  })
  return (
    <Dialog
      title={`Disqualify ${entryTitle(entry)}?`}
      description={`It is an entry of ${entry.team}. It leaves the leaderboard and the queue, and is kept. You can take this back.`}
      onClose={onClose}
    >
      <DialogForm form={form} submitLabel="Disqualify">
        <TextField label="Reason" required maxLength={500} {...form.field('reason')} />
      </DialogForm>
    </Dialog>
  )
}
