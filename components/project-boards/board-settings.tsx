import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { guessBest } from '@/lib/metrics/contract-best-value'
import type { ProjectBoard } from '@/lib/project-boards/contract'
import { resultsQuery } from '../project-results/queries'
import { PanelForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { SelectField } from '../ui/select'
import { IdField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import type { BoardValues } from './board-schemas'
import { updateBoard } from './queries'

interface BoardSettingsProps {
  projectId: string
  board: ProjectBoard
}

/** Chooses what a board ranks by, or switches it off. For the owner of the project and admins. */
export function BoardSettings({ projectId, board }: BoardSettingsProps) {
  const { mutateAsync } = useMutation(updateBoard)
  const listId = useId()
  const names = useQuery(resultsQuery(projectId, { search: '', metrics: null, group: null, pictures: false }))
    .data?.metric_names
  const isOn = board.metric !== null
  // A name such as "loss" says which value is the best, unless the owner has said it.
  const [guesses, setGuesses] = useState(!isOn)
  const initial: BoardValues = {
    metric: board.metric ?? '',
    goal: board.goal,
    competition_id: board.competition_id ?? '',
  }
  const form = useSchemaForm({
    schema: () => import('./board-schemas').then((schemas) => schemas.boardSchema),
    initial,
    onSubmit: async (values) => {
      await mutateAsync({ projectId, ...values })
      toast.success(isOn ? 'The leaderboard is changed' : 'The members see the leaderboard')
    },
  })
  const metric = form.field('metric')
  const goal = form.field('goal')
  return (
    <PanelForm
      form={form}
      submitLabel={isOn ? 'Save' : 'Show the leaderboard'}
      title="Settings"
      description="For the owner of the project"
      actions={isOn ? <SwitchOff projectId={projectId} board={board} /> : null}
    >
      <IdField
        label="Metric"
        hint="The key of a number in the lines of JSON that jobs print. The last value of a completed job counts."
        placeholder="val_loss"
        autoComplete="off"
        maxLength={128}
        list={listId}
        {...metric}
        onChange={(name) => {
          metric.onChange(name)
          if (guesses) goal.onChange(guessBest(name.trim()) === 'lowest' ? 'min' : 'max')
        }}
      />
      <datalist id={listId}>
        {(names ?? []).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <SelectField
        label="Best value"
        options={[
          { value: 'max', label: 'The highest' },
          { value: 'min', label: 'The lowest' },
        ]}
        {...goal}
        onChange={(value) => {
          setGuesses(false)
          goal.onChange(value)
        }}
      />
      <IdField
        label="Only jobs with the competition_id"
        optional
        hint="Empty: all jobs of the project."
        autoComplete="off"
        {...form.field('competition_id')}
      />
    </PanelForm>
  )
}

function SwitchOff({ projectId, board: { goal, competition_id } }: BoardSettingsProps) {
  const { mutateAsync } = useMutation(updateBoard)
  return (
    <ConfirmDialog
      trigger={<Button variant="danger-quiet">Switch off…</Button>}
      title="Switch the leaderboard off?"
      description="The members do not see it any more. Jobs and the names that members chose stay."
      confirmLabel="Switch off"
      onConfirm={async () => {
        await mutateAsync({ projectId, metric: null, goal, competition_id })
        toast.success('The leaderboard is off')
      }}
    />
  )
}
