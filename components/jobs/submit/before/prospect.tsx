import { useQuery } from '@tanstack/react-query'
import { hardwareQuery } from '@/components/queries/cluster'
import { type DryRun, type Hardware, isJobDryRun, type OtherDryRun } from '@/lib/contract/submission/dry-run'
import { ExpectedStart } from '../../../cluster/queue/expected-start'
import { Button } from '../../../ui/button'
import { formatCount, formatNumber } from '../../../ui/format-number'
import { readConfigText } from '../../editor/config-text'

interface ProspectProps {
  config: string
  /** What a submission would do; null: not known. */
  answer: DryRun | OtherDryRun | null
  onConfig: (config: string) => void
}

/** What the user can know before submitting: the GPUs that exist, the expected start, and what the limits permit after it. */
export function Prospect({ config, answer, onConfig }: ProspectProps) {
  const { data: hardware } = useQuery(hardwareQuery())
  return (
    <section aria-label="Before you submit" className="mt-4 flex min-w-0 flex-col gap-2 text-muted text-sm">
      {hardware && hardware.length > 0 ? (
        <ul aria-label="GPUs of the cluster" className="flex flex-wrap gap-2">
          {hardware.map((kind) => (
            <li key={`${kind.model} ${kind.memory_mib}`} className="wrap-anywhere min-w-0 max-w-full">
              <Kind kind={kind} all={hardware} config={config} onConfig={onConfig} />
            </li>
          ))}
        </ul>
      ) : null}
      {answer === null ? null : !isJobDryRun(answer) ? (
        <p>{answer.text}</p>
      ) : (
        <p>
          <Start answer={answer} />
          {answer.project_note === null ? null : `${answer.project_note} `}
          {describeLeft(answer.left)}
        </p>
      )}
    </section>
  )
}

/** Only with a choice it is a button. */
function Kind({
  kind,
  all,
  config,
  onConfig,
}: { kind: Hardware; all: readonly Hardware[] } & Pick<ProspectProps, 'config' | 'onConfig'>) {
  const { model, memory_mib, gpus, free, simulated } = kind
  const memory = memory_mib === null ? null : `${formatNumber(Math.round(memory_mib / 1024))} GiB`
  const name = [model ?? 'GPU', memory].filter(Boolean).join(', ')
  const text = `${name}: ${free} of ${gpus} free${simulated ? ' (simulated)' : ''}`
  if (all.length < 2 || model === null) return <span>{text}</span>
  const chosen = readConfigText(config)?.read('gpu_model')
  const isChosen = chosen?.kind === 'value' && chosen.value === model
  const choose = () =>
    onConfig(readConfigText(config)?.write('gpu_model', isChosen ? undefined : model) ?? config)
  return (
    <Button size="sm" title={text} aria-pressed={isChosen} onClick={choose}>
      <span className="max-w-[min(60ch,70vw)] truncate">{text}</span>
    </Button>
  )
}

function Start({ answer }: { answer: DryRun }) {
  const { queue_position, expected_start, expected_start_text } = answer
  // It waits for others. Under Slurm, its position says little.
  if (expected_start === null && expected_start_text !== null) return <>{expected_start_text} </>
  if (queue_position === null) return null
  return (
    <>
      Position {formatNumber(queue_position)} in the queue; expected start:{' '}
      <ExpectedStart at={expected_start} range={null} />.{' '}
    </>
  )
}

function describeLeft(left: DryRun['left']): string {
  const { submissions_this_minute: submissions, active_jobs: active, waiting_jobs: waiting } = left
  const parts = [
    submissions === null ? [] : `${formatCount(submissions, 'more submission')} in this minute`,
    active === null ? [] : formatCount(active, 'more active job'),
    waiting === null ? [] : formatCount(waiting, 'more waiting job'),
  ].flat()
  return parts.length === 0
    ? ''
    : `After this job, you may still have ${new Intl.ListFormat('en').format(parts)}.`
}
