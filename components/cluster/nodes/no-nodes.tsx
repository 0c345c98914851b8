import { ServerOff } from 'lucide-react'
import { CodeBlock } from '../../ui/code-block'
import { EmptyState } from '../../ui/empty-state'

/** Stands where the nodes will be, and says how they get there. */
export function NoNodes({ admin }: { admin: boolean }) {
  if (!admin) {
    return (
      <EmptyState icon={ServerOff} title="No node yet">
        Jobs wait until an admin starts a worker. What you submit is kept until then.
      </EmptyState>
    )
  }
  return (
    <div className="pb-8">
      <EmptyState icon={ServerOff} title="No node yet" className="pb-6">
        A node is a machine whose worker takes jobs. Start one there, with the database and the data directory
        that this server uses. Simulated nodes need one as well.
      </EmptyState>
      <div className="mx-auto w-full max-w-2xl px-4">
        <CodeBlock
          label="command that starts a worker"
          title="In a built checkout of gpuq there"
          code={'DATABASE_URL="postgresql://…" npx gpuq worker'}
          wrap
        />
      </div>
    </div>
  )
}
