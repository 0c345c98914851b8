import { useMutation } from '@tanstack/react-query'
import { updateProject } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access/projects'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Switch } from '../../ui/switch'
import { toast, toastError } from '../../ui/toaster'

/** Decides whether the members of a project share runs, and names the old runs that several of them share. */
export function ProjectRuns({ project }: { project: Project }) {
  const { mutateAsync, isPending } = useMutation(updateProject)
  const change = async (changes: { share_runs?: boolean; unshare_old_runs?: string[] }, done: string) => {
    try {
      await mutateAsync({ id: project.id, ...changes })
      toast.success(done)
    } catch (error) {
      toastError('The change failed', error)
    }
  }
  return (
    <section aria-label="Runs" className="flex flex-col gap-3">
      <h2 className="font-semibold text-ink text-sm">Runs</h2>
      <Switch
        label="Members share runs"
        description="On: a new run (run_name) belongs to all members, and each continues from its checkpoints. A checkpoint can contain code that runs when it is loaded, so share runs only with people you trust. Off: a new run belongs to its user. Existing runs do not change."
        checked={project.share_runs}
        disabled={isPending}
        onCheckedChange={(share_runs) =>
          void change({ share_runs }, share_runs ? 'Members share new runs' : 'New runs belong to their user')
        }
      />
      {project.old_shared_runs.length > 0 ? (
        <Callout tone="warning" title="Members still share old runs">
          These runs were shared before each run belonged to one user.
          <ul className="mt-2 divide-y rounded-lg border bg-surface">
            {project.old_shared_runs.map(({ id, name, users: [first = '', ...others] }) => (
              <li key={id} className="flex items-center justify-between gap-2 px-3 py-1.5">
                <span className="min-w-0 wrap-anywhere">
                  {name}, of {first}, shared with {others.join(', ')}
                </span>
                <Button
                  size="sm"
                  variant="secondary"
                  disabled={isPending}
                  onClick={() => void change({ unshare_old_runs: [id] }, `${name} belongs to ${first} alone`)}
                >
                  Stop sharing <span className="sr-only">{name}</span>
                </Button>
              </li>
            ))}
          </ul>
        </Callout>
      ) : null}
    </section>
  )
}
