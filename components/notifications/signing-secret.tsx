import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { createWebhookSecret } from '@/components/notifications/queries'
import { CopiedButton, ShownOnce } from '../shell/shown-once'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { RelativeTime } from '../ui/relative-time'

/** The secret that signs the user's webhooks. @param createdAt null: there is none. */
export function SigningSecret({ createdAt }: { createdAt: string | null }) {
  const replaces = createdAt !== null
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="font-medium text-ink text-sm">Signing secret</h3>
        <p className="text-muted text-xs">
          {replaces ? (
            <>
              Your webhooks are signed. The secret was created <RelativeTime at={createdAt} />.
            </>
          ) : (
            'Your webhooks are not signed. With a secret, a receiver can check that gpuq sent a message.'
          )}
        </p>
      </div>
      <SecretDialog replaces={replaces} />
    </div>
  )
}

function SecretDialog({ replaces }: { replaces: boolean }) {
  const { mutate, data, error, isPending, reset } = useMutation(createWebhookSecret)
  // The list reloads when the secret exists: the title of the open dialog stays.
  const [replacing, setReplacing] = useState(replaces)
  const verb = replacing ? 'Replace' : 'Create'
  return (
    <Dialog
      trigger={
        <Button size="sm" icon={KeyRound} onClick={() => setReplacing(replaces)}>
          {replaces ? 'Replace secret…' : 'Create secret…'}
        </Button>
      }
      // The page forgets the secret when the dialog closes.
      onClose={reset}
      title={data ? 'Your signing secret' : `${verb} the signing secret?`}
      description={
        data
          ? null
          : replacing
            ? 'The new secret signs at once. The old one also signs for one day, so that you can change your receivers.'
            : 'It signs all webhooks of your account, also those to a notify_url.'
      }
      footer={
        data ? (
          <CopiedButton />
        ) : (
          <Button variant="primary" loading={isPending} onClick={() => mutate()}>
            {verb}
          </Button>
        )
      }
    >
      {data ? (
        <ShownOnce
          label="Signing secret"
          title="Signing secret"
          secret={data.secret}
          note="You see the secret only once. Store it with your receiver."
        />
      ) : (
        <p aria-live="polite" className="text-danger-ink text-sm">
          {error?.message}
        </p>
      )}
    </Dialog>
  )
}
