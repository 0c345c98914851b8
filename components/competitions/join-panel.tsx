import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CompetitionDetail } from '@/lib/competitions/contract'
import { FormError } from '../shell/form'
import { Button } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { Callout } from '../ui/callout'
import { Checkbox } from '../ui/checkbox'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { ScrollRegion } from '../ui/scroll-region'
import { TextField } from '../ui/text-field'
import { toast, toastError } from '../ui/toaster'
import { roleLabels } from './facts'
import { joinCompetition, leaveCompetition } from './queries'

interface JoinPanelProps {
  competition: CompetitionDetail
  /** The address of the sign-in that leads back; null: the viewer has signed in. */
  signIn: string | null
  onSubmit: () => void
}

/** How the viewer takes part, or can. */
export function JoinPanel({ competition, signIn, onSubmit }: JoinPanelProps) {
  const { role, state, published, terms_accepted } = competition
  if (signIn !== null)
    return (
      <Callout
        title="Sign in to take part"
        action={
          <ButtonLink href={signIn} variant="primary" size="sm">
            Sign in
          </ButtonLink>
        }
      >
        Everybody can read this page and the leaderboard. Entries need an account.
      </Callout>
    )
  if (state === 'requested') return <Requested competition={competition.competition_id} />
  if (role !== null && role !== 'observer' && !terms_accepted)
    return (
      <JoinForm
        competition={competition}
        title="Accept the terms"
        description="They came after you had joined. You can send entries once you have accepted them."
        submitLabel="Accept"
      />
    )
  if (role === 'participant')
    return (
      <Callout
        tone="success"
        title="You take part"
        action={
          <Button size="sm" variant="primary" onClick={onSubmit}>
            Submit
          </Button>
        }
      >
        Send solution.py. Its score appears in My entries.
      </Callout>
    )
  if (role !== null)
    return (
      <Callout
        title={`You are ${roleLabels[role].replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`}
      >
        {role === 'observer'
          ? 'You see the leaderboard and send no entries.'
          : 'Your entries are baselines: the leaderboard shows them without a rank.'}
      </Callout>
    )
  if (!published) return null
  return (
    <JoinForm
      competition={competition}
      title="Take part"
      description={explanations[competition.join]}
      submitLabel={competition.join === 'approve' ? 'Ask to join' : 'Join'}
    />
  )
}

function Requested({ competition }: { competition: string }) {
  const { mutate, isPending } = useMutation(leaveCompetition)
  return (
    <Callout
      title="You have asked to join"
      action={
        <Button
          size="sm"
          loading={isPending}
          onClick={() =>
            mutate(competition, {
              onError: (error) => toastError('The request was not withdrawn', error),
            })
          }
        >
          Withdraw
        </Button>
      }
    >
      A host or an instructor must approve it. Then you can send entries here.
    </Callout>
  )
}

const explanations = {
  open: 'Everybody may join.',
  approve: 'A host or an instructor approves who joins.',
  roster: 'Only people on the roster can join: those whose e-mail address the host has entered.',
} as const satisfies Record<CompetitionDetail['join'], string>

interface JoinFormProps extends Record<'title' | 'description' | 'submitLabel', string> {
  competition: CompetitionDetail
}

/** Joins, or accepts the terms as a member. */
function JoinForm({ competition, title, description, submitLabel }: JoinFormProps) {
  const { role, terms, competition_id } = competition
  const { mutateAsync, isPending, error } = useMutation(joinCompetition)
  const [accepted, setAccepted] = useState(false)
  const [team, setTeam] = useState('')
  const [reminded, setReminded] = useState(false)
  const mustAccept = terms !== null && !accepted
  const send = async () => {
    if (mustAccept) return setReminded(true)
    const name = team.trim()
    try {
      const { state } = await mutateAsync({
        competition: competition_id,
        accept_terms: accepted,
        ...(name && { team: name }),
      })
      toast.success(
        state === 'requested'
          ? 'You have asked to join'
          : role === null
            ? `You have joined ${competition.title}`
            : 'Terms accepted',
      )
    } catch {
      // The form shows it.
    }
  }
  return (
    <Panel>
      <PanelHeader title={title} description={description} />
      <PanelBody>
        <form
          method="post"
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          {role === null ? (
            <TextField
              label="Name of your team"
              optional
              hint="The leaderboard shows it. Default: your user id."
              maxLength={60}
              autoComplete="off"
              value={team}
              onChange={setTeam}
            />
          ) : null}
          {terms === null ? null : (
            <div className="flex flex-col gap-2">
              <ScrollRegion
                aria-label="Terms"
                className="max-h-48 overflow-y-auto rounded-md border bg-sunken p-3 whitespace-pre-wrap wrap-anywhere text-sm"
              >
                {terms}
              </ScrollRegion>
              <Checkbox
                label="I accept these terms"
                checked={accepted}
                onCheckedChange={setAccepted}
                aria-required
              />
              {reminded && mustAccept ? <FormError error="Accept the terms before you join." /> : null}
            </div>
          )}
          <FormError error={error?.message ?? null} />
          <Button type="submit" variant="primary" loading={isPending} className="self-start">
            {submitLabel}
          </Button>
        </form>
      </PanelBody>
    </Panel>
  )
}
