import { ServerOff } from 'lucide-react'
import { CodeBlock } from '../../ui/code-block'
import { EmptyState } from '../../ui/empty-state'
import { Link } from '../../ui/link'

/** Shown if there are no nodes: how to add one. */
export function NoNodes({ admin }: { admin: boolean }) {
  if (!admin) {
    return (
      <EmptyState icon={ServerOff} title="No nodes yet">
        Jobs wait until an admin starts a worker. Your jobs stay in the queue until then.
      </EmptyState>
    )
  }
  return (
    <div className="pb-8">
      <EmptyState icon={ServerOff} title="No nodes yet" className="pb-6">
        A node is a machine with a worker. Start a worker there with this server’s database and data
        directory. Simulated nodes need a worker too.{' '}
        <Link href="/docs/admin-guide/install#add-a-gpu-node">Add a GPU node</Link>
      </EmptyState>
      <div className="mx-auto w-full max-w-2xl px-4">
        <CodeBlock
          label="command that starts a worker"
          title="On that machine, in a built checkout of gpuq"
          code={'DATABASE_URL="postgresql://…" npx gpuq worker'}
          wrap
        />
      </div>
    </div>
  )
}
