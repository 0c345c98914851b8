import { useMutation } from '@tanstack/react-query'
import { Files, FolderClosed, ListTree } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ButtonLink } from '../../ui/button-link'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { Skeleton } from '../../ui/skeleton'
import { toast } from '../../ui/toaster'
import { useNow } from '../../ui/use-now'
import type { Viewer } from '../facts'
import { Unpublished } from '../overview-tab'
import { PhaseClock } from '../phase-clock'
import { stateOf } from '../phase-times'
import { revealBoard } from '../queries'
import { AllEntries } from './all-entries'
import { Members } from './members'
import { Roster } from './roster'

// Few visits compare programs.
const SimilarPrograms = dynamic(() => import('./similar-programs').then((module) => module.SimilarPrograms), {
  loading: () => <Skeleton className="h-44 rounded-lg" />,
})

interface ManageTabProps {
  competition: CompetitionDetail
  phase: Phase
  viewer: Viewer
}

/** What the staff does: publishes, admits people, reads entries and reveals results. */
export function ManageTab({ competition, phase, viewer }: ManageTabProps) {
  const { competition_id, published, phases, project } = competition
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {published ? null : <Unpublished competition={competition} />}
      {viewer.isHost ? (
        <Panel>
          <PanelHeader
            title="Phases"
            description="To change dates, data or the scoring program, change competition.yaml and run gpuq competition create."
            actions={
              project ? (
                <>
                  <ButtonLink icon={FolderClosed} href={`/projects/${project.id}`}>
                    Project
                  </ButtonLink>
                  <ButtonLink icon={ListTree} href={`/projects/${project.id}/snapshots`}>
                    Data
                  </ButtonLink>
                </>
              ) : null
            }
          />
          <ul>
            {phases.map((one) => (
              <PhaseRow key={one.key} competition={competition_id} phase={one} />
            ))}
          </ul>
        </Panel>
      ) : null}
      <AllEntries key={phase.key} {...{ competition, phase, viewer }} />
      <Similarity key={`similar ${phase.key}`} competition={competition_id} phase={phase.key} />
      <Members {...{ competition, viewer }} />
      {viewer.isInstructor ? <Roster competition={competition} /> : null}
    </div>
  )
}

/** Compares the programs of the teams only when asked: it takes the server a while. */
function Similarity({ competition, phase }: { competition: string; phase: string }) {
  const [isOpen, setIsOpen] = useState(false)
  if (isOpen) return <SimilarPrograms competition={competition} phase={phase} />
  return (
    <Panel>
      <PanelBody className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 base:py-2.5">
        <div className="min-w-0 flex-1 basis-48">
          <h2 className="font-semibold text-ink text-sm">Similar programs</h2>
          <p className="text-muted text-xs">Finds programs of different teams that resemble each other</p>
        </div>
        <Button icon={Files} onClick={() => setIsOpen(true)}>
          Compare the programs
        </Button>
      </PanelBody>
    </Panel>
  )
}

function PhaseRow({ competition, phase }: { competition: string; phase: Phase }) {
  const { title, frozen, revealed } = phase
  const now = useNow(1000)
  const hasEnded = now === null ? phase.state === 'ended' : stateOf(phase, now) === 'ended'
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b px-4 py-2.5 last:border-b-0">
      <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <span className="wrap-anywhere font-medium">{title}</span>
        <PhaseClock phase={phase} />
        {frozen ? <Badge tone="info">frozen</Badge> : null}
        {revealed ? <Badge tone="success">revealed</Badge> : null}
      </span>
      {hasEnded ? null : (
        <span className="text-muted text-xs">You can reveal its results after its end.</span>
      )}
      {hasEnded && !revealed ? <RevealButton competition={competition} phase={phase} /> : null}
    </li>
  )
}

function RevealButton({ competition, phase: { key, title } }: { competition: string; phase: Phase }) {
  const { mutateAsync } = useMutation(revealBoard)
  return (
    <ConfirmDialog
      title={`Reveal the final results of ${title}?`}
      description="Everybody who sees the leaderboard sees all entries and the private columns. This cannot be undone."
      confirmLabel="Reveal"
      tone="primary"
      trigger={<Button size="sm">Reveal results</Button>}
      onConfirm={async () => {
        await mutateAsync({ competition, phase: key })
        toast.success(`The final results of ${title} are shown`)
      }}
    />
  )
}
